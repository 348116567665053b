package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is one client's conversation.
type session struct {
	id     string
	client ClientInfo
	state  *sdk.ServerSessionState // what the SDK agreed on in initialize
	tools  Toolset                 // nil until the session is open

	revision  string    // of the protocol, as agreed; "" where each request says its own
	stateless bool      // of a client that knows of no session
	opening   sync.Once // of a stateless one

	// The rest is the table's, under its lock.
	open   bool // initialize has succeeded
	closed bool
	used   time.Time
	calls  map[string]*call // unanswered requests by the key of their id
	work   sync.WaitGroup   // tools that run; grows only while not closed
}

// call is one unanswered request of a session.
type call struct {
	id     json.RawMessage
	key    string
	ctx    context.Context // ends when the answer is no longer wanted
	cancel context.CancelCauseFunc
	out    *stream     // nil unless the client wants to be told of progress
	held   atomic.Bool // it waits at the gate

	stateless bool   // its answer is for a client that knows of no session
	asked     string // the key of its id, where key is another

	// begun says that a stop has to let the call finish: its tool runs, or it
	// never waits for anything. The table's, under its lock.
	begun bool
}

// table holds the sessions. Each decision about who gets in, who is closed for
// it and who is told that the browser stops is one step under its lock.
type table struct {
	limits Limits
	now    func() time.Time

	mu         sync.Mutex
	sessions   map[string]*session
	agents     map[ClientInfo]*session // of sessions, those of stateless clients
	numbered   int                     // calls of theirs
	stopping   bool
	unanswered int           // requests between enter and leave
	quiet      chan struct{} // closed when stopping and nothing is unanswered
}

func newTable(limits Limits, now func() time.Time) *table {
	return &table{
		limits:   limits,
		now:      now,
		sessions: make(map[string]*session),
		agents:   make(map[ClientInfo]*session),
		quiet:    make(chan struct{}),
	}
}

// enter counts a request in; false when a stop has begun. Each true is matched
// by one leave, after the request's answer is known.
func (t *table) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopping {
		return false
	}
	t.unanswered++
	return true
}

func (t *table) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unanswered--
	if t.stopping && t.unanswered == 0 {
		close(t.quiet)
	}
}

// stop lets nobody in any more and ends the calls that have not begun. The
// channel closes when every request has its answer.
func (t *table) stop() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopping = true
	if t.unanswered == 0 {
		close(t.quiet)
	}
	for _, s := range t.sessions {
		for _, c := range s.calls {
			if !c.begun {
				c.cancel(errStopping)
			}
		}
	}
	return t.quiet
}

// reserve makes room for a session and puts it there, not yet open. evicted are
// the sessions that were closed for it. False: too many sessions are busy.
func (t *table) reserve() (s *session, evicted []*session, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reserveLocked()
}

func (t *table) reserveLocked() (s *session, evicted []*session, ok bool) {
	if len(t.sessions) >= t.limits.Sessions {
		oldest := t.now().Add(-t.limits.Idle)
		for _, old := range t.sessions {
			if old.idle() && old.used.Before(oldest) {
				evicted = append(evicted, t.close(old, errSessionClosed))
			}
		}
	}
	busy := 0
	var victim *session // the least recently used idle one
	for _, old := range t.sessions {
		switch {
		case len(old.calls) > 0:
			busy++
		case old.idle() && (victim == nil || old.used.Before(victim.used)):
			victim = old
		}
	}
	full := len(t.sessions) >= t.limits.Kept
	if busy >= t.limits.Sessions || full && victim == nil {
		return nil, evicted, false
	}
	if full {
		evicted = append(evicted, t.close(victim, errSessionClosed))
	}
	s = &session{id: newSessionID(), used: t.now(), calls: make(map[string]*call)}
	t.sessions[s.id] = s
	return s, evicted, true
}

// stateless finds the session of a stateless client, or reserves one.
func (t *table) stateless(client ClientInfo) (s *session, evicted []*session, refused *rpcError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.agents[client]; s != nil {
		return s, nil, nil
	}
	if t.stopping {
		return nil, nil, errInitializeStopped
	}
	s, evicted, ok := t.reserveLocked()
	if !ok {
		return nil, evicted, errTooManySessions
	}
	s.client, s.stateless = client, true
	t.agents[client] = s
	return s, evicted, nil
}

// idle says whether the session may be closed to make room.
func (s *session) idle() bool { return s.open && len(s.calls) == 0 }

// close takes a session out and ends its calls. The lock is held.
func (t *table) close(s *session, cause error) *session {
	delete(t.sessions, s.id)
	if t.agents[s.client] == s {
		delete(t.agents, s.client)
	}
	s.closed = true
	for _, c := range s.calls {
		c.cancel(cause)
	}
	return s
}

// ready opens a reserved session; false if a stop has closed it meanwhile.
func (t *table) ready(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.open = !s.closed
	return s.open
}

// drop forgets a reserved session that did not open.
func (t *table) drop(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.close(s, errSessionClosed)
}

// find gives an open session, or nil.
func (t *table) find(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sessions[id]; s != nil && s.open && !s.stateless {
		return s
	}
	return nil
}

// remove closes an open session and gives it, or nil.
func (t *table) remove(id string, cause error) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[id]
	if s == nil || !s.open || s.stateless {
		return nil
	}
	return t.close(s, cause)
}

// removeAll closes all open sessions; what is still opening closes by itself.
func (t *table) removeAll(cause error) []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*session
	for _, s := range t.sessions {
		if t.close(s, cause); s.open {
			all = append(all, s)
		}
	}
	return all
}

// begin registers a request. begun is false for requests that may have to wait.
func (t *table) begin(ctx context.Context, s *session, m message, begun bool) (*call, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case s.closed:
		return nil, errSessionClosed
	case t.stopping && !begun:
		return nil, errStopping
	case !m.stateless && s.calls[m.key] != nil:
		return nil, errInFlight
	}
	c := &call{id: m.id, key: m.key, begun: begun, stateless: m.stateless}
	if m.stateless {
		// Several agents of one kind may share the session, and each counts
		// its requests from one.
		t.numbered++
		c.asked, c.key = m.key, strconv.Itoa(t.numbered)
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	s.calls[c.key] = c
	return c, nil
}

// end forgets a request that has its answer and ends its context.
func (t *table) end(s *session, c *call) {
	t.mu.Lock()
	delete(s.calls, c.key)
	t.mu.Unlock()
	c.cancel(context.Canceled)
}

// use stamps a session: a request was handed on, or came back.
func (t *table) use(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.used = t.now()
}

// cancel ends the request whose id has this key, if it is unanswered.
func (t *table) cancel(s *session, key string, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := s.calls[key]; c != nil {
		c.cancel(cause)
	}
}

// cancelStateless ends the stateless request whose id has this key, if there is
// exactly one: whose it is, the message does not say.
func (t *table) cancelStateless(key string, cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found []*call
	for _, s := range t.agents {
		for _, c := range s.calls {
			if c.asked == key {
				found = append(found, c)
			}
		}
	}
	if len(found) == 1 {
		found[0].cancel(cause)
	}
}

// run marks a call as begun and counts its tool in, unless the answer is no
// longer wanted. Each nil is matched by one Done of the session's work.
func (t *table) run(s *session, c *call) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopping {
		c.cancel(errStopping) // a stop came in between; the first cause stays
	}
	if err := context.Cause(c.ctx); err != nil {
		return err
	}
	if s.closed {
		return errSessionClosed
	}
	c.begun = true
	s.work.Add(1)
	return nil
}

// newSessionID makes a random UUID (version 4).
func newSessionID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
