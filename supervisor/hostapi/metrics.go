package hostapi

import (
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/exposition"
)

// metrics are the host's counters. There are no sandboxes, owners or sessions
// among the labels: their number has no end, and their names are the host's.
type metrics struct {
	starts, ends, minutes, tickets, calls, refusals, takeovers, crashes *exposition.Counter

	startTook *exposition.Histogram
}

func newMetrics() *metrics {
	count := exposition.NewCounter
	return &metrics{
		starts:    count("pillion_browser_starts_total", "Starts of browsers that were not refused, by how they ended.", "result"),
		ends:      count("pillion_browser_ends_total", "Browsers that have ended, by the status that they ended in.", "status"),
		minutes:   count("pillion_browser_minutes_total", "Minutes that the usage recorder has been told."),
		tickets:   count("pillion_tickets_total", "Tickets for the live view, by mode.", "mode"),
		calls:     count("pillion_mcp_requests_total", "Requests of agents that the gateway passed on or refused, by the answer's class.", "status"),
		refusals:  count("pillion_browser_refusals_total", "What the walls around browsers refused, by kind.", "kind"),
		takeovers: count("pillion_takeovers_total", "How often a person took control of a browser."),
		crashes:   count("pillion_browser_crashes_total", "What crashed in browsers.", "what"),
		// A second is usual, a minute is where a start is given up.
		startTook: exposition.NewHistogram("pillion_browser_start_seconds", "How long browsers took to be ready.",
			250*time.Millisecond, 500*time.Millisecond, time.Second, 2*time.Second, 4*time.Second,
			8*time.Second, 15*time.Second, 30*time.Second, time.Minute),
	}
}

// event counts what a browser reports.
func (m *metrics) event(e proto.Event) {
	text := func(key string) string { s, _ := e.Detail[key].(string); return s }
	switch e.Type {
	case proto.EventRefused:
		m.refusals.Add(1, known(text("kind"), "navigation", "connection", "file"))
	case proto.EventCrashed:
		m.crashes.Add(1, known(text("what"), "renderer", "browser"))
	case proto.EventTakeover:
		if held, _ := e.Detail["held"].(bool); held {
			m.takeovers.Add(1)
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

func (m *metrics) write(p *exposition.Page) {
	for _, c := range []*exposition.Counter{m.starts, m.ends, m.minutes, m.tickets, m.calls, m.refusals, m.takeovers, m.crashes} {
		c.Write(p)
	}
	m.startTook.Write(p)
}

// Metrics serves the host's counters in the text format of Prometheus. It asks
// nobody who they are: mount it where your metrics are.
func (h *Host) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", exposition.ContentType)
		io.WriteString(w, h.exposition())
	})
}

// exposition is all metrics as text.
func (h *Host) exposition() string {
	h.mu.Lock()
	now := map[Status]int{}
	for _, s := range h.bySession {
		now[s.show().Status]++
	}
	pending := 0
	for _, e := range h.unsettled {
		if !e.Metered {
			pending += e.Minutes()
		}
	}
	h.mu.Unlock()

	var page exposition.Page
	browsers := exposition.Family{
		Name: "pillion_browsers", Kind: exposition.KindGauge, Help: "Browsers that start or run now.", Labels: []string{"status"},
	}
	page.Head(browsers)
	for _, status := range []Status{Starting, Running} {
		page.Sample(browsers, float64(now[status]), string(status))
	}
	page.Gauge("pillion_browser_minutes_pending", "Minutes that the usage recorder did not take yet.", float64(pending))
	build := exposition.Family{
		Name: "pillion_build_info", Kind: exposition.KindGauge, Help: "Always 1; the version of this library.", Labels: []string{"version"},
	}
	page.Head(build)
	page.Sample(build, 1, proto.Version)
	h.metrics.write(&page)
	return page.String()
}
