package supervisor

import (
	"os"
	"syscall"
	"testing"
)

// A sidecar that hangs sees no end of a lifeline; the kernel's signal ends it.
func TestTheHostDiesAndItsSidecarHangs(t *testing.T) {
	t.Parallel()
	child := newProbe(t)
	host := newProbe(t)
	runner := &ExecRunner{Command: os.Args[0], Args: []string{fakeFlag + "host", host.arg()}}
	process, err := runner.Start(t.Context(), []string{"deaf", child.arg(), "with-death-signal"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer endProcess(process)
	if got := host.wait("started"); got != "<nil>" {
		t.Fatal(got)
	}
	syscall.Kill(host.pidOf(process), syscall.SIGKILL)
	child.waitGone()
}

// With a death signal the child must outlive the thread that happened to start it.
func TestTheDeathSignalIsTheProcessesNotAThreads(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "good")
	s.Runner = &ExecRunner{Command: s.Command, Args: s.Args, ParentDeathSignal: syscall.SIGKILL}
	b, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	for range 50 { // each of these ends its thread
		done := make(chan struct{})
		go func() { defer close(done); lockThread() }()
		<-done
	}
	if err := b.Revoke(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
	p.waitGone()
}
