package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/pillion-browser/pillion/proto/archive"
)

// archiveTimeout bounds what the file of a recording may take at the session's
// begin and end: another process that writes to it gets 5 s.
const archiveTimeout = 6 * time.Second

// ownArchive is the file that a session without a host records to.
type ownArchive struct {
	file *archive.Archive
	path string // absolute
	id   string
}

// openArchive makes or opens the file and begins a recording in it.
func openArchive(path, app string) (*ownArchive, error) {
	// The session changes its directory later.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), archiveTimeout)
	defer cancel()
	file, err := archive.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := file.Begin(ctx, archive.About{Title: "Session of " + time.Now().Format(time.DateTime), App: app}, time.Now())
	if err != nil {
		file.Close()
		return nil, err
	}
	return &ownArchive{file, path, r.ID}, nil
}

// keep takes a batch of the recorder's.
func (a *ownArchive) keep(ctx context.Context, name string, events []json.RawMessage) error {
	list := make([]archive.Event, len(events))
	for i, raw := range events {
		if err := json.Unmarshal(raw, &list[i]); err != nil {
			return fmt.Errorf("read an event of our own: %w", err)
		}
	}
	return a.file.Append(ctx, a.id, name, list)
}

func (a *ownArchive) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), archiveTimeout)
	defer cancel()
	if err := a.file.End(ctx, a.id, archive.Finished, time.Now()); err != nil {
		log.Warn("recording: the file could not be told of its end", "error", err)
	}
	if err := a.file.Close(); err != nil {
		log.Warn("recording: the file could not be closed", "error", err)
	}
}
