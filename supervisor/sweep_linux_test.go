package supervisor

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// shortGrace is what a sidecar gets in these tests before it is killed.
const shortGrace = 50 * time.Millisecond

// hostWith starts a host of that name, with one sidecar that takes no notice of its
// lifeline nor of SIGTERM.
func hostWith(t *testing.T, name string) (die func(), child *probe) {
	t.Helper()
	child, host := newProbe(t), newProbe(t)
	runner := &ExecRunner{Command: os.Args[0], Args: []string{fakeFlag + "host", host.arg()}}
	process, err := runner.Start(t.Context(), []string{"deaf", child.arg(), "named=" + name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endProcess(process); sweep(testContext(), name, shortGrace) })
	if got := host.wait("started"); got != "<nil>" {
		t.Fatal(got)
	}
	pid := host.pidOf(process)
	return func() { syscall.Kill(pid, syscall.SIGKILL); host.waitGone() }, child
}

func (p *probe) lives() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// A host that comes back ends what its last process left and what hangs, and nothing
// that belongs to a living one.
func TestSweep(t *testing.T) {
	t.Parallel()
	name := fmt.Sprint("sweep-", os.Getpid())
	die, left := hostWith(t, name)
	_, another := hostWith(t, name)           // a second process of the host, which lives
	dieToo, foreign := hostWith(t, name+"-2") // which has died as well
	dieToo()

	s, p := fake(t, "good")
	s.Runner = &ExecRunner{Command: s.Command, Args: s.Args, Name: name}
	own, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep(t.Context(), name, shortGrace); err != nil || !left.lives() {
		t.Errorf("with its host alive: %v", err)
	}
	die()
	stopped := left.pid()
	syscall.Kill(stopped, syscall.SIGSTOP) // and can't even die of SIGTERM
	if err := sweep(t.Context(), name, shortGrace); err != nil {
		t.Error(err)
	}
	left.waitGone()
	if !another.lives() || !foreign.lives() {
		t.Error("another host's sidecar is gone")
	}
	if err := own.Revoke(t.Context(), "ada"); err != nil {
		t.Errorf("this process's own: %v", err)
	}
	if err := stop(t, own); err != nil {
		t.Error(err)
	}
	p.waitGone()
	if err := sweep(t.Context(), name+"-2", shortGrace); err != nil {
		t.Error(err)
	}
	foreign.waitGone()
	if err := (&Supervisor{}).Sweep(t.Context()); err != nil {
		t.Errorf("without a name: %v", err)
	}
}

// The number of a dead host's process may be another's by now: even this one's.
func TestSweepTakesNobodyForADeadHost(t *testing.T) {
	t.Parallel()
	name := fmt.Sprint("reused-", os.Getpid())
	s, p := fake(t, "deaf")
	s.Runner = &ExecRunner{Command: s.Command, Args: s.Args, Env: []string{fmt.Sprintf("%s=%d-1-%s", markVariable, os.Getpid(), name)}}
	b, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep(t.Context(), name, shortGrace); err != nil {
		t.Error(err)
	}
	p.waitGone()
	wantCode(t, b.Wait(t.Context()), proto.CodeSidecarExited)
}

func TestHostOf(t *testing.T) {
	t.Parallel()
	for mark, want := range map[string]bool{
		"PILLION_HOST=7-99-shop": true, "A=b\x00PILLION_HOST=7-99-shop\x00": true, "PILLION_HOST=7-99-shop-2": false,
		"PILLION_HOST=7-shop": false, "PILLION_HOST=x-99-shop": false, "PILLION_HOST=": false, "XPILLION_HOST=7-99-shop": false, "": false,
	} {
		host, marked := hostOf([]byte(mark), "shop")
		if marked != want || marked && host != (instance{7, "99"}) {
			t.Errorf("%q: %v, %v", mark, host, marked)
		}
	}
}
