package main_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// watchedFor is as long as a window of measuring: seconds smooth out what
// Chromium does now and then.
const watchedFor = 4 * time.Second

// BenchmarkProcessors measures what a session takes of the processors while its
// page moves: without a live view, with one that nobody looks at, and with a
// viewer.
func BenchmarkProcessors(b *testing.B) {
	site := apptest.Start(b)
	for _, c := range []struct {
		name    string
		config  []apptest.Config
		viewers int
	}{
		{"without", nil, 0},
		{"unwatched", []apptest.Config{liveConfig()}, 0},
		{"watched", []apptest.Config{liveConfig()}, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := apptest.Sidecar(b, append(c.config, apptest.Config{"app_url": site.URL()})...)
			p.MCP.Initialize()
			p.MCP.Must("browser_navigate", apptest.Args{"url": "/moving"})
			for range c.viewers {
				dashboardOf(b, p, "1", "Ada")
			}
			time.Sleep(watchedFor / 2) // the start is not what is measured
			for b.Loop() {
				before, begin := ticks(b, p.PID), time.Now()
				time.Sleep(watchedFor)
				used := time.Duration(ticks(b, p.PID)-before) * tick
				b.ReportMetric(100*used.Seconds()/time.Since(begin).Seconds(), "%-of-a-core")
			}
		})
	}
}

// tick is the kernel's unit of a process's time.
const tick = 10 * time.Millisecond

// ticks is what a process and all that it started have used.
func ticks(b *testing.B, pid int) (sum int) {
	b.Helper()
	all, err := proc.List()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range proc.Tree(all, pid) {
		row, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/stat")
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(row[strings.LastIndexByte(string(row), ')')+1:]))
		for _, n := range fields[11:13] { // user and system time
			used, err := strconv.Atoi(n)
			if err != nil {
				b.Fatal(err)
			}
			sum += used
		}
	}
	return sum
}
