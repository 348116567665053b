package hostapi

import (
	"context"
	"maps"
	"slices"
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
