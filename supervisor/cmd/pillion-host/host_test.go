package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/supervisor/dashboard"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// patience bounds every wait; it is never the expected time.
const patience = 30 * time.Second

func TestCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"-help", exitOK, "usage: pillion-host", ""},
		{"-nonsense", exitUsage, "", "-nonsense"},
		{"more", exitUsage, "", `no argument "more"`},
		{"-shell -full", exitUsage, "", "exclude each other"},
		{"-addr 0.0.0.0:0", exitUsage, "", "loopback"},
		{"-addr example.com:80", exitUsage, "", "loopback"},
		{"-addr nothing", exitUsage, "", "-addr"},
		{"-sidecar x -backend y", exitUsage, "", "exclude each other"},
		{"-backend /nowhere/backend.json", exitFailed, "", "/nowhere/backend.json"},
		{"-once -sidecar /nowhere/sidecar", exitFailed, "app: ", `"/nowhere/sidecar" does not exist`},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr)
		if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: exit %d\nstdout: %s\nstderr: %s", test.args, code, &stdout, &stderr)
		}
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "kept")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-once", "-out", out, "-sidecar", fakeCommand(t)}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit %d\n%s%s", code, &stdout, &stderr)
	}
	text := stdout.String()
	picture := filepath.Join(out, screenshotFile)
	for _, part := range []string{"as browser:", `the password into textbox "Password"`, "  | ", "Grace Hopper",
		"screenshot: " + picture} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if !strings.HasSuffix(text, "\nagent finished: order confirmed\n") || strings.Contains(text, "correct horse") {
		t.Errorf("got\n%s", text)
	}
	if got, err := os.ReadFile(picture); err != nil || !bytes.HasPrefix(got, []byte("\x89PNG")) {
		t.Errorf("screenshot %q, %v", got, err)
	}
}

// The host stays up until it is told to stop, and shows what happened.
func TestServeUntilStopped(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	read, write := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"-demo", "-sidecar", fakeCommand(t)}, write, io.Discard)
		write.Close()
	}()
	host := ""
	lines := bufio.NewScanner(read)
	for lines.Scan() && lines.Text() != "agent finished: order confirmed" {
		if url, ok := strings.CutPrefix(lines.Text(), "host:"); ok {
			host = strings.TrimSpace(url)
		}
	}
	text := get(t, host+"/dashboard/state.json", http.StatusOK)
	var st struct {
		Sandboxes []hostapi.Shown
		Agent     dashboard.Agent
		Minutes   int
	}
	if err := json.Unmarshal([]byte(text), &st); err != nil || len(st.Sandboxes) != 1 || st.Sandboxes[0].Browser.Status != hostapi.Running ||
		st.Agent.Status != "finished" || st.Agent.Outcome != "order confirmed" || len(st.Agent.Steps) != 12 {
		t.Errorf("state %s, %v", text, err)
	}
	for _, address := range []string{"/", "/dashboard/state.json", "/api/sandboxes", "/api/sandboxes/shop/browser", "/metrics"} {
		if strings.Contains(get(t, host+address, http.StatusOK), "aabrw_") {
			t.Errorf("%s shows the token", address)
		}
	}
	if got := get(t, host+st.Agent.Screenshot, http.StatusOK); !strings.HasPrefix(got, "\x89PNG") {
		t.Errorf("screenshot %q", got)
	}
	get(t, host+"/nowhere", http.StatusNotFound)

	interrupt()
	go io.Copy(io.Discard, read)
	select {
	case code := <-done:
		if code != exitOK {
			t.Errorf("exit %d", code)
		}
	case <-time.After(patience):
		t.Fatal("the host did not stop")
	}
	if _, err := http.Get(host); err == nil {
		t.Error("the page is still served")
	}
}

func get(t *testing.T, url string, want int) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != want {
		t.Errorf("%s: %s", url, response.Status)
	}
	return string(body)
}

func TestTheGuardRefusesOtherNames(t *testing.T) {
	t.Parallel()
	status, usage := &status{}, &hostapi.MemoryUsage{}
	host, doctor, err := newHost(options{}, "http://127.0.0.1:1", "127.0.0.1:2", usage, status, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	url, stop, err := listen("127.0.0.1:0", newSite(host, usage, status, nil, doctor))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	defer http.DefaultClient.CloseIdleConnections()
	for host, want := range map[string]int{
		"rebound.example:80": http.StatusForbidden, "10.0.0.1": http.StatusForbidden, "": http.StatusOK,
		"localhost:9": http.StatusOK, "[::1]:9": http.StatusOK, "127.0.0.1": http.StatusOK,
	} {
		request, _ := http.NewRequest(http.MethodGet, url+"/dashboard/state.json", nil)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("host %q: %d, want %d", host, response.StatusCode, want)
		}
	}
	// Whom a proxy brings from elsewhere.
	for _, path := range []string{"/", "/dashboard/state.json", "/api/sandboxes", "/live/shop/", "/metrics", screenshotPath} {
		request, _ := http.NewRequest(http.MethodGet, url+path, nil)
		request.Header.Set("X-Forwarded-For", "192.0.2.7")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s for a stranger behind a proxy: %s", path, response.Status)
		}
	}
}
