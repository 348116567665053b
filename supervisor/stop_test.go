//go:build unix

package supervisor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

func TestStopAsksFirst(t *testing.T) {
	t.Parallel()
	b, p := start(t, "good")
	for !strings.Contains(p.wait("command"), "grease") { // the first of all commands
	}
	if err := stop(t, b); err != nil {
		t.Fatal(err)
	}
	if got := p.wait("command"); got != `{"type":"stop"}` {
		t.Errorf("the stop was %s", got)
	}
	if u := b.Usage(); u.Reason != proto.ReasonCommand || u.Stopped.IsZero() {
		t.Errorf("usage %+v", u)
	}
	if _, open := <-drained(b.Events()); open {
		t.Error("the events are not closed")
	}
}

func drained(events <-chan proto.Event) <-chan proto.Event {
	for range events {
	}
	return events
}

func TestStopIsOneForAllCallers(t *testing.T) {
	t.Parallel()
	b, p := start(t, "good")
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			if err := b.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		callers.Go(func() {
			if err := b.Wait(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if err := stop(t, b); err != nil { // and after the end
		t.Error(err)
	}
	p.waitGone()
}

// A sidecar that doesn't know the stop command gets the signal.
func TestStopTerminatesWhoDoesNotAnswer(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "no-commands")
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
}

func TestStopTerminatesWhoAnswersAndHangs(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "stop-hangs")
	s.StopGrace = 100 * time.Millisecond
	b, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(t, b); err != nil { // it has a fast path
		t.Error(err)
	}
	p.wait("signal")
}

func TestStopKillsWhoIgnoresEverything(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "deaf")
	s.StopGrace = 100 * time.Millisecond
	b, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, stop(t, b), proto.CodeStopForced)
	wantCode(t, b.Wait(t.Context()), proto.CodeStopForced)
	p.waitGone()
}

func TestStopEndsItsPolitenessWithItsContext(t *testing.T) {
	t.Parallel()
	b, p := start(t, "deaf") // with the default grace of ten seconds
	began := time.Now()
	wantCode(t, b.Stop(ctxFor(t, 50*time.Millisecond)), proto.CodeStopForced)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	p.waitGone()
}

func TestABrowserThatStopsItself(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "stops-itself")
	if err := b.Wait(ctxFor(t, patience)); err != nil {
		t.Error(err)
	}
	u := b.Usage()
	if u.Reason != proto.ReasonExpired {
		t.Errorf("reason %q", u.Reason)
	}
	ran := u.Duration()
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
	if again := b.Usage().Duration(); again != ran || u.Stopped.Before(u.Started) {
		t.Errorf("it ran %v, after the stop %v", ran, again)
	}
}

func TestABrowserThatIsKilled(t *testing.T) {
	t.Parallel()
	b, p := start(t, "good")
	syscall.Kill(p.pid(), syscall.SIGKILL)
	e := wantCode(t, b.Wait(ctxFor(t, patience)), proto.CodeSidecarExited)
	if !strings.Contains(e.Message, "signal: killed") {
		t.Errorf("got %q", e.Message)
	}
	wantCode(t, b.Extend(t.Context(), time.Now()), proto.CodeSidecarExited)
	wantCode(t, stop(t, b), proto.CodeSidecarExited)
}

func TestABrowserThatCrashes(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "crashes")
	e := wantCode(t, b.Wait(ctxFor(t, patience)), proto.CodeSidecarExited)
	if !strings.Contains(e.Message, "exit status 2") || !strings.Contains(e.Hint, "panic: all is lost") {
		t.Errorf("got %v", e)
	}
}

func TestWaitGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "good")
	if err := b.Wait(ctxFor(t, time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if !b.Usage().Stopped.IsZero() {
		t.Error("it has ended")
	}
}

// What a sidecar leaves in its process group goes with it, also where it holds
// the output open.
func TestStopTakesTheGroup(t *testing.T) {
	t.Parallel()
	b, p := start(t, "leaves-child")
	child := p.wait("child")
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
	if found := settle(func() string { return processNamed(child) }); found != "" {
		t.Errorf("the child %s is left: %s", child, found)
	}
}
