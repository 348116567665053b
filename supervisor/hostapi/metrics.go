package hostapi

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// metrics are the host's counters. There are no sandboxes, owners or sessions
// among the labels: their number has no end, and their names are the host's.
type metrics struct {
	mu       sync.Mutex
	counters map[series]int
	starts   []int // by bucket of startBuckets, the last for what is longer
	startSum time.Duration
}

// series is a counter with the value of its one label, "" without one.
type series struct{ name, label string }

// The counters.
const (
	countStarts   = "pillion_browser_starts_total"   // by result
	countEnds     = "pillion_browser_ends_total"     // by status
	countMinutes  = "pillion_browser_minutes_total"  // told
	countTickets  = "pillion_tickets_total"          // by mode
	countCalls    = "pillion_mcp_requests_total"     // by the answer's status class
	countRefusals = "pillion_browser_refusals_total" // by kind of what a wall refused
	countTakeover = "pillion_takeovers_total"
	countCrashes  = "pillion_browser_crashes_total" // by what
)

// family describes a metric for its reader.
type family struct{ name, kind, label, help string }

func families() []family {
	return []family{
		{countStarts, "counter", "result", "Starts of browsers that were not refused, by how they ended."},
		{countEnds, "counter", "status", "Browsers that have ended, by the status that they ended in."},
		{countMinutes, "counter", "", "Minutes that the usage recorder has been told."},
		{countTickets, "counter", "mode", "Tickets for the live view, by mode."},
		{countCalls, "counter", "status", "Requests of agents that the gateway passed on or refused, by the answer's class."},
		{countRefusals, "counter", "kind", "What the walls around browsers refused, by kind."},
		{countTakeover, "counter", "", "How often a person took control of a browser."},
		{countCrashes, "counter", "what", "What crashed in browsers."},
	}
}

// startBuckets are the upper bounds of start times: a second is usual, a minute
// is where a start is given up.
func startBuckets() []time.Duration {
	return []time.Duration{
		250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
		8 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute,
	}
}

func newMetrics() *metrics {
	return &metrics{counters: map[series]int{}, starts: make([]int, len(startBuckets())+1)}
}

func (m *metrics) add(name, label string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counters[series{name, label}] += n
}

func (m *metrics) startTook(d time.Duration) {
	i, _ := slices.BinarySearch(startBuckets(), d)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starts[i]++
	m.startSum += d
}

// event counts what a browser reports.
func (m *metrics) event(e proto.Event) {
	text := func(key string) string { s, _ := e.Detail[key].(string); return s }
	switch e.Type {
	case proto.EventRefused:
		m.add(countRefusals, known(text("kind"), "navigation", "connection", "file"), 1)
	case proto.EventCrashed:
		m.add(countCrashes, known(text("what"), "renderer", "browser"), 1)
	case proto.EventTakeover:
		if held, _ := e.Detail["held"].(bool); held {
			m.add(countTakeover, "", 1)
		}
	}
}

// known keeps a label's values few: what a sidecar says is not for us to trust.
func known(value string, values ...string) string {
	if slices.Contains(values, value) {
		return value
	}
	return "other"
}

// Metrics serves the host's counters in the text format of Prometheus. It asks
// nobody who they are: mount it where your metrics are.
func (h *Host) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		io.WriteString(w, h.exposition())
	})
}

// exposition is all metrics as text.
func (h *Host) exposition() string {
	h.mu.Lock()
	now := map[string]int{string(Starting): 0, string(Running): 0}
	for _, s := range h.bySession {
		now[string(s.show().Status)]++
	}
	pending := 0
	for _, e := range h.unsettled {
		if !e.Metered {
			pending += e.Minutes()
		}
	}
	h.mu.Unlock()

	var b strings.Builder
	gauge := family{"pillion_browsers", "gauge", "status", "Browsers that start or run now."}
	gauge.head(&b)
	for _, status := range []Status{Starting, Running} {
		sample(&b, gauge.name, gauge.label, string(status), now[string(status)])
	}
	waiting := family{"pillion_browser_minutes_pending", "gauge", "", "Minutes that the usage recorder did not take yet."}
	waiting.head(&b)
	sample(&b, waiting.name, "", "", pending)
	version := family{"pillion_build_info", "gauge", "version", "Always 1; the version of this library."}
	version.head(&b)
	sample(&b, version.name, version.label, proto.Version, 1)
	h.metrics.write(&b)
	return b.String()
}

func (m *metrics) write(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range families() {
		f.head(b)
		var labels []string
		for _, s := range slices.SortedFunc(maps.Keys(m.counters), func(a, b series) int { return strings.Compare(a.label, b.label) }) {
			if s.name == f.name {
				labels = append(labels, s.label)
			}
		}
		if len(labels) == 0 && f.label == "" {
			labels = []string{""} // a counter without labels is there from the start
		}
		for _, label := range labels {
			sample(b, f.name, f.label, label, m.counters[series{f.name, label}])
		}
	}
	m.writeStarts(b)
}

// writeStarts is the histogram of start times.
func (m *metrics) writeStarts(b *strings.Builder) {
	f := family{"pillion_browser_start_seconds", "histogram", "le", "How long browsers took to be ready."}
	f.head(b)
	sum := 0
	for i, bound := range startBuckets() {
		sum += m.starts[i]
		sample(b, f.name+"_bucket", f.label, strconv.FormatFloat(bound.Seconds(), 'g', -1, 64), sum)
	}
	sum += m.starts[len(m.starts)-1]
	sample(b, f.name+"_bucket", f.label, "+Inf", sum)
	fmt.Fprintf(b, "%s_sum %g\n%s_count %d\n", f.name, m.startSum.Seconds(), f.name, sum)
}

func (f family) head(b *strings.Builder) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
}

func sample(b *strings.Builder, name, label, value string, n int) {
	if label == "" {
		fmt.Fprintf(b, "%s %d\n", name, n)
		return
	}
	fmt.Fprintf(b, "%s{%s=%q} %d\n", name, label, value, n)
}
