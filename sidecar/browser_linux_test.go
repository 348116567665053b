package main_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// TestRealBrowser goes through what a host of the original checks before it
// trusts a sidecar: the processes, the gateway, a redirect off the app, the page
// and its sockets, typing, and a stop that leaves nothing.
func TestRealBrowser(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			site, trap := apptest.Start(t), apptest.Sniffer(t)
			p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour, "lifeline": false})
			wantProcesses(t, p)
			wantGateway(t, p, site)
			wantRefusal(t, p, trap)
			wantPage(t, p)
			wantTyping(t, p)

			p.Signal(syscall.SIGTERM)
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if left := mentioning(p.Workdir); left != nil {
				t.Errorf("processes are left: %v", left)
			}
			if left, _ := filepath.Glob(filepath.Join(p.Workdir, "*")); left != nil {
				t.Errorf("the work directory holds %v", left)
			}
			if len(p.Stdout()) != 1 {
				t.Errorf("stdout: %q", p.Stdout())
			}
		})
	}
}

// wantProcesses finds Chromium by the work directory, as hosts do.
func wantProcesses(t *testing.T, p *apptest.Process) {
	t.Helper()
	var all []string
	for _, pid := range mentioning(p.Workdir) {
		all = append(all, " "+strings.Join(proc.Args(pid), " "))
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{" --remote-debugging-pipe", " --proxy-server=http://127.0.0.1:"} {
		if !strings.Contains(text, want) {
			t.Errorf("no process with%s:\n%s", want, text)
		}
	}
	for _, bad := range []string{" --remote-debugging-port", " --no-sandbox"} {
		if strings.Contains(text, bad) {
			t.Errorf("a process with%s:\n%s", bad, text)
		}
	}
}

func wantGateway(t *testing.T, p *apptest.Process, site *apptest.Site) {
	t.Helper()
	// The app's first page loads by itself.
	p.MCP.Initialize()
	if text := p.MCP.Must("browser_tabs", apptest.Args{"action": "list"}); !strings.Contains(text, "- 0: (current) [Welcome · Fernhill Ledger]("+site.URL()+"/)") {
		t.Errorf("tabs: %s", text)
	}
	if a := p.MCP.Post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Authorization": ""}); a.Status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", a.Status)
	}
	names := map[string]bool{}
	for _, tool := range p.MCP.List() {
		names[tool.Name] = true
	}
	if !names["browser_navigate"] || names["browser_run_code_unsafe"] {
		t.Errorf("tools: %v", names)
	}
	if r := p.MCP.Call("browser_navigate", apptest.Args{"url": "https://example.com/"}); !r.IsError {
		t.Errorf("example.com: %s", r.Text)
	}
}

// wantRefusal follows a redirect to a service on loopback, with a navigation and
// from a page: nothing arrives there, and nothing comes back.
func wantRefusal(t *testing.T, p *apptest.Process, trap *apptest.Trap) {
	t.Helper()
	way := "/redirect/302?to=" + url.QueryEscape(trap.URL())
	r := p.MCP.Call("browser_navigate", apptest.Args{"url": way})
	if !r.IsError || !strings.Contains(r.Text, "redirected to "+strings.TrimSuffix(trap.URL(), "/")) {
		t.Errorf("redirect: %+v", r)
	}
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/"})
	fetched := p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => fetch('" + way + "').then((r) => r.text(), String)"})
	for _, text := range []string{r.Text, fetched} {
		if strings.Contains(text, apptest.Mark) {
			t.Errorf("the other service's page came back: %s", text)
		}
	}
	trap.WantSilent(t)
}

// wantPage reads the page, its WebSocket, and what WebRTC finds out.
func wantPage(t *testing.T, p *apptest.Process) {
	t.Helper()
	if text := p.MCP.Must("browser_navigate", apptest.Args{"url": "/"}); !strings.Contains(text, `heading "Welcome"`) {
		t.Errorf("the page: %s", text)
	}
	if got := resultJSON(p.MCP.Must("browser_evaluate", apptest.Args{"function": `() => new Promise((ok) => {
		const socket = new WebSocket('ws://' + location.host + '/ws?greet=hello');
		socket.onmessage = (e) => ok(e.data);
		socket.onclose = () => ok('closed');
	})`})); got != `"hello"` {
		t.Errorf("the app's WebSocket says %s", got)
	}
	if got := resultJSON(p.MCP.Must("browser_evaluate", apptest.Args{"function": `async () => {
		const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:9' }] });
		peer.createDataChannel('x');
		const found = [];
		const done = new Promise((ok) => { peer.onicecandidate = (e) => e.candidate ? found.push(e.candidate.candidate) : ok() });
		await peer.setLocalDescription(await peer.createOffer());
		await Promise.race([done, new Promise((ok) => setTimeout(ok, 2000))]);
		return found;
	}`})); got != "[]" && strings.Contains(strings.ToLower(got), "udp") {
		t.Errorf("WebRTC finds %s", got)
	}
}

func wantTyping(t *testing.T, p *apptest.Process) {
	t.Helper()
	page := p.MCP.Must("browser_navigate", apptest.Args{"url": "/login"})
	for _, field := range []struct{ name, text string }{{"User name", "ada"}, {"Password", "correct horse"}} {
		p.MCP.Must("browser_type", apptest.Args{"target": p.MCP.Ref(page, `textbox "`+field.name+`"`), "text": field.text})
	}
	if page = p.MCP.Must("browser_click", apptest.Args{"target": p.MCP.Ref(page, `button "Sign in"`)}); !strings.Contains(page, `heading "Orders"`) {
		t.Errorf("after signing in: %s", page)
	}
	time.Sleep(firstFlush)
}

// firstFlush is how long hosts let a page go on before they stop.
const firstFlush = 500 * time.Millisecond
