package container

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// realRunner runs the image that PILLION_TEST_IMAGE names, with the engine of
// this machine; without one the test is skipped.
func realRunner(t *testing.T, network string) *Runner {
	t.Helper()
	image := os.Getenv("PILLION_TEST_IMAGE")
	if image == "" {
		t.Skip("PILLION_TEST_IMAGE names no image: make image-test does")
	}
	r := &Runner{Image: image, Network: network, Name: "test-" + strconv.Itoa(os.Getpid())}
	if exec.Command("docker", "info").Run() != nil {
		r.Engine = "podman"
		if _, err := os.Stat("/run/systemd/system"); err != nil { // its usual runtime needs an init system
			r.EngineArgs = []string{"--runtime", "runc"}
		}
	}
	t.Cleanup(func() {
		if left := r.names(t); left != "" {
			t.Errorf("containers are left: %s", left)
			r.Sweep(context.Background())
		}
	})
	return r
}

// names lists this runner's containers.
func (r *Runner) names(t *testing.T) string {
	t.Helper()
	out, err := r.ask(context.Background(), "ps", "--all", "--format={{.Names}}", "--filter=label="+label+"="+r.Name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func startReal(t *testing.T, r *Runner, appURL string) *supervisor.Browser {
	t.Helper()
	s := supervisor.Supervisor{Runner: r}
	browser, err := s.Start(context.Background(), proto.Launch{AppURL: appURL, Live: &proto.Live{SessionID: "s", Origins: []string{"http://127.0.0.1:1"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { browser.Stop(context.Background()) })
	return browser
}

func call(t *testing.T, b *supervisor.Browser, body string) (int, string) {
	t.Helper()
	r, _ := http.NewRequest("POST", b.MCPURL(), strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+b.MCPToken().Reveal())
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// A browser in a container of its own network is reached at its published
// port, has few rights, and is gone when it is stopped.
func TestRealContainer(t *testing.T) {
	r := realRunner(t, "")
	b := startReal(t, r, "http://127.0.0.1:3000")
	if status, text := call(t, b, initialize); status != 200 || !strings.Contains(text, "serverInfo") {
		t.Errorf("got %d %s", status, text)
	}
	if f := b.Ready().Features; !f.Sandbox {
		t.Errorf("features %+v", f)
	}
	out, err := r.ask(context.Background(), "inspect", r.names(t))
	if err != nil || strings.Contains(out, b.MCPToken().Reveal()) || !strings.Contains(out, `"ReadonlyRootfs": true`) {
		t.Errorf("inspect: %v %s", err, out)
	}
	if err := b.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// With this machine's network it opens an app on loopback.
func TestRealContainerOpensTheApp(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<h1>Hello from the host</h1>") }))
	defer app.Close()
	r := realRunner(t, "host")
	b := startReal(t, r, app.URL)
	address := b.MCPURL()
	session := ""
	for _, body := range []string{initialize, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_navigate","arguments":{"url":"/"}}}`} {
		request, _ := http.NewRequest("POST", address, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+b.MCPToken().Reveal())
		request.Header.Set("Mcp-Session-Id", session)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if session != "" && !strings.Contains(string(text), "Hello from the host") {
			t.Errorf("got %s", text)
		}
		session = response.Header.Get("Mcp-Session-Id")
	}
}

// A container whose client is killed loses its lifeline, and ends by itself.
func TestRealContainerEndsWithItsClient(t *testing.T) {
	r := realRunner(t, "")
	p, err := r.Start(context.Background(), []string{"serve"}, []byte(`{"token":"aabrw_0123456789abcdefghijkmnopqrstuvwxy","app_url":"http://127.0.0.1:3000","lifeline":true}`))
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, p.Stderr())
	line := make([]byte, 1)
	if _, err := p.Stdout().Read(line); err != nil { // the ready line comes
		t.Fatal(err)
	}
	go io.Copy(io.Discard, p.Stdout())
	client := p.(*container)
	pid, _ := strconv.Atoi(client.Process.ID())
	syscall.Kill(pid, syscall.SIGKILL)
	for deadline := time.Now().Add(patience); r.names(t) != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the container lives")
		}
	}
	p.Wait()
	p.Stdin().Close()
	p.Stdout().Close()
	p.Stderr().Close()
}

// The next process of a host removes the containers that the last one left, and none of
// its own.
func TestRealSweep(t *testing.T) {
	r := realRunner(t, "")
	b := startReal(t, r, "http://127.0.0.1:3000")
	if err := r.Sweep(context.Background()); err != nil || r.names(t) == "" {
		t.Errorf("its own: %v, left %q", err, r.names(t))
	}
	next := &Runner{Image: r.Image, Engine: r.Engine, EngineArgs: r.EngineArgs, Name: r.Name}
	if err := next.Sweep(context.Background()); err != nil || r.names(t) != "" {
		t.Errorf("another process's: %v, left %q", err, r.names(t))
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if b.Wait(ctx); ctx.Err() != nil {
		t.Error("its client lives")
	}
}

// A start that can't succeed says what the engine said.
func TestRealImageMissing(t *testing.T) {
	r := realRunner(t, "")
	r.Image = "pillion-no-such-image"
	s := supervisor.Supervisor{Runner: r}
	_, err := s.Start(context.Background(), proto.Launch{AppURL: "http://127.0.0.1:3000"})
	if err == nil || !strings.Contains(err.Error(), "pillion-no-such-image") {
		t.Errorf("got %v", err)
	}
}

func TestRealDoctor(t *testing.T) {
	r := realRunner(t, "")
	checks, err := (&supervisor.Supervisor{Runner: r}).Doctor(context.Background())
	if err != nil || len(checks) < 3 {
		t.Errorf("got %v, %v", checks, err)
	}
	for _, c := range checks {
		t.Log(c)
	}
}
