package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Entry is what a host writes down about a browser, so that neither a crash of
// its own nor one of its usage recorder's loses a minute.
type Entry struct {
	Session   string     `json:"session"`
	Sandbox   string     `json:"sandbox"`
	Owner     string     `json:"owner"`
	Mode      proto.Mode `json:"mode"`
	StartedAt time.Time  `json:"started_at,omitzero"` // zero: it was never ready
	AliveAt   time.Time  `json:"alive_at,omitzero"`   // when it was last known to run
	StopAt    time.Time  `json:"stop_at,omitzero"`    // when it stops by itself; zero: never
	StoppedAt time.Time  `json:"stopped_at,omitzero"` // zero: it runs

	// What remains to be done after the stop.
	Completed bool `json:"completed,omitempty"` // the recording is
	Metered   bool `json:"metered,omitempty"`   // the usage recorder has its minutes
}

// Minutes is how long the browser ran, in minutes, rounded up.
func (e Entry) Minutes() int {
	if e.StartedAt.IsZero() || e.StoppedAt.IsZero() {
		return 0
	}
	ran := max(0, e.StoppedAt.Sub(e.StartedAt))
	return int((ran + time.Minute - 1) / time.Minute)
}

// Journal holds the entries of the browsers that run, and of those whose
// minutes have not been told yet. Default: a [MemoryJournal], which a restart
// of the host empties; a [FileJournal] outlives it.
type Journal interface {
	Put(ctx context.Context, e Entry) error // adds it, or replaces the session's
	Remove(ctx context.Context, session string) error
	List(ctx context.Context) ([]Entry, error)
}

// MemoryJournal is a journal in memory. The zero value is ready.
type MemoryJournal struct {
	mu  sync.Mutex
	all map[string]Entry
}

// Put implements [Journal].
func (m *MemoryJournal) Put(_ context.Context, e Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[string]Entry{}
	}
	m.all[e.Session] = e
	return nil
}

// Remove implements [Journal].
func (m *MemoryJournal) Remove(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, session)
	return nil
}

// List implements [Journal].
func (m *MemoryJournal) List(context.Context) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.all)), nil
}

// FileJournal is a directory with a small file for each entry. It belongs to
// one host at a time.
type FileJournal struct{ dir string }

// OpenFileJournal opens the directory, and makes it where there is none.
func OpenFileJournal(dir string) (*FileJournal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the journal's directory: %w", err)
	}
	return &FileJournal{dir}, nil
}

const (
	entrySuffix = ".json"
	draftSuffix = ".new" // not yet complete
)

// file is an entry's. Sessions are made by this package of letters and digits;
// Base keeps a foreign one inside the directory.
func (j *FileJournal) file(session string) string {
	return filepath.Join(j.dir, filepath.Base(session)+entrySuffix)
}

// Put implements [Journal]; the file is the old entry or the new one, whole.
func (j *FileJournal) Put(_ context.Context, e Entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode a journal entry: %w", err)
	}
	file := j.file(e.Session)
	if err := os.WriteFile(file+draftSuffix, data, 0o600); err != nil {
		return fmt.Errorf("write a journal entry: %w", err)
	}
	return os.Rename(file+draftSuffix, file)
}

// Remove implements [Journal].
func (j *FileJournal) Remove(_ context.Context, session string) error {
	err := os.Remove(j.file(session))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements [Journal]. A file that can't be read as an entry is reported
// after the others.
func (j *FileJournal) List(context.Context) (all []Entry, err error) {
	files, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), entrySuffix) {
			continue // a draft that a crash left
		}
		var e Entry
		data, readErr := os.ReadFile(filepath.Join(j.dir, f.Name()))
		if readErr == nil {
			readErr = json.Unmarshal(data, &e)
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("read the journal's %s: %w", f.Name(), readErr))
			continue
		}
		all = append(all, e)
	}
	return all, err
}
