package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/exposition"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/httpd"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
	"github.com/pillion-browser/pillion/sidecar/internal/mcp"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// metrics are what the session counts for /metrics. The values of labels are words
// of ours: the name of a tool that is offered, and nothing that a page, an agent or
// a person chose.
type metrics struct {
	calls, refusals, crashes, takeovers *exposition.Counter

	took *exposition.Histogram
}

func newMetrics() *metrics {
	return &metrics{
		calls:     exposition.NewCounter("pillion_sidecar_tool_calls_total", "Tool calls that ran, by tool and how they ended.", "tool", "outcome"),
		refusals:  exposition.NewCounter("pillion_sidecar_refusals_total", "What the walls around the browser refused, by kind.", "kind"),
		crashes:   exposition.NewCounter("pillion_sidecar_page_crashes_total", "Pages that crashed."),
		takeovers: exposition.NewCounter("pillion_sidecar_takeovers_total", "How often a person took control."),
		// Reading a page takes tenths of a second; an action settles within seconds; a
		// call is given up after a minute.
		took: exposition.NewHistogram("pillion_sidecar_tool_call_seconds", "How long tool calls took.",
			50*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond,
			time.Second, 2500*time.Millisecond, 5*time.Second, 10*time.Second, 30*time.Second, time.Minute),
	}
}

// serveMetrics counts what happens from now on, and serves it, where the launch
// asks for that.
func (s *session) serveMetrics(calls *mcp.Options, listen *httpd.Options) {
	if !s.launch.Metrics {
		return
	}
	m := newMetrics()
	next := calls.OnCall
	calls.OnCall = func(c mcp.CallRecord) {
		m.calls.Add(1, c.Tool, string(c.Outcome))
		m.took.Observe(c.Duration)
		next(c)
	}
	s.events.Listen(m.happened)
	listen.Metrics = func() string { return s.exposition(m) }
}

func (m *metrics) happened(e event.Event) {
	switch e.Kind {
	case event.Refused:
		m.refusals.Add(float64(1+e.Refusal().Unreported), e.Refusal().Kind)
	case event.Crashed:
		m.crashes.Add(1)
	case event.Takeover:
		if e.Detail["held"] == "true" && e.Detail["why"] == string(takeover.Taken) {
			m.takeovers.Add(1)
		}
	}
}

// exposition is the page at this moment.
func (s *session) exposition(m *metrics) string {
	var page exposition.Page
	build := exposition.Family{
		Name: "pillion_sidecar_build_info", Kind: exposition.KindGauge, Labels: []string{"version", "chromium"},
		Help: "Always 1; the sidecar's version and Chromium's.",
	}
	page.Head(build)
	page.Sample(build, 1, proto.Version, s.browser.Version())
	m.calls.Write(&page)
	m.took.Write(&page)
	m.refusals.Write(&page)
	m.crashes.Write(&page)
	m.takeovers.Write(&page)

	viewers, watched := 0, time.Duration(0)
	if v := s.live.Load(); v != nil {
		viewers, watched = v.hub.Viewers(), v.hub.Watched()
	}
	page.Gauge("pillion_sidecar_viewers", "People who watch the live view now.", float64(viewers))
	page.Count("pillion_sidecar_watched_seconds_total", "How long somebody has watched.", watched.Seconds())

	stats := s.proxy.Stats()
	traffic := exposition.Family{
		Name: "pillion_sidecar_egress_bytes_total", Kind: exposition.KindCounter, Labels: []string{"direction"},
		Help: "What pages loaded (in) and sent (out) through the egress proxy.",
	}
	page.Head(traffic)
	page.Sample(traffic, float64(stats.BytesDown), "in")
	page.Sample(traffic, float64(stats.BytesUp), "out")

	if s.recorder != nil {
		r := s.recorder.Report()
		recorded := exposition.Family{
			Name: "pillion_sidecar_recording_events_total", Kind: exposition.KindCounter, Labels: []string{"state"},
			Help: "Events of the recording: recorded, and of these delivered or lost; invalid ones of pages are in none of them.",
		}
		page.Head(recorded)
		page.Sample(recorded, float64(r.Sent), "delivered")
		page.Sample(recorded, float64(r.Invalid), "invalid")
		page.Sample(recorded, float64(r.Lost()), "lost")
		page.Sample(recorded, float64(r.Recorded), "recorded")
	}
	s.memory(&page)
	return page.String()
}

// memory tells what the session takes of the machine. What the system does not tell
// is left out.
func (s *session) memory(page *exposition.Page) {
	up, tabs := 1.0, len(s.browser.Tabs())
	all, err := proc.List()
	chromium := proc.Tree(all, s.process.PID())
	if s.browser.Err() != nil {
		up, tabs, chromium = 0, 0, nil // and its number may be somebody else's by now
	}
	page.Gauge("pillion_sidecar_chromium_up", "1 while Chromium lives, then 0.", up)
	page.Gauge("pillion_sidecar_tabs", "Tabs that are open.", float64(tabs))
	if err == nil {
		bytes := 0.0
		for _, p := range chromium {
			own, _ := memoryOf(p.PID, "RssAnon") // it may be gone
			bytes += own
		}
		page.Gauge("pillion_sidecar_chromium_processes", "Chromium's processes.", float64(len(chromium)))
		page.Gauge("pillion_sidecar_chromium_private_bytes", "Memory that Chromium's processes share with nobody.", bytes)
	}
	if own, ok := memoryOf(os.Getpid(), "VmRSS"); ok {
		page.Gauge("process_resident_memory_bytes", "Memory of the sidecar itself.", own)
	}
	page.Gauge("go_goroutines", "Goroutines of the sidecar.", float64(runtime.NumGoroutine()))
}

// memoryOf is a field of a process's status, in bytes.
func memoryOf(pid int, field string) (bytes float64, ok bool) {
	status, err := proc.Status(pid)
	if err != nil {
		return 0, false
	}
	kib, err := strconv.Atoi(strings.TrimSuffix(status[field], " kB"))
	return float64(kib << 10), err == nil
}
