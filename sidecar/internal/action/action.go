package action

import (
	"context"
	"errors"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// DefaultTimeout is how long an action waits until its element can take it; what
// agents were written for.
const DefaultTimeout = 5 * time.Second

// answerGrace is what the page gets on top of a wait's own limit to say how it
// ended. A page that does not even do that hangs.
const answerGrace = 2 * time.Second

// Actor acts on one tab. Make it with [New]; it holds no state of its own and
// needs no closing.
type Actor struct {
	tab     *browser.Tab
	view    *page.View
	gate    func(context.Context) error
	timeout time.Duration
}

// Option changes an Actor.
type Option func(*Actor)

// WithGate has f asked right before input is sent; its error ends the action.
func WithGate(f func(context.Context) error) Option { return func(a *Actor) { a.gate = f } }

// WithTimeout sets how long an action waits for its element.
func WithTimeout(d time.Duration) Option { return func(a *Actor) { a.timeout = d } }

// New makes an Actor for the tab that view shows.
func New(tab *browser.Tab, view *page.View, options ...Option) *Actor {
	a := &Actor{tab: tab, view: view, timeout: DefaultTimeout, gate: func(context.Context) error { return nil }}
	for _, o := range options {
		o(a)
	}
	return a
}

// scene is one action on its way.
type scene struct {
	*Actor
	ctx      context.Context // ends with ErrModal, ErrCrashed, ErrTabClosed, too
	name     string          // of the action, for messages
	calm     bool            // nobody waits for what it brings about
	deadline time.Time       // for the element to become ready
	sent     bool            // input is on its way
	began    time.Time       // when input was first sent
	watch    *browser.Watch
	before   browser.Mark    // what was refused before the action
	loading  bool            // the page was loading already
	polled   map[string]bool // what the page was waiting for already
	sockets  *sockets
	timers   []*timers
	el       *page.Element           // what was acted on; nil for the page as a whole
	rested   *browser.Frame          // a frame that has come to rest since the input
	heard    map[*browser.Frame]bool // frames that listen to what changes since the input
	arrived  int                     // documents of the main frame that were waited for
}

// perform runs do as one action: watched from its start, ended by a dialog, a
// crash or the caller, and settled afterwards unless calm.
func (a *Actor) perform(ctx context.Context, name string, calm bool, do func(*scene) error) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	s := a.newScene(ctx, name)
	s.calm = calm
	defer s.end()
	err := do(s)
	if err != nil && ctx.Err() != nil {
		a.tab.ReleaseInput()
	}
	if err == nil && !calm {
		err = s.settle()
	}
	if s.sent && (errors.Is(err, browser.ErrTabClosed) || errors.Is(err, cdp.ErrDetached) && a.closes()) {
		return nil // closing the tab was what the input was for
	}
	return err
}

// closingTime is how long after its session a tab may be seen to close.
const closingTime = time.Second

// closes tells whether the tab is closing: its session ends a moment before.
func (a *Actor) closes() bool {
	limit := time.NewTimer(closingTime)
	defer limit.Stop()
	select {
	case <-a.tab.Closed():
		return true
	case <-limit.C:
		return false
	}
}

func (a *Actor) newScene(ctx context.Context, name string) *scene {
	now := time.Now()
	watch := a.tab.Watch()
	return &scene{
		Actor: a, ctx: ctx, name: name, deadline: now.Add(a.timeout), began: now,
		watch: watch, before: a.tab.Browser().Mark(), loading: watch.Loading(), polled: openRequests(a.tab.Requests()), sockets: listenSockets(a.tab.Session()),
		heard: map[*browser.Frame]bool{},
	}
}

func (s *scene) end() {
	s.dropTimers()
	s.sockets.stop()
	s.watch.Stop()
}

// interruptible ends with the cause when the tab can't go on: a dialog or file
// chooser is open, the page crashed, the tab closed.
func (a *Actor) interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	modal, done := a.tab.Modal(), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-modal:
			cancel(browser.ErrModal)
		case <-a.tab.Crashed():
			cancel(browser.ErrCrashed)
		case <-a.tab.Closed():
			cancel(browser.ErrTabClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// dispatch is called right before input is sent to el (nil: to whatever has the
// focus): it asks the gate once more and begins to watch what comes of it.
func (s *scene) dispatch(el *page.Element) error {
	if err := s.gate(s.ctx); err != nil {
		return err
	}
	s.dropTimers()
	s.el, s.rested, s.began = el, nil, time.Now()
	s.heard = map[*browser.Frame]bool{}
	if s.calm {
		s.sent = true
		return nil
	}
	s.trackTimers(s.tab.MainFrame())
	if el != nil {
		s.trackTimers(el.Frame())
	}
	// Input has a way of its own into the page and overtakes what was sent
	// before it. A page that does not even begin to watch will not act, either.
	ctx, cancel := context.WithTimeoutCause(s.ctx, s.timeout+answerGrace, &HangError{Action: s.name})
	defer cancel()
	for _, t := range s.timers {
		select {
		case <-t.started.Done():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.sent = true
	return nil
}

// left is what remains of the time for getting ready, in milliseconds for the
// page.
func (s *scene) left() int64 { return max(time.Until(s.deadline).Milliseconds(), 0) }

// call asks the page about el, for as long as the wait may take and a moment
// more.
func (s *scene) call(el *page.Element, fn string, result any, args ...any) error {
	ctx, cancel := context.WithDeadlineCause(s.ctx, s.deadline.Add(answerGrace), &HangError{Action: s.name})
	defer cancel()
	err := el.Call(ctx, fn, result, args...)
	if hang := new(HangError); errors.As(err, &hang) {
		return hang
	}
	if s.ctx.Err() != nil && !errors.Is(context.Cause(s.ctx), browser.ErrModal) {
		s.callOff(el.Frame())
	}
	return err
}

// callOffTime is how long a page may take to hear that nobody waits for it any
// more. Its waits also end by themselves.
const callOffTime = 200 * time.Millisecond

// callOff ends the waits in a page after the context that they had.
func (s *scene) callOff(f *browser.Frame) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), callOffTime)
	defer cancel()
	// A page that does not hear it is gone, or has other troubles.
	_ = page.Call(ctx, f, "stop", nil)
}
