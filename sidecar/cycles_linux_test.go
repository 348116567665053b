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

// TestCyclesLeaveTheHostFlat starts and stops one browser after the other from
// this process, as a host does all day. The second half of the cycles must not
// need more memory, descriptors, threads or goroutines than the first, and
// nothing may be left of any.
func TestCyclesLeaveTheHostFlat(t *testing.T) {
	s := supervisor.Supervisor{Command: apptest.Build(t)}
	dir := apptest.Workdir(t)
	cycles := times(20, 20, 200)
	first, second := footprint{}, footprint{}
	var memory []float64
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
		now := measure(t, "self")
		memory = append(memory, float64(now.memoryKiB))
		if i < cycles/2 {
			first = first.most(now)
		} else {
			second = second.most(now)
		}
	}
	sum(t, "%d cycles: descriptors %d at first, %d later; threads %d, %d; goroutines %d, %d; RSS %d KiB, %d KiB, slope %+.1f KiB a cycle",
		cycles, first.files, second.files, first.threads, second.threads, first.goroutines, second.goroutines, first.memoryKiB, second.memoryKiB, slope(memory[cycles/4:]))
	// Collected memory goes back in pages of the system's own choice.
	const slackKiB = 2 << 10
	if second.files > first.files || second.goroutines > first.goroutines || second.threads > first.threads+1 || second.memoryKiB > first.memoryKiB+slackKiB {
		t.Errorf("it grows: at most %+v in the first half, %+v in the second", first, second)
	}
}

// TestALongSessionStaysFlat works in one browser for long: pages, pictures, tabs
// and requests. The sidecar holds in the second half no more than in the first.
func TestALongSessionStaysFlat(t *testing.T) {
	t.Parallel()
	rounds := times(4, 8, 150)
	site, ingest := apptest.Start(t), apptest.NewIngest(t, 0)
	p := apptest.Sidecar(t, liveConfig(), apptest.Config{"app_url": site.URL(), "recording": ingest.Config()})
	p.MCP.Initialize()
	first, second := footprint{}, footprint{}
	var memory []float64
	for i := range rounds {
		for _, path := range []string{"/form", "/frames", "/popups?auto=3", "/orders"} {
			p.MCP.Must("browser_navigate", apptest.Args{"url": path})
			p.MCP.Must("browser_take_screenshot", nil)
		}
		p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/lab"})
		p.MCP.Must("browser_evaluate", apptest.Args{"function": "async () => { for (let i = 0; i < 20; i++) { console.log(i); await fetch('/api/echo?' + i).then((r) => r.text()) } }"})
		for range 10 { // as many as there are
			if p.MCP.Call("browser_tabs", apptest.Args{"action": "close", "index": 1}).IsError {
				break
			}
		}
		now := measure(t, strconv.Itoa(p.PID))
		memory = append(memory, float64(now.memoryKiB))
		if i < rounds/2 {
			first = first.most(now)
		} else {
			second = second.most(now)
		}
	}
	sum(t, "%d rounds of work: descriptors of the sidecar %d at first, %d later; threads %d, %d; RSS %d KiB, %d KiB, slope %+.1f KiB a round",
		rounds, first.files, second.files, first.threads, second.threads, first.memoryKiB, second.memoryKiB, slope(memory[rounds/4:]))
	// Go's heap may double between two collections, and its connections come and go.
	const slackKiB, slackFiles = 16 << 10, 4
	if second.files > first.files+slackFiles || second.threads > first.threads+slackFiles || second.memoryKiB > first.memoryKiB+slackKiB {
		t.Errorf("it grows: at most %+v in the first half, %+v in the second", first, second)
	}
}

// slope is what a row of figures grows by from one to the next: that of the line
// through them with the smallest squares.
func slope(y []float64) float64 {
	n := float64(len(y))
	var sx, sy, sxx, sxy float64
	for i, v := range y {
		x := float64(i)
		sx, sy, sxx, sxy = sx+x, sy+v, sxx+x*x, sxy+x*v
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// footprint is what a process holds; goroutines are this one's.
type footprint struct{ memoryKiB, files, threads, goroutines int }

func (f footprint) most(g footprint) footprint {
	return footprint{
		max(f.memoryKiB, g.memoryKiB), max(f.files, g.files), max(f.threads, g.threads), max(f.goroutines, g.goroutines),
	}
}

// measure looks at a process, by its number or as "self".
func measure(t *testing.T, process string) footprint {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("/proc/" + process + "/fd")
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
