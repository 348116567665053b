package cdp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// Error is a constant error of this package.
type Error string

func (e Error) Error() string { return string(e) }

// Errors that a caller may branch on.
const (
	// ErrClosed says that the connection to Chromium is gone.
	ErrClosed Error = "the connection to the browser is closed"
	// ErrDetached says that the target behind the session is gone.
	ErrDetached Error = "the page or frame is gone"
	// ErrOverflow ends a connection whose messages are not handled any more.
	ErrOverflow Error = "too many unhandled messages from the browser"
)

// maxQueuedBytes bounds what waits for the dispatcher. Handlers only change
// state, so the queue is short in practice; the largest single message is a
// screenshot or a snapshot of some 10 MiB.
const maxQueuedBytes = 512 << 20

// Transport moves whole protocol messages; chromedp's PipeConn is one.
type Transport interface {
	Read(context.Context, *cdproto.Message) error
	Write(context.Context, *cdproto.Message) error
	Close() error
}

// Conn is a connection to one browser. Make it with [New], end it with Close.
type Conn struct {
	transport Transport
	root      *Session
	in, out   *queue

	mu       sync.Mutex
	nextID   int64
	pending  map[int64]*Pending
	sessions map[target.SessionID]*Session
	err      error

	used atomic.Int64 // when the last message came or went, in epoch nanoseconds

	done chan struct{} // closed when err is set and everything pending has failed
	wg   sync.WaitGroup
}

// New starts the conversation over t, which the Conn owns from now on.
func New(t Transport) *Conn {
	c := &Conn{
		transport: t,
		in:        newQueue(maxQueuedBytes),
		out:       newQueue(maxQueuedBytes),
		pending:   map[int64]*Pending{},
		sessions:  map[target.SessionID]*Session{},
		done:      make(chan struct{}),
	}
	c.root = newSession(c, "", target.Info{})
	c.sessions[""] = c.root
	c.wg.Go(c.read)
	c.wg.Go(c.dispatch)
	c.wg.Go(c.write)
	return c
}

// Root is the browser's own session.
func (c *Conn) Root() *Session { return c.root }

// Session returns the attached session with that id, or nil.
func (c *Conn) Session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// Detached is a session of a target that is gone: its calls fail with
// [ErrDetached].
func (c *Conn) Detached() *Session {
	s := newSession(c, "detached", target.Info{})
	s.end(ErrDetached)
	return s
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Silent is how long no message has come or gone.
func (c *Conn) Silent() time.Duration { return time.Since(time.Unix(0, c.used.Load())) }

// Close ends the connection and waits for its goroutines. A browser on a pipe
// exits when its pipe closes.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	c.wg.Wait()
	return nil
}

// fail ends everything once; the first reason stays.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	pending, sessions := c.pending, c.sessions
	c.pending, c.sessions = nil, nil
	c.mu.Unlock()

	// The transport's error says little ("file already closed"); it is ended
	// either way.
	_ = c.transport.Close()
	c.in.close()
	c.out.close()
	for _, p := range pending {
		p.fail(err)
	}
	for _, s := range sessions {
		s.end(err)
	}
	close(c.done)
}

func (c *Conn) read() {
	for {
		msg := new(cdproto.Message)
		if err := c.transport.Read(context.Background(), msg); err != nil {
			c.fail(fmt.Errorf("%w (reading: %v)", ErrClosed, err))
			return
		}
		c.used.Store(time.Now().UnixNano())
		if !c.in.push(msg) {
			c.fail(ErrOverflow)
			return
		}
	}
}

func (c *Conn) write() {
	for {
		msg, ok := c.out.pop()
		if !ok {
			return
		}
		if err := c.transport.Write(context.Background(), msg); err != nil {
			c.fail(fmt.Errorf("%w (writing: %v)", ErrClosed, err))
			return
		}
	}
}

func (c *Conn) dispatch() {
	for {
		msg, ok := c.in.pop()
		if !ok {
			return
		}
		switch {
		case msg.ID != 0:
			c.mu.Lock()
			p := c.pending[msg.ID]
			delete(c.pending, msg.ID)
			c.mu.Unlock()
			if p != nil {
				p.resolve(msg)
			}
		case msg.Method == methodAttached:
			c.attached(msg)
		case msg.Method == methodDetached:
			c.deliver(msg)
			c.detached(msg)
		case msg.Method != "":
			c.deliver(msg)
		}
	}
}

const (
	methodAttached = "Target.attachedToTarget"
	methodDetached = "Target.detachedFromTarget"
)

// deliver hands an event to its session; one for a session that is not known
// (it was detached a moment ago) is dropped.
func (c *Conn) deliver(msg *cdproto.Message) {
	if s := c.Session(msg.SessionID); s != nil {
		s.publish(string(msg.Method), msg.Params)
	}
}

// attached makes the session before its event is handled. An id that is known
// already keeps its session.
func (c *Conn) attached(msg *cdproto.Message) {
	var ev target.EventAttachedToTarget
	if err := unmarshal(msg.Params, &ev); err != nil || ev.SessionID == "" {
		return
	}
	c.mu.Lock()
	if c.err == nil && c.sessions[ev.SessionID] == nil {
		info := target.Info{}
		if ev.TargetInfo != nil {
			info = *ev.TargetInfo
		}
		c.sessions[ev.SessionID] = newSession(c, ev.SessionID, info)
	}
	c.mu.Unlock()
	c.deliver(msg)
}

func (c *Conn) detached(msg *cdproto.Message) {
	var ev target.EventDetachedFromTarget
	if err := unmarshal(msg.Params, &ev); err != nil || ev.SessionID == "" {
		return
	}
	c.mu.Lock()
	s := c.sessions[ev.SessionID]
	delete(c.sessions, ev.SessionID)
	var orphans []*Pending
	for id, p := range c.pending {
		if p.session == s && s != nil {
			orphans = append(orphans, p)
			delete(c.pending, id)
		}
	}
	c.mu.Unlock()
	for _, p := range orphans {
		p.fail(ErrDetached)
	}
	if s != nil {
		s.end(ErrDetached)
	}
}

// start queues one command and returns at once; then runs with its answer.
func (c *Conn) start(s *Session, method string, params any, then func(*Pending)) *Pending {
	p := &Pending{session: s, method: method, then: then, done: make(chan struct{})}
	msg := &cdproto.Message{SessionID: s.id, Method: cdproto.MethodType(method)}
	if params != nil {
		b, err := jsonv2.Marshal(params, jsonv2.AllowInvalidUTF8(true))
		if err != nil {
			p.fail(fmt.Errorf("encode %s: %w", method, err))
			return p
		}
		msg.Params = b
	}
	c.mu.Lock()
	switch {
	case c.err != nil:
		err := c.err
		c.mu.Unlock()
		p.fail(err)
		return p
	case c.sessions[s.id] != s:
		c.mu.Unlock()
		p.fail(ErrDetached)
		return p
	}
	c.nextID++
	msg.ID = c.nextID
	p.id = msg.ID
	c.pending[msg.ID] = p
	c.used.Store(time.Now().UnixNano())
	// Pushed under the lock so that ids leave in order.
	ok := c.out.push(msg)
	c.mu.Unlock()
	if !ok {
		c.fail(ErrOverflow)
	}
	return p
}

// forget drops the answer that nobody waits for any more.
func (c *Conn) forget(p *Pending) {
	c.mu.Lock()
	delete(c.pending, p.id)
	c.mu.Unlock()
}

// IsGone reports whether err means that the target or the browser is gone.
func IsGone(err error) bool {
	return errors.Is(err, ErrClosed) || errors.Is(err, ErrDetached)
}
