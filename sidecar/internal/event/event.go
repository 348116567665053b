package event

import (
	"slices"
	"sync"
	"time"
)

// Kind names what happened.
type Kind string

// The kinds of events.
const (
	PageOpened Kind = "page_opened"
	Navigated  Kind = "navigated"
	PageClosed Kind = "page_closed"
	Crashed    Kind = "crashed"
	Console    Kind = "console"  // Detail: level, text
	Dialog     Kind = "dialog"   // Detail: type
	Download   Kind = "download" // Detail: name, state
	Refused    Kind = "refused"  // made by Refusal.Event
	Action     Kind = "action"   // Detail: tool, outcome, ms
	Stopping   Kind = "stopping" // Detail: reason
	Takeover   Kind = "takeover" // who drives changed. Detail: why (a takeover.Reason), held ("true", "false"), by and user where known
)

// Event is one fact.
type Event struct {
	Seq    uint64
	Time   time.Time
	Kind   Kind
	Tab    int    // the tab's number, 1 and up, never reused; 0 = none
	URL    string // origin and path only
	Detail map[string]string
}

// Stream numbers events and hands them to its listeners. The zero value works.
type Stream struct {
	mu        sync.Mutex
	seq       uint64
	listeners []*listener
}

type listener struct{ fn func(Event) }

// Publish numbers e, stamps it if it has no time, and hands it to every
// listener before it returns.
func (s *Stream) Publish(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	e.Seq = s.seq
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	for _, l := range s.listeners {
		l.fn(e)
	}
}

// Listen calls fn for every event from now on, until stop is called.
func (s *Stream) Listen(fn func(Event)) (stop func()) {
	l := &listener{fn}
	s.mu.Lock()
	s.listeners = append(s.listeners, l)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listeners = slices.DeleteFunc(s.listeners, func(o *listener) bool { return o == l })
	}
}
