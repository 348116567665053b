package archive

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// The ordinary limits of a recording: the original's.
const (
	DefaultMaxEvents = 100_000
	DefaultMaxBytes  = 100 << 20 // of JSON, before it is compressed
)

// How a recording ended.
const (
	Finished    = "finished"    // whoever began it said so
	Interrupted = "interrupted" // the process that kept it is gone
)

// About is what a recording begins with. The zero value is in order.
type About struct {
	ID        string // "" = a new one that nobody can guess
	Title     string // for people
	App       string // origin of the app that is recorded
	MaxEvents int    // 0 = DefaultMaxEvents
	MaxBytes  int64  // of JSON; 0 = DefaultMaxBytes
}

// Recording is what is known of a recording without its events. A time that is not
// known is zero.
type Recording struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	App       string    `json:"app"`
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended,omitzero"`
	How       string    `json:"how,omitempty"` // "" while it is kept, Finished or Interrupted
	MaxEvents int       `json:"max_events"`
	MaxBytes  int64     `json:"max_bytes"`
	Events    int       `json:"events"`
	Bytes     int64     `json:"bytes"`          // of JSON
	Stored    int64     `json:"stored"`         // bytes in the file
	Full      bool      `json:"full,omitempty"` // a batch was refused because of a limit
}

// Begin makes a recording.
func (a *Archive) Begin(ctx context.Context, about About, now time.Time) (Recording, error) {
	r := Recording{
		ID: cmp.Or(about.ID, rand.Text()), Title: about.Title, App: about.App, Started: now,
		MaxEvents: cmp.Or(about.MaxEvents, DefaultMaxEvents), MaxBytes: cmp.Or(about.MaxBytes, DefaultMaxBytes),
	}
	_, err := a.db.ExecContext(ctx,
		`INSERT INTO recordings (id, title, app, started, max_events, max_bytes) VALUES (?, ?, ?, ?, ?, ?)`,
		r.ID, r.Title, r.App, milliseconds(r.Started), r.MaxEvents, r.MaxBytes)
	if err != nil {
		return Recording{}, fmt.Errorf("begin a recording: %w", err)
	}
	return r, nil
}

// End closes a recording; how is Finished or Interrupted. One that has ended stays
// as it is.
func (a *Archive) End(ctx context.Context, id, how string, now time.Time) error {
	_, err := a.db.ExecContext(ctx, `UPDATE recordings SET ended = ?, how = ? WHERE id = ? AND how = ''`, milliseconds(now), how, id)
	if err != nil {
		return fmt.Errorf("end recording %s: %w", id, err)
	}
	return nil
}

// EndAll closes what a process left open that kept this file and is gone.
func (a *Archive) EndAll(ctx context.Context) error {
	_, err := a.db.ExecContext(ctx, `UPDATE recordings SET how = ? WHERE how = ''`, Interrupted)
	if err != nil {
		return fmt.Errorf("end the recordings of before: %w", err)
	}
	return nil
}

// Remove deletes a recording with its events.
func (a *Archive) Remove(ctx context.Context, id string) error {
	done, err := a.db.ExecContext(ctx, `DELETE FROM recordings WHERE id = ?`, id)
	if err != nil {
		return fmt.Errorf("remove recording %s: %w", id, err)
	}
	if n, err := done.RowsAffected(); err == nil && n == 0 {
		return unknown(id)
	}
	return nil
}

const columns = `id, title, app, started, ended, how, max_events, max_bytes, events, bytes, stored, full`

// Recording gives one.
func (a *Archive) Recording(ctx context.Context, id string) (Recording, error) {
	r, err := scan(a.db.QueryRowContext(ctx, `SELECT `+columns+` FROM recordings WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return Recording{}, unknown(id)
	}
	if err != nil {
		return Recording{}, fmt.Errorf("read recording %s: %w", id, err)
	}
	return r, nil
}

// Recordings lists all, the newest first.
func (a *Archive) Recordings(ctx context.Context) ([]Recording, error) {
	return a.list(ctx, ``)
}

// RecordingsOf lists those whose id begins with a prefix, the newest first. No other
// one is read: ids are in order in the file.
func (a *Archive) RecordingsOf(ctx context.Context, prefix string) ([]Recording, error) {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return a.list(ctx, `WHERE id >= ?`, prefix)
	}
	end[len(end)-1]++ // the first that does not begin with it
	return a.list(ctx, within, prefix, string(end))
}

// within finds ids in a range by the index of the table's key.
const within = `WHERE id >= ? AND id < ?`

func (a *Archive) list(ctx context.Context, which string, args ...any) ([]Recording, error) {
	rows, err := a.db.QueryContext(ctx, `SELECT `+columns+` FROM recordings `+which+` ORDER BY started DESC, rowid DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("list the recordings: %w", err)
	}
	defer rows.Close()
	all := []Recording{}
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("list the recordings: %w", err)
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

func scan(row interface{ Scan(...any) error }) (r Recording, err error) {
	var started, ended int64
	err = row.Scan(&r.ID, &r.Title, &r.App, &started, &ended, &r.How, &r.MaxEvents, &r.MaxBytes, &r.Events, &r.Bytes, &r.Stored, &r.Full)
	r.Started, r.Ended = moment(started), moment(ended)
	return r, err
}

// milliseconds is a time in the file; 0 is none.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func unknown(id string) error {
	return &proto.Error{Code: proto.CodeRecordingUnknown, Message: fmt.Sprintf("there is no recording %.80q", id), Hint: "The list of recordings has those that there are"}
}
