package takeover

import (
	"context"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Request is what an agent asks of people: to do something in the browser and to
// hand it back.
type Request struct {
	ID           uint64
	Instructions string
	Since, Until time.Time
}

// Ending says how a request ended.
type Ending string

// The endings. StillOpen is none: the call returned before.
const (
	StillOpen Ending = ""
	Done      Ending = "handed_back" // by who drove, or said to be done without driving
	Declined  Ending = "declined"
	TimedOut  Ending = "timed_out"
	Unseen    Ending = "nobody_watching" // it timed out, and no viewer ever showed it
	Withdrawn Ending = "withdrawn"       // whoever asked is gone
)

// Answer is what came of a request.
type Answer struct {
	Request
	Ending Ending
	By     *Person       // who ended it; nil where nobody did
	Took   time.Duration // from the request to its end, or until now
}

// keptAnswer is how long an answer waits for a call that was not there when it
// came: as long as an agent may think between two calls.
const keptAnswer = 2 * time.Minute

// Desk is where agents ask and people answer: one request at a time. Make it with
// [NewDesk]; like a lease it has no goroutines and needs no closing but
// [Desk.Close].
type Desk struct {
	clock    Clock
	onChange func(Answer)

	mu      sync.Mutex
	ids     uint64
	open    *request
	last    *request // answered when nobody waited for it; nil = none
	closing chan struct{}
	closed  bool
	teller
}

// request is one Request and who waits for it.
type request struct {
	Answer
	seen  bool // a viewer shows it
	calls int
	ended chan struct{}
	at    time.Time // of its end
	stop  func() bool
}

// NewDesk makes a desk. onChange is told each request that opens and each that
// ends, in order, with no lock held; nil: nobody is. The zero clock is the
// system's.
func NewDesk(clock Clock, onChange func(Answer)) *Desk {
	if clock.Now == nil {
		clock = systemClock()
	}
	return &Desk{clock: clock, onChange: onChange, closing: make(chan struct{})}
}

// Ask puts a request before people and waits for its end, at most for patience:
// then the Ending is StillOpen, the request stays, and whoever asks the same again
// goes on waiting. The request ends by itself after timeout; when ctx ends while
// nobody else waits for it, it is withdrawn.
//
// Its errors: [proto.CodeHeld] while another request is waited for,
// [proto.CodeStopping], or ctx's cause.
func (d *Desk) Ask(ctx context.Context, instructions string, timeout, patience time.Duration) (Answer, error) {
	r, err := d.ask(instructions, timeout)
	if err != nil {
		return Answer{}, err
	}
	tired := make(chan struct{})
	defer d.clock.AfterFunc(patience, func() { close(tired) })()
	select {
	case <-r.ended:
	case <-d.closing:
	case <-tired:
	case <-ctx.Done():
	}
	defer d.tell()
	d.mu.Lock()
	defer d.mu.Unlock()
	r.calls--
	switch {
	case r.Ending != StillOpen:
		return r.Answer, nil
	case d.closed:
		return Answer{}, errStopping()
	case ctx.Err() != nil:
		if r.calls == 0 {
			d.end(r, Withdrawn, nil)
		}
		return Answer{}, context.Cause(ctx)
	}
	a := r.Answer
	a.Took = d.clock.Now().Sub(a.Since)
	return a, nil
}

// ask finds the request of these instructions, or opens it.
func (d *Desk) ask(instructions string, timeout time.Duration) (*request, error) {
	defer d.tell()
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	last := d.last
	d.last = nil
	switch {
	case d.closed:
		return nil, errStopping()
	case last != nil && last.Instructions == instructions && now.Sub(last.at) < keptAnswer:
		last.calls++
		return last, nil
	case d.open != nil && d.open.Instructions == instructions:
		d.open.calls++
		return d.open, nil
	case d.open != nil && d.open.calls > 0:
		return nil, &proto.Error{
			Code: proto.CodeHeld, Message: "A person is asked something else by another agent of this browser",
			Hint: "Nobody saw this request. Try again later.",
		}
	case d.open != nil:
		d.end(d.open, Withdrawn, nil)
	}
	d.ids++
	r := &request{calls: 1, ended: make(chan struct{})}
	r.Request = Request{ID: d.ids, Instructions: instructions, Since: now, Until: now.Add(timeout)}
	r.stop = d.clock.AfterFunc(timeout, func() { d.late(r) })
	d.open = r
	d.note(r.Answer)
	return r, nil
}

func (d *Desk) late(r *request) {
	defer d.tell()
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Ending != StillOpen {
		return
	}
	if r.seen {
		d.end(r, TimedOut, nil)
	} else {
		d.end(r, Unseen, nil)
	}
}

// end ends the open request. Called with the lock held.
func (d *Desk) end(r *request, how Ending, by *Person) {
	r.stop()
	r.at = d.clock.Now()
	r.Ending, r.By, r.Took = how, by, r.at.Sub(r.Since)
	close(r.ended)
	d.open = nil
	if r.calls == 0 && how != Withdrawn {
		d.last = r
	}
	d.note(r.Answer)
}

func (d *Desk) note(a Answer) {
	if d.onChange != nil {
		d.notes = append(d.notes, func() { d.onChange(a) })
	}
}

// tell delivers what is noted.
func (d *Desk) tell() { d.teller.tell(&d.mu) }

// Open is the request that waits for an answer; false when none does.
func (d *Desk) Open() (Request, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		return Request{}, false
	}
	return d.open.Request, true
}

// Shown says that somebody can see the open request.
func (d *Desk) Shown() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		d.open.seen = true
	}
}

// Answer ends the open request, if it is the one with this id; 0 is whichever is
// open.
func (d *Desk) Answer(id uint64, how Ending, by Person) bool {
	defer d.tell()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil || id != 0 && d.open.ID != id {
		return false
	}
	d.end(d.open, how, &by)
	return true
}

// Close ends it: calls that wait are told that the browser stops, and nobody can
// ask any more.
func (d *Desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.closed = true
		if d.open != nil {
			d.open.stop()
		}
		close(d.closing)
	}
}
