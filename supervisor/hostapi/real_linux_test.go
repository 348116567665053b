package hostapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// signInPage is an app that knows its visitor by a cookie and an item of
// localStorage, and takes a first visitor's name.
const signInPage = `<!doctype html><title>App</title><p id=who></p><button onclick="
	document.cookie = 'user=ada; max-age=3600'; localStorage.setItem('theme', 'dark'); show()">Sign in</button>
<script>function show() { who.textContent = 'cookie ' + document.cookie + ', theme ' + localStorage.getItem('theme') }; show()</script>`

// The whole way with a real browser: a start by the API, an agent through the
// gateway, a person with a ticket, a sign-in that the next browser has, and a
// stop that leaves nothing.
func TestReal(t *testing.T) {
	sidecar, temp := buildSidecar(t)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, signInPage) }))
	t.Cleanup(app.Close)
	b := newBench(t, func(b *bench, o *hostapi.Options) {
		o.Supervisor = &supervisor.Supervisor{Runner: &supervisor.ExecRunner{Command: sidecar, Env: []string{"TMPDIR=" + temp}}}
		o.Clock, o.Recordings, o.SignInKey = nil, nil, hostapi.NewSignInKey()
		b.sandboxes.Put(hostapi.Sandbox{ID: "s1", Owner: owner, AppURL: app.URL, Ready: true})
	})
	agent := func() *realAgent {
		got := b.do("POST", browserPath, `{"sign_in":true}`)
		if got.status != 201 {
			t.Fatalf("start: %d %s", got.status, got.text)
		}
		run, _ := b.host.NewRun(context.Background(), hostapi.Identity{Owner: owner}, "s1")
		server, err := b.host.Reach(context.Background(), hostapi.Identity{Owner: owner}, run)
		if err != nil {
			t.Fatal(err)
		}
		a := &realAgent{bench: b, path: server.Path}
		a.call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
		return a
	}

	first := agent()
	if page := first.tool("browser_navigate", `{"url":"/"}`); !strings.Contains(page, "cookie , theme null") {
		t.Errorf("the first visit: %s", page)
	}
	if page := first.tool("browser_click", `{"target":"button"}`); !strings.Contains(page, "cookie user=ada, theme dark") {
		t.Errorf("after signing in: %s", page)
	}
	ticket := b.do("POST", ticketsPath, "").body
	watch(t, b, ticket["url"].(string), ticket["ticket"])
	page := b.do("GET", "/live/s1/", "")
	if page.status != 200 || !strings.Contains(page.header.Get("Content-Type"), "text/html") {
		t.Errorf("the live view's page: %d", page.status)
	}
	ticket = b.do("POST", "/live/s1/tickets", `{"mode":"control"}`, header{"Content-Type": "application/json", "Origin": b.server.URL}).body
	watch(t, b, "ws"+strings.TrimPrefix(b.server.URL, "http")+"/live/s1/socket", ticket["ticket"])
	if got := b.do("DELETE", browserPath, ""); got.browser()["status"] != "stopped" {
		t.Errorf("stop: %s", got.text)
	}
	if page := agent().tool("browser_navigate", `{"url":"/"}`); !strings.Contains(page, "cookie user=ada, theme dark") {
		t.Errorf("the second browser: %s", page)
	}
	if got := b.do("DELETE", "/api/sandboxes/s1", ""); got.status != 200 {
		t.Errorf("delete: %d %s", got.status, got.text)
	}
	if told := b.meter.minutes(); len(told) != 2 {
		t.Errorf("told %v", told)
	}
	await(t, "nothing is left", func() bool {
		left, _ := filepath.Glob(filepath.Join(temp, "*"))
		return len(left) == 0
	})
}

// watch opens a socket of the live view as a page of the host does.
func watch(t *testing.T, b *bench, socket string, ticket any) {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(socket, http.Header{"Origin": {b.server.URL}, "X-User": {"7"}, "X-Owner": {owner}})
	if err != nil {
		t.Fatalf("open the live view: %v", err)
	}
	defer conn.Close()
	conn.WriteJSON(map[string]any{"type": "auth", "ticket": ticket})
	for seen := map[string]bool{}; !seen["ready"] || !seen["frame"]; {
		var message struct{ Type string }
		if err := conn.ReadJSON(&message); err != nil {
			t.Fatalf("watch, after %v: %v", seen, err)
		}
		seen[message.Type] = true
	}
}

// realAgent calls tools through the host.
type realAgent struct {
	*bench
	path, session string
}

func (a *realAgent) call(method, params string) reply {
	a.t.Helper()
	got := a.do("POST", a.path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params),
		header{"Mcp-Session-Id": a.session, "Accept": "application/json"})
	if got.status != 200 {
		a.t.Fatalf("%s: %d %s", method, got.status, got.text)
	}
	if id := got.header.Get("Mcp-Session-Id"); id != "" {
		a.session = id
	}
	return got
}

func (a *realAgent) tool(name, args string) string {
	a.t.Helper()
	got := a.call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(got.text), &answer); err != nil || answer.Result.IsError || len(answer.Result.Content) == 0 {
		a.t.Fatalf("%s: %s", name, got.text)
	}
	return answer.Result.Content[0].Text
}

// buildSidecar builds the sidecar, and makes a directory for what it writes.
// It skips the test where there is no Chromium.
func buildSidecar(t *testing.T) (binary, temp string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the sidecar and starts Chromium")
	}
	dir, err := os.MkdirTemp("", "pillion-hostapi-") // not the test's own, which another user can't enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, temp = filepath.Join(dir, "sidecar"), filepath.Join(dir, "temp")
	for _, d := range []string{dir, temp} {
		os.MkdirAll(d, 0o755)
		if err := os.Chmod(d, 0o777|os.ModeSticky); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-o", binary, "../../sidecar").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if out, err := exec.Command(binary, "check").Output(); err != nil || !bytes.Contains(out, []byte(`"installed":true`)) {
		t.Skipf("there is no Chromium: %s %v", out, err)
	}
	return binary, temp
}
