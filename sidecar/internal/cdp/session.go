package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto"
	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// Session is the conversation with one target. It implements cdproto's
// cdp.Session, so that cdp.Call and cdp.Events take it.
type Session struct {
	conn *Conn
	id   target.SessionID
	info target.Info

	mu       sync.Mutex
	handlers map[string][]*handler
	err      error
	done     chan struct{}
}

type handler struct{ fn func(jsonv2.Value) }

var _ pcdp.Session = (*Session)(nil)

func newSession(c *Conn, id target.SessionID, info target.Info) *Session {
	return &Session{conn: c, id: id, info: info, handlers: map[string][]*handler{}, done: make(chan struct{})}
}

// ID is the flat session id, empty for the browser's own session.
func (s *Session) ID() target.SessionID { return s.id }

// TargetInfo is what Chromium said of the target when it was attached.
func (s *Session) TargetInfo() target.Info { return s.info }

// Done is closed when the target or the connection is gone.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err says why the session ended; nil while it lives.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Session) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.done)
	}
}

// Start sends a command without waiting. The order of Starts is the order on
// the wire, so a burst of them costs one round trip.
func (s *Session) Start(method string, params any) *Pending {
	return s.conn.start(s, method, params, nil)
}

// Call sends a command and waits for its answer, which it decodes into result
// (nil: thrown away). A refusal by the browser is a *[cdproto.Error].
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	return s.Start(method, params).Wait(ctx, result)
}

// Subscribe buffers the events of one method from now on. The channel closes
// when the session ends or after cancel.
func (s *Session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	q := newQueue(maxQueuedBytes)
	out := make(chan jsonv2.Value)
	stop := make(chan struct{})
	off := s.handle(method, func(v jsonv2.Value) { q.push(&cdproto.Message{Params: v}) })
	go func() {
		defer close(out)
		for {
			msg, ok := q.pop()
			if !ok {
				return
			}
			select {
			case out <- msg.Params:
			case <-stop:
				return
			}
		}
	}()
	go func() {
		select {
		case <-s.done:
		case <-stop:
		}
		off()
		q.close()
	}()
	return out, sync.OnceFunc(func() { close(stop) })
}

func (s *Session) handle(method string, fn func(jsonv2.Value)) (off func()) {
	h := &handler{fn}
	s.mu.Lock()
	s.handlers[method] = append(s.handlers[method], h)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		// A copy, since the dispatcher may be walking the old slice.
		s.handlers[method] = slices.DeleteFunc(slices.Clone(s.handlers[method]), func(o *handler) bool { return o == h })
	}
}

func (s *Session) publish(method string, params jsonv2.Value) {
	s.mu.Lock()
	hs := s.handlers[method]
	s.mu.Unlock()
	for _, h := range hs {
		h.fn(params)
	}
}

// On calls fn on the dispatcher for each event of s, in order, until off is
// called. fn must not wait. An event that does not decode is dropped: it comes
// from a Chromium that speaks another revision of that one event.
func On[E any](s *Session, e pcdp.Event[E], fn func(E)) (off func()) {
	return s.handle(e.Method, func(v jsonv2.Value) {
		var ev E
		if err := unmarshal(v, &ev); err == nil {
			fn(ev)
		}
	})
}

// Start is the typed form of [Session.Start].
func Start[P, R any](s *Session, c pcdp.Command[P, R], params P) *Pending {
	return s.Start(c.Method, params)
}

// Then sends a command and calls fn with its answer on the dispatcher, in the
// order of all events. fn must not wait; it also runs when the target or the
// connection goes away first, and then possibly on the goroutine that found out.
func Then[P, R any](s *Session, c pcdp.Command[P, R], params P, fn func(R, error)) {
	s.conn.start(s, c.Method, params, func(p *Pending) {
		var r R
		err := p.decode(&r)
		fn(r, err)
	})
}

// unmarshal takes what pages make of strings: lone surrogates arrive as invalid
// UTF-8 and must not cost us the message.
func unmarshal(b jsonv2.Value, v any) error {
	return jsonv2.Unmarshal(b, v, jsonv2.AllowInvalidUTF8(true))
}

// Pending is a command on its way.
type Pending struct {
	session *Session
	method  string
	id      int64
	then    func(*Pending) // runs on the dispatcher before done is closed

	done chan struct{} // closed once msg or err is set
	msg  *cdproto.Message
	err  error
	once sync.Once
}

func (p *Pending) resolve(msg *cdproto.Message) { p.settle(msg, nil) }

func (p *Pending) fail(err error) { p.settle(nil, err) }

func (p *Pending) settle(msg *cdproto.Message, err error) {
	p.once.Do(func() {
		p.msg, p.err = msg, err
		if p.then != nil {
			p.then(p)
		}
		close(p.done)
	})
}

// Done is closed when the answer is there.
func (p *Pending) Done() <-chan struct{} { return p.done }

// Wait waits for the answer and decodes it into result (nil: thrown away).
func (p *Pending) Wait(ctx context.Context, result any) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.session.conn.forget(p)
		return fmt.Errorf("%s: %w", p.method, context.Cause(ctx))
	}
	return p.decode(result)
}

func (p *Pending) decode(result any) error {
	if p.err != nil {
		return fmt.Errorf("%s: %w", p.method, p.err)
	}
	if p.msg.Error != nil {
		return fmt.Errorf("%s: %w", p.method, p.msg.Error)
	}
	if result == nil || len(p.msg.Result) == 0 {
		return nil
	}
	if err := unmarshal(p.msg.Result, result); err != nil {
		return fmt.Errorf("decode the answer of %s: %w", p.method, err)
	}
	return nil
}

// Refused returns the browser's own refusal inside err, or nil.
func Refused(err error) *cdproto.Error {
	var e *cdproto.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
