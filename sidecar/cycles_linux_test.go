package main_test

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/supervisor"
)

// cycles is how often the test starts and stops a browser.
const cycles = 20

// TestCyclesLeaveTheHostFlat starts and stops one browser after the other from
// this process, as a host does all day. The second half of the cycles must not
// need more memory, descriptors, threads or goroutines than the first, and
// nothing may be left of any.
func TestCyclesLeaveTheHostFlat(t *testing.T) {
	s := supervisor.Supervisor{Command: apptest.Build(t)}
	dir := apptest.Workdir(t)
	first, second := footprint{}, footprint{}
	for i := range cycles {
		b, err := s.Start(t.Context(), proto.Launch{AppURL: deadApp, Workdir: dir, Token: proto.NewSecret(apptest.Token)})
		if err != nil {
			t.Fatalf("cycle %d: %v", i, err)
		}
		if err := b.Stop(t.Context()); err != nil {
			t.Fatalf("cycle %d: %v", i, err)
		}
		if u := b.Usage(); u.Reason != proto.ReasonCommand {
			t.Errorf("cycle %d: stopped for %q", i, u.Reason)
		}
		// What a failed cycle leaves would be the next one's, too.
		if apptest.LeakCheck(t, dir); t.Failed() {
			t.FailNow()
		}
		now := measure(t)
		if i < cycles/2 {
			first = first.most(now)
		} else {
			second = second.most(now)
		}
	}
	t.Logf("most of the first half %+v, of the second %+v", first, second)
	// Collected memory goes back in pages of the system's own choice.
	const slackKiB = 2 << 10
	if second.files > first.files || second.goroutines > first.goroutines || second.threads > first.threads+1 || second.memoryKiB > first.memoryKiB+slackKiB {
		t.Errorf("it grows: at most %+v in the first half, %+v in the second", first, second)
	}
}

// footprint is what this process holds.
type footprint struct{ memoryKiB, files, threads, goroutines int }

func (f footprint) most(g footprint) footprint {
	return footprint{
		max(f.memoryKiB, g.memoryKiB), max(f.files, g.files), max(f.threads, g.threads), max(f.goroutines, g.goroutines),
	}
}

func measure(t *testing.T) footprint {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	row := func(name string) int {
		for line := range bytes.Lines(status) {
			if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == name+":" {
				n, err := strconv.Atoi(string(f[1]))
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
		t.Fatalf("no %s in %s", name, status)
		return 0
	}
	return footprint{row("VmRSS"), len(files), row("Threads"), runtime.NumGoroutine()}
}
