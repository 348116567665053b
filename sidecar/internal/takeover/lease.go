package takeover

import (
	"sync"
	"time"
)

// Clock is where the time comes from.
type Clock struct {
	Now       func() time.Time
	AfterFunc func(time.Duration, func()) (stop func() bool)
}

func systemClock() Clock {
	return Clock{Now: time.Now, AfterFunc: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }}
}

// Options configure a [Lease].
type Options struct {
	// AgentWait is how long a call waits for control to come back; 0 refuses it
	// at once.
	AgentWait time.Duration
	// Grace is how long control outlives its connection.
	Grace time.Duration
	// MaxHold ends control after so long, IdleRelease after so long without
	// [Lease.Touch]; 0 is never.
	MaxHold, IdleRelease time.Duration
	// OnChange and OnWaiting are told everything in its order, one call at a
	// time. They may call the lease and should not wait. Nil: nobody is told.
	OnChange  func(Change)
	OnWaiting func(Waiting)
	// Clock is the time; the zero value is the system's.
	Clock Clock
}

// Lease is the one right to drive. Make it with [New]; it has no goroutines and
// needs no closing, but for [Lease.Close] at the end of the browser.
type Lease struct {
	opts  Options
	clock Clock

	mu        sync.Mutex
	holder    *Holder
	term      uint64 // counts the times that control was taken
	touched   time.Time
	stopGrace func() bool // nil unless the grace runs
	graces    uint64      // counts them: a timer that fires late knows that it is not meant
	stopTerm  []func() bool
	freed     chan struct{} // closed when the calls that wait may look again
	closing   chan struct{} // closed by Close
	closed    bool
	waits     []*wait // in the order of their beginning
	turns     map[*turn]struct{}
	quiet     chan struct{} // closed and replaced when a turn ends

	teller
}

// New makes a lease that nobody holds.
func New(o Options) *Lease {
	l := &Lease{opts: o, clock: o.Clock, closing: make(chan struct{}), turns: map[*turn]struct{}{}, quiet: make(chan struct{})}
	if l.clock.Now == nil {
		l.clock = systemClock()
	}
	return l
}

// Holder is who drives; false when nobody does.
func (l *Lease) Holder() (Holder, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil {
		return Holder{}, false
	}
	return *l.holder, true
}

// Holds says whether this connection drives.
func (l *Lease) Holds(key Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder != nil && l.holder.Key == key
}

// Refusal says why control could not be taken: it is held by somebody else, or
// the browser stops, and then By is nil.
type Refusal struct{ By *Holder }

// Acquire gives control to a connection: if nobody has it, or if another
// connection of the same person does. The person's input must wait for
// [Lease.Settle].
func (l *Lease) Acquire(key Key, p Person) *Refusal {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch h := l.holder; {
	case l.closed:
		return &Refusal{}
	case h == nil:
		l.holder = &Holder{Key: key, Person: p, Since: l.clock.Now()}
		if l.freed == nil {
			l.freed = make(chan struct{})
		}
		l.begin()
		l.changed(Taken)
	case h.Key == key:
	case h.Person.Is(p):
		l.holder = &Holder{Key: key, Person: p, Since: h.Since}
		l.endGrace()
		l.touched = l.clock.Now()
		l.changed(Moved)
	default:
		by := *h
		return &Refusal{By: &by}
	}
	return nil
}

// Release gives control back, if this connection has it.
func (l *Lease) Release(key Key) bool {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil || l.holder.Key != key {
		return false
	}
	l.free(HandedBack)
	return true
}

// Drop says that a connection is gone. If it had control, control is free after
// the grace, unless another connection of its person takes it before.
func (l *Lease) Drop(key Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil || l.holder.Key != key {
		return
	}
	l.endGrace()
	this := l.graces
	l.stopGrace = l.clock.AfterFunc(l.opts.Grace, func() {
		l.freeIf(Disconnected, func() bool { return l.graces == this })
	})
}

// Touch says that this connection has just driven.
func (l *Lease) Touch(key Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != nil && l.holder.Key == key {
		l.touched = l.clock.Now()
	}
}

// Revoke takes control from the person with this id, and says whether they had
// it.
func (l *Lease) Revoke(id string) bool {
	return l.freeIf(Revoked, func() bool { return l.holder.Person.Is(Person{ID: &id}) })
}

// Close ends all driving by hand: control is free, the calls that wait are told
// that the browser stops, and nobody gets control any more.
func (l *Lease) Close() {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	close(l.closing)
	if l.holder != nil {
		l.free(Closed)
	}
}

// freeIf frees a held lease if cond, called under the lock, says so.
func (l *Lease) freeIf(why Reason, cond func() bool) bool {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil || !cond() {
		return false
	}
	l.free(why)
	return true
}

// begin starts a term: what the agent has not begun must begin again, and the
// clocks run. Called with the lock held.
func (l *Lease) begin() {
	l.term++
	l.touched = l.clock.Now()
	for t := range l.turns {
		if !t.begun {
			t.interrupt()
		}
	}
	term := l.term
	if d := l.opts.MaxHold; d > 0 {
		l.stopTerm = append(l.stopTerm, l.clock.AfterFunc(d, func() {
			l.freeIf(Expired, func() bool { return l.term == term })
		}))
	}
	if d := l.opts.IdleRelease; d > 0 {
		l.watchIdle(term, d)
	}
}

// watchIdle looks again when the holder could have been idle for long enough.
// Called with the lock held.
func (l *Lease) watchIdle(term uint64, in time.Duration) {
	l.stopTerm = append(l.stopTerm[:len(l.stopTerm):len(l.stopTerm)], l.clock.AfterFunc(in, func() {
		l.freeIf(Idle, func() bool {
			if l.term != term {
				return false
			}
			left := l.opts.IdleRelease - l.clock.Now().Sub(l.touched)
			if left <= 0 {
				return true
			}
			l.stopTerm = l.stopTerm[:len(l.stopTerm)-1] // this one, which has fired
			l.watchIdle(term, left)
			return false
		})
	}))
}

func (l *Lease) endGrace() {
	if l.stopGrace != nil {
		l.stopGrace()
		l.stopGrace = nil
	}
	l.graces++
}

// free ends a term. Called with the lock held.
func (l *Lease) free(why Reason) {
	l.endGrace()
	for _, stop := range l.stopTerm {
		stop()
	}
	l.stopTerm = nil
	l.changed(why)
	l.holder = nil
	l.notes = append(l.notes, l.wake)
}

// changed notes a change of the holder. Called with the lock held, before a
// holder is forgotten.
func (l *Lease) changed(why Reason) {
	c := Change{Reason: why, Holder: *l.holder, Held: why == Taken || why == Moved, At: l.clock.Now()}
	if l.opts.OnChange != nil {
		l.notes = append(l.notes, func() { l.opts.OnChange(c) })
	}
}

// wake lets the calls that wait look again, unless control was taken meanwhile.
func (l *Lease) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == nil && l.freed != nil {
		close(l.freed)
		l.freed = nil
	}
}

// tell delivers what is noted.
func (l *Lease) tell() { l.teller.tell(&l.mu) }
