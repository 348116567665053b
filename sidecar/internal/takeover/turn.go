package takeover

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// How long whoever takes control waits for the agent.
const (
	// FinishLimit is what an action that has begun gets to end by itself: most
	// do within it, and a person does not yet wonder.
	FinishLimit = 2 * time.Second
	// StopLimit is what an interrupted one gets to notice.
	StopLimit = time.Second
)

// turn is one call that may change pages, from its admission to its end.
type turn struct {
	l      *Lease
	tool   string
	cancel context.CancelCauseFunc

	// Under the lease's lock.
	begun bool // it may have changed something
	over  bool // interrupted: a person drives
	by    Holder
}

// wait is one call that waits.
type wait struct {
	tool  string
	since time.Time
}

type turnKey struct{}

// Admit returns when a tool may run. A tool that only observes may do so at
// once; others wait while a person drives, as long as AgentWait.
//
// The tool runs with the context that is returned, and leave is called when it
// has returned: again says that a person took over before it did anything, and
// it is to be admitted and run once more; held that it was interrupted.
//
// Its errors: a [*HeldError], one with [proto.CodeStopping], or ctx's.
func (l *Lease) Admit(ctx context.Context, tool string, args json.RawMessage) (run context.Context, leave func() (again bool, held error), err error) {
	if Observes(tool, args) {
		return ctx, func() (bool, error) { return false, nil }, nil
	}
	t := &turn{l: l, tool: tool}
	run, t.cancel = context.WithCancelCause(context.WithValue(ctx, turnKey{}, t))
	if err := l.await(ctx, t); err != nil {
		t.cancel(err)
		return nil, nil, err
	}
	return run, t.leave, nil
}

// await registers the turn as soon as nobody holds the lease.
func (l *Lease) await(ctx context.Context, t *turn) error {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil {
		l.turns[t] = struct{}{}
		return nil
	}
	w := &wait{tool: t.tool, since: l.clock.Now()}
	l.waits = append(l.waits, w)
	l.waitsChanged()
	late := make(chan struct{})
	if l.opts.AgentWait > 0 {
		stop := l.clock.AfterFunc(l.opts.AgentWait, func() { close(late) })
		defer stop()
	} else {
		close(late)
	}
	err := l.awaitFree(ctx, w, late)
	l.waits = slices.DeleteFunc(l.waits, func(o *wait) bool { return o == w })
	l.waitsChanged()
	if err == nil {
		l.turns[t] = struct{}{}
	}
	return err
}

// awaitFree is called, and returns, with the lock held; in between it is not.
func (l *Lease) awaitFree(ctx context.Context, w *wait, late <-chan struct{}) error {
	for {
		freed := l.freed
		l.mu.Unlock()
		l.tell()
		over := false
		select {
		case <-freed:
		case <-l.closing:
		case <-late:
			over = true
		case <-ctx.Done():
		}
		l.mu.Lock()
		switch {
		case l.closed:
			return errStopping()
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case l.holder == nil:
			return nil
		case over:
			return &HeldError{By: l.holder.Person.Name, Since: l.holder.Since, Waited: l.clock.Now().Sub(w.since)}
		}
	}
}

// waitsChanged notes who waits. Called with the lock held.
func (l *Lease) waitsChanged() {
	if l.opts.OnWaiting == nil {
		return
	}
	w := l.waiting()
	l.notes = append(l.notes, func() { l.opts.OnWaiting(w) })
}

func (l *Lease) waiting() Waiting {
	w := Waiting{Calls: len(l.waits)}
	if len(l.waits) > 0 {
		w.Tool, w.Since = l.waits[0].tool, l.waits[0].since
	}
	return w
}

// Waiting is the calls that wait now.
func (l *Lease) Waiting() Waiting {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting()
}

func (t *turn) leave() (again bool, held error) {
	l := t.l
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.turns, t)
	close(l.quiet)
	l.quiet = make(chan struct{})
	t.cancel(nil)
	switch {
	case !t.over:
		return false, nil
	case !t.begun:
		return true, nil
	default:
		return false, t.held()
	}
}

func (t *turn) held() *HeldError {
	return &HeldError{By: t.by.Person.Name, Since: t.by.Since, Tool: t.tool}
}

// interrupt ends a turn for the sake of the holder. Called with the lock held.
func (t *turn) interrupt() {
	t.over, t.by = true, *t.l.holder
	if t.begun {
		t.cancel(t.held())
	} else {
		t.cancel(preempted{})
	}
}

// Check is asked right before the call that ctx belongs to changes a page. Its
// error means that a person drives; after nil the change may be made. Where ctx
// is of no call that [Lease.Admit] let through, nobody is in the way.
func Check(ctx context.Context) error { return enter(ctx, true) }

// Enter is asked when a call gets to work: by a tool that calls [Check] before
// each input just to learn whether there is a point in beginning, by all others
// in place of Check.
func Enter(ctx context.Context) error {
	t, ok := ctx.Value(turnKey{}).(*turn)
	return enter(ctx, ok && !asksAgain(t.tool))
}

func enter(ctx context.Context, begins bool) error {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		return nil
	}
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	switch {
	case t.over && t.begun:
		return t.held()
	case t.over:
		return preempted{}
	}
	t.begun = t.begun || begins
	return nil
}

// Settle returns when none of the agent's calls is at work any more. One that
// has begun gets [FinishLimit] to end by itself, and is interrupted then. It
// returns early when ctx ends or control is lost.
func (l *Lease) Settle(ctx context.Context) {
	finish := make(chan struct{})
	defer l.clock.AfterFunc(FinishLimit, func() { close(finish) })()
	stop := make(chan struct{})
	defer l.clock.AfterFunc(FinishLimit+StopLimit, func() { close(stop) })()
	for {
		l.mu.Lock()
		busy, quiet := l.holder != nil && len(l.turns) > 0, l.quiet
		l.mu.Unlock()
		if !busy {
			return
		}
		select {
		case <-quiet:
		case <-finish:
			finish = nil
			l.interruptAll()
		case <-stop:
			return // it hangs; whatever it still asks for is refused
		case <-ctx.Done():
			return
		}
	}
}

func (l *Lease) interruptAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil {
		return
	}
	for t := range l.turns {
		t.interrupt()
	}
}
