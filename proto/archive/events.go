package archive

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive/lines"
)

// Event is one recorded thing.
type Event = lines.Event

// Append keeps a batch. name tells it from others of its recording, so that one
// that comes again is not kept twice; "" is no name. A batch that would go over a
// limit is refused with proto.CodeRecordingLimit, one of a recording that has ended
// with proto.CodeRecordingUnknown.
func (a *Archive) Append(ctx context.Context, id, name string, events []Event) error {
	packed, size, err := lines.Pack(events)
	if err != nil {
		return fmt.Errorf("keep a batch of recording %s: %w", id, err)
	}
	err = a.append(ctx, id, sql.NullString{String: name, Valid: name != ""}, len(events), size, packed)
	if err != nil && proto.CodeOf(err) == "" {
		return fmt.Errorf("keep a batch of recording %s: %w", id, err)
	}
	return err
}

func (a *Archive) append(ctx context.Context, id string, name sql.NullString, events int, size int64, packed []byte) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit this does nothing
	r, err := scan(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM recordings WHERE id = ? AND how = ''`, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return unknown(id)
	case err != nil:
		return err
	}
	if name.Valid {
		var there int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM chunks WHERE recording = ? AND batch = ?`, id, name).Scan(&there); err != nil {
			return err
		}
		if there > 0 {
			return nil
		}
	}
	if r.Events+events > r.MaxEvents || r.Bytes+size > r.MaxBytes {
		if _, err := tx.ExecContext(ctx, `UPDATE recordings SET full = 1 WHERE id = ?`, id); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		return &proto.Error{
			Code:    proto.CodeRecordingLimit,
			Message: fmt.Sprintf("the recording is full: it may have %d events and %d bytes", r.MaxEvents, r.MaxBytes),
		}
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO chunks (recording, seq, batch, events, bytes, data)
		VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM chunks WHERE recording = ?1), ?2, ?3, ?4, ?5)`,
		id, name, events, size, packed); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE recordings SET events = events + ?, bytes = bytes + ?, stored = stored + ? WHERE id = ?`,
		events, size, len(packed), id); err != nil {
		return err
	}
	return tx.Commit()
}

// WriteTo writes all events of a recording as JSON lines, in the order in which
// they were kept.
func (a *Archive) WriteTo(ctx context.Context, id string, w io.Writer) error {
	for packed, err := range a.chunks(ctx, id) {
		if err != nil {
			return err
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return torn(id, err)
		}
		if _, err := io.Copy(w, z); err != nil {
			return torn(id, err)
		}
	}
	return nil
}

// Events gives the events of a recording in the order in which they were kept. It
// ends with the first error.
func (a *Archive) Events(ctx context.Context, id string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for packed, err := range a.chunks(ctx, id) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			for e, err := range lines.Unpack(packed) {
				if err != nil {
					yield(Event{}, torn(id, err))
					return
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// chunks reads one chunk at a time: no lock and no memory is held while it is used.
func (a *Archive) chunks(ctx context.Context, id string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if _, err := a.Recording(ctx, id); err != nil {
			yield(nil, err)
			return
		}
		for seq := int64(0); ; {
			var packed []byte
			err := a.db.QueryRowContext(ctx, `SELECT seq, data FROM chunks WHERE recording = ? AND seq > ? ORDER BY seq LIMIT 1`, id, seq).Scan(&seq, &packed)
			if errors.Is(err, sql.ErrNoRows) {
				// The end, unless the recording was removed meanwhile.
				if _, err := a.Recording(ctx, id); err != nil {
					yield(nil, err)
				}
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read recording %s: %w", id, err))
				return
			}
			if !yield(packed, nil) {
				return
			}
		}
	}
}

func torn(id string, err error) error {
	return &proto.Error{Code: proto.CodeArchiveUnusable, Message: fmt.Sprintf("the events of recording %.80s can't be read: %v", id, err), Err: err}
}
