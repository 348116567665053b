package hostapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// scrape reads the metrics as Prometheus does, and fails on a line that it
// would not take.
func scrape(t *testing.T, b *bench) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	b.host.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("content type %q", kind)
	}
	line := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\.)*"\})? ([0-9.e+-]+)$`)
	typed, values := map[string]string{}, map[string]float64{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		text := lines.Text()
		if rest, ok := strings.CutPrefix(text, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			typed[name] = kind
			continue
		}
		if strings.HasPrefix(text, "# HELP ") {
			continue
		}
		m := line.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("no sample: %s", text)
			continue
		}
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(m[1], "_bucket"), "_sum"), "_count")
		if typed[m[1]] == "" && typed[base] != "histogram" {
			t.Errorf("%s has no type before it", m[1])
		}
		if _, twice := values[m[1]+m[2]]; twice {
			t.Errorf("%s is there twice", m[1]+m[2])
		}
		values[m[1]+m[2]], _ = strconv.ParseFloat(m[3], 64)
	}
	return values
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := scrape(t, b)
	if before[`pillion_browsers{status="running"}`] != 0 || before["pillion_browser_minutes_total"] != 0 {
		t.Errorf("before: %v", before)
	}
	started, s := b.start("")
	b.do("POST", "/mcp/"+b.sessionOf(started), call)
	b.do("POST", "/mcp/nothing", call)
	b.do("POST", "/mcp/"+b.sessionOf(started), call, header{"Origin": b.server.URL})
	b.do("POST", ticketsPath, "")
	b.do("POST", ticketsPath, `{"mode":"control"}`)
	for _, event := range []string{
		`"refused","detail":{"kind":"connection"}`, `"refused","detail":{"kind":"\"} 1\nevil 2"}`, `"takeover","detail":{"held":true}`,
		`"takeover","detail":{"held":false}`, `"crashed","detail":{"what":"renderer"}`, `"new"`,
	} {
		fmt.Fprintf(s.say, `{"at":1,"type":%s}`+"\n", event)
	}
	await(t, "events", func() bool { return scrape(t, b)[`pillion_browser_crashes_total{what="renderer"}`] == 1 })
	if running := scrape(t, b)[`pillion_browsers{status="running"}`]; running != 1 {
		t.Errorf("running: %v", running)
	}
	b.clock.add(90 * time.Second)
	b.do("DELETE", browserPath, "")
	b.backend.refuse = io.ErrUnexpectedEOF
	b.do("POST", browserPath, "")
	got := scrape(t, b)
	for name, want := range map[string]float64{
		`pillion_browsers{status="running"}`:                0,
		`pillion_browser_starts_total{result="running"}`:    1,
		`pillion_browser_starts_total{result="failed"}`:     1,
		`pillion_browser_ends_total{status="stopped"}`:      1,
		`pillion_browser_minutes_total`:                     2,
		`pillion_browser_minutes_pending`:                   0,
		`pillion_tickets_total{mode="view"}`:                1,
		`pillion_tickets_total{mode="control"}`:             1,
		`pillion_mcp_requests_total{status="2xx"}`:          1,
		`pillion_mcp_requests_total{status="4xx"}`:          2,
		`pillion_browser_refusals_total{kind="connection"}`: 1,
		`pillion_browser_refusals_total{kind="other"}`:      1,
		`pillion_takeovers_total`:                           1,
		`pillion_browser_start_seconds_count`:               1,
		`pillion_browser_start_seconds_bucket{le="+Inf"}`:   1,
		`pillion_browser_start_seconds_bucket{le="60"}`:     1,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
}

// spans is a tracer that notes what it is told.
type spans struct {
	mu  sync.Mutex
	log []string
}

type span struct {
	*spans
	name string
}

type parentKey struct{}

func (s *spans) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, hostapi.Span) {
	if parent, _ := ctx.Value(parentKey{}).(string); parent != "" {
		name = parent + ">" + name
	}
	for _, a := range attrs {
		if a.Key == "mode" {
			name += " " + a.Value.String()
		}
	}
	return ctx, span{s, name}
}

func (s span) End(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprint(s.name, " ", err))
}

func TestTraces(t *testing.T) {
	t.Parallel()
	tracer := &spans{}
	var log bytes.Buffer
	b := newBench(t, func(_ *bench, o *hostapi.Options) {
		o.Tracer, o.Log = tracer, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	ctx := context.WithValue(context.Background(), parentKey{}, "request")
	shown, err := b.host.Start(ctx, hostapi.Identity{Owner: owner}, "s1", hostapi.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	session := strings.TrimPrefix(*shown.ServerKey, "browser:")
	b.do("POST", ticketsPath, "")
	b.do("POST", "/mcp/"+session, call)
	b.do("DELETE", browserPath, "")
	want := []string{"request>browser.start headless <nil>", "browser.ticket view <nil>", "browser.mcp <nil>", "request>browser.stop <nil>"}
	if diff := cmp.Diff(want, tracer.log); diff != "" {
		t.Error(diff)
	}
	for _, line := range strings.Split(strings.TrimSpace(log.String()), "\n") {
		if !strings.Contains(line, "sandbox=s1") || !strings.Contains(line, "session="+session) {
			t.Errorf("a line without sandbox and session: %s", line)
		}
	}
	if token := b.backend.last().token(); strings.Contains(log.String(), token) {
		t.Error("the token is logged")
	}
}
