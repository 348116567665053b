package supervisor

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/proto"
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

func TestAStoppedSidecarIsKilled(t *testing.T) {
	t.Parallel()
	b, p := start(t, "good")
	pid := p.pid()
	syscall.Kill(pid, syscall.SIGSTOP) // hangs, and can't even die of SIGTERM
	// The signal stops one thread after the other; until the last has, the sidecar can answer.
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	wantCode(t, b.Stop(ctxFor(t, 50*time.Millisecond)), proto.CodeStopForced)
	p.waitGone()
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

// Starting and stopping costs nothing for good: neither a descriptor nor a thread.
func TestManyCycles(t *testing.T) { // not parallel: it counts what the whole process holds
	count := func() (descriptors, threads int) {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		tasks, _ := os.ReadDir("/proc/self/task")
		return len(fds), len(tasks)
	}
	s := Supervisor{Command: os.Args[0], Args: []string{fakeFlag + "good"}}
	cycle := func() {
		var group sync.WaitGroup
		for range 4 { // one Supervisor, several browsers at a time
			group.Go(func() {
				b, err := s.Start(t.Context(), testLaunch())
				if err != nil {
					t.Error(err)
					return
				}
				if err := b.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	cycle()
	descriptors, threads := count()
	for range 5 {
		cycle()
	}
	if d, n := count(); d > descriptors || n > threads+4 { // the runtime keeps threads for reuse
		t.Errorf("%d descriptors and %d threads became %d and %d", descriptors, threads, d, n)
	}
}

// A system that can't start another process is not a broken sidecar.
func TestStartOutOfDescriptors(t *testing.T) { // not parallel: the limit is the whole process's
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	tight := syscall.Rlimit{Cur: 3, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &tight); err != nil {
		t.Skip(err)
	}
	_, err := (&Supervisor{Command: os.Args[0]}).Start(t.Context(), testLaunch())
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if e := wantCode(t, err, proto.CodeSpawnFailed); !strings.Contains(e.Message, "too many open files") {
		t.Errorf("got %v", e)
	}
}
