package supervisor

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// ackTimeout is how long a sidecar may take to say that it heard the stop
	// command; one that is not busy dying says so within milliseconds, one that
	// doesn't know the command never does.
	ackTimeout = 3 * time.Second

	// fastGrace is for the fast path that a sidecar takes when it is signalled
	// while it stops: Chromium killed, directories removed.
	fastGrace = 2 * time.Second

	// drainGrace is for the last lines in the pipes of a process that has
	// ended. They end with it, unless something that it left holds them open.
	drainGrace = time.Second
)

// stopCommand asks for the ordinary stop; its answer is the event of the stop.
const stopCommand = `{"type":"` + proto.CommandStop + `"}`

// stopPlan is how to end a sidecar: ask, terminate, kill.
type stopPlan struct {
	polite bool          // ask with a command first
	grace  time.Duration // from its answer, or from the signal, to the next step
}

// run owns the sidecar's process: it starts what reads and writes its streams,
// takes it through its stop, and returns when nothing of it is left.
func (b *Browser) run() {
	var streams sync.WaitGroup
	over := make(chan struct{}) // the process has ended
	streams.Go(func() {
		defer b.filming.close()
		b.readOutput(b.process.Stdout())
	})
	if b.filming != nil {
		streams.Go(b.fetchFilms)
	}
	streams.Go(func() { b.tail.read(b.process.Stderr()) })
	streams.Go(func() { b.commands.run(over) })
	exited := make(chan error, 1)
	streams.Go(func() { exited <- b.process.Wait() })

	killed, status := b.supervise(exited)
	close(over)
	b.process.Stdin().Close()
	b.drain(&streams)
	b.finish(killed, status)
}

// supervise waits for the process to end, and makes it end when that is asked
// for. killed is how long it had resisted when it had to be killed, else 0.
func (b *Browser) supervise(exited <-chan error) (killed time.Duration, status error) {
	var plan stopPlan
	select {
	case status = <-exited:
		return 0, status
	case plan = <-b.stopAsked:
	case <-b.stopping: // by its own decision; it still has to come to an end
		plan = stopPlan{polite: true, grace: b.grace}
	}
	asked := time.Now()
	wait := func(d time.Duration, or <-chan struct{}) (done bool) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case status = <-exited:
			return true
		case <-or:
		case <-b.killNow:
		case <-timer.C:
		}
		return false
	}
	terminate := func() {
		if !b.signal("terminate", b.process.Terminate) {
			b.process.Stdin().Close() // the next best way to tell it; both at once would read as impatience
		}
	}

	heard := false
	if plan.polite && b.commands.mute == "" {
		b.commands.post([]byte(stopCommand))
		if wait(ackTimeout, b.stopping) {
			return 0, status
		}
		heard = isClosed(b.stopping)
	}
	if !heard {
		terminate()
	}
	if wait(plan.grace, nil) {
		return 0, status
	}
	if heard {
		terminate()
		if wait(fastGrace, nil) {
			return 0, status
		}
	}
	killed = time.Since(asked)
	b.signal("kill", b.process.Kill)
	return killed, <-exited
}

func (b *Browser) signal(verb string, send func() error) (sent bool) {
	b.log.Debug("signalling the sidecar", "signal", verb)
	err := send()
	if err != nil {
		b.log.Warn("sidecar could not be signalled", "signal", verb, "error", err)
	}
	return err == nil
}

// drain lets the readers come to the end of the streams.
func (b *Browser) drain(streams *sync.WaitGroup) {
	cut := time.AfterFunc(drainGrace, func() {
		b.process.Stdout().Close()
		b.process.Stderr().Close()
		b.filming.giveUp()
	})
	streams.Wait()
	cut.Stop()
	b.process.Stdout().Close()
	b.process.Stderr().Close()
}

// readOutput takes the ready line and then events from the sidecar's standard
// output, to its end, whatever comes.
func (b *Browser) readOutput(output io.Reader) {
	lines := proto.NewLineReader(output)
	line, err := lines.Next()
	switch {
	case err == nil:
		ready, err := parseReady([]byte(b.tail.mask.mask(string(line))), b.expect)
		b.mu.Lock()
		b.port = ready.Port
		b.usage.Started = time.Now() // here, so that no event can be older
		b.mu.Unlock()
		b.handshake <- handshake{ready, err}
	case errors.Is(err, proto.CodeMessageTooLong):
		b.handshake <- handshake{err: notReady(err)}
	default:
		b.handshake <- handshake{err: io.EOF}
		return
	}
	for {
		line, err := lines.Next()
		if err != nil && !errors.Is(err, proto.CodeMessageTooLong) {
			return
		}
		var event proto.Event
		if err == nil {
			event, err = proto.DecodeEvent(line)
		}
		if err != nil {
			b.log.Debug("ignored a line on the sidecar's standard output", "error", err)
			continue
		}
		b.note(event)
		if event.Type == proto.EventFilm && b.filming != nil {
			b.filming.told(event)
		}
		if !b.commands.answered(event) {
			b.deliver(event)
		}
	}
}

// note takes from an event what the supervisor itself must know.
func (b *Browser) note(event proto.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event.Type {
	case proto.EventStopping:
		if !isClosed(b.stopping) {
			close(b.stopping)
		}
	case proto.EventStopped:
		if b.usage.Stopped.IsZero() {
			b.usage.Stopped = time.Now()
		}
	default:
		return
	}
	if b.usage.Reason == "" {
		b.usage.Reason = b.tail.mask.mask(event.Reason)
	}
}

// deliver hands an event to whoever reads them, and drops the oldest where
// nobody does. Only this function, on one goroutine, sends to b.events.
func (b *Browser) deliver(event proto.Event) {
	for {
		select {
		case b.events <- event:
			return
		default:
		}
		select {
		case <-b.events:
			b.mu.Lock()
			b.usage.EventsLost++
			b.mu.Unlock()
		default: // a reader was faster
		}
	}
}

// finish settles how the browser ended.
func (b *Browser) finish(killed time.Duration, status error) {
	how := "exit status 0"
	if status != nil {
		how = status.Error()
	}
	b.mu.Lock()
	if b.usage.Stopped.IsZero() {
		b.usage.Stopped = time.Now()
	}
	switch {
	case killed > 0:
		b.err = forced(killed, b.tail)
	case status != nil:
		b.err = gone(how, b.usage.Reason, b.tail)
	}
	if b.usage.Reason == "" {
		b.usage.Reason = how
	}
	usage, err := b.usage, b.err
	b.mu.Unlock()
	// Before anybody learns of the end: afterwards nothing happens here.
	b.log.Info("browser ended", "reason", usage.Reason, "ran", usage.Duration().Round(time.Millisecond), "error", err)
	close(b.events)
	close(b.ended)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
