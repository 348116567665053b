package main_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto/exposition"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// metricsOf asks for a sidecar's metrics, with a token or without one.
func metricsOf(t *testing.T, p *apptest.Process, token string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest("GET", strings.TrimSuffix(p.Ready.MCPURL, "/mcp")+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// The sidecar tells what it counts to whoever has the token, where the launch asks
// for it, and nothing in it is a page's, an agent's or a person's word.
func TestMetricsOnRequest(t *testing.T) {
	site, ingest := apptest.Start(t), apptest.NewIngest(t, 0)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "metrics": true, "recording": ingest.Config()}, liveConfig())
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/keys?" + canary})
	if r := p.MCP.Call("browser_navigate", apptest.Args{"url": "http://" + canary + ".test/"}); !r.IsError {
		t.Errorf("off the app: %s", r.Text)
	}
	p.MCP.Call("browser_type", apptest.Args{"target": "#nowhere", "text": canary})
	p.MCP.Call("browser_"+canary, nil)
	d := dashboardOf(t, p, "1", "Ada "+canary)
	d.send(map[string]any{"type": "take_control", "ticket": ticketOf(t, "1", "Ada "+canary, "control")})
	d.await("control", func() bool { return d.control.Yours })
	apptest.Await(t, "recorded events", func() bool { return len(ingest.Events()) > 0 })

	for _, token := range []string{"", strings.Repeat("x", len(apptest.Token))} {
		if answer, body := metricsOf(t, p, token); answer.StatusCode != http.StatusUnauthorized || strings.Contains(body, "pillion_") {
			t.Errorf("with token %q: %d %s", token, answer.StatusCode, body)
		}
	}
	answer, body := metricsOf(t, p, apptest.Token)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != exposition.ContentType {
		t.Fatalf("%d %v %s", answer.StatusCode, answer.Header, body)
	}
	values := map[string]float64{}
	sample := regexp.MustCompile(`^([a-z_]+(?:\{[^{}]*\})?) ([0-9.]+)$`)
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("no sample: %s", line)
			continue
		}
		values[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	for name, want := range map[string]float64{
		`pillion_sidecar_tool_calls_total{tool="browser_navigate",outcome="ok"}`: 1,
		`pillion_sidecar_tool_calls_total{tool="browser_type",outcome="error"}`:  1,
		`pillion_sidecar_tool_call_seconds_bucket{le="+Inf"}`:                    values["pillion_sidecar_tool_call_seconds_count"],
		`pillion_sidecar_refusals_total{kind="navigation"}`:                      1,
		`pillion_sidecar_takeovers_total`:                                        1,
		`pillion_sidecar_page_crashes_total`:                                     0,
		`pillion_sidecar_viewers`:                                                1,
		`pillion_sidecar_chromium_up`:                                            1,
		`pillion_sidecar_tabs`:                                                   1,
		`pillion_sidecar_recording_events_total{state="lost"}`:                   0,
	} {
		if got, there := values[name]; !there || got != want {
			t.Errorf("%s: %v (there: %v), want %v", name, got, there, want)
		}
	}
	moving := []string{
		`pillion_sidecar_tool_call_seconds_sum`, `pillion_sidecar_recording_events_total{state="recorded"}`,
		`pillion_sidecar_egress_bytes_total{direction="in"}`, `go_goroutines`,
	}
	if runtime.GOOS == "linux" {
		moving = append(moving, "process_resident_memory_bytes", "pillion_sidecar_chromium_processes", "pillion_sidecar_chromium_private_bytes")
	}
	for _, name := range moving {
		if values[name] <= 0 {
			t.Errorf("%s: %v", name, values[name])
		}
	}
	for _, secret := range []string{canary, apptest.Token, fmt.Sprint(ingest.Config()["token"]), site.URL()} {
		if strings.Contains(body, secret) {
			t.Errorf("%q is told: %s", secret, body)
		}
	}
}

func TestNoMetricsUnasked(t *testing.T) {
	p := apptest.Sidecar(t, apptest.Config{"app_url": apptest.Start(t).URL()})
	if answer, body := metricsOf(t, p, apptest.Token); answer.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
}
