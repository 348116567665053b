//go:build linux

package attack

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/testdata/app"
)

// appHost is where the rows have their app. Without a world that port may be
// somebody's, and another one stands in its place.
const appHost = "127.0.0.1:7000"

// scene is what a row is run in: the world, the app under test, and a sidecar
// with one of the browsers.
type scene struct {
	world   *world
	flavour string
	book    *ledger
	app     *app.App
	appHost string
	note    func(string) // a remark for the ledger
	leaks   *leaks

	p       *apptest.Process
	session string
}

// with is the scene for one row.
func (e *scene) with(note func(string)) *scene {
	c := *e
	c.note = note
	return &c
}

// serveApp starts the app where the rows have it.
func serveApp(t *testing.T, w *world) (a *app.App, host string) {
	t.Helper()
	if w == nil {
		site := apptest.Start(t)
		return site.App, site.Host()
	}
	a = app.New()
	ln, err := net.Listen("tcp", appHost)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: a, ReadHeaderTimeout: apptest.Patience}
	ended := make(chan struct{})
	go func() { defer close(ended); server.Serve(ln) }()
	t.Cleanup(func() { a.Close(); server.Close(); <-ended })
	return a, appHost
}

// needWorld skips where there is no world, with the reason.
func (e *scene) needWorld(t *testing.T) {
	t.Helper()
	if e.world == nil {
		t.Skip("not run here: it " + os.Getenv(noWorldEnv))
	}
}

// begin starts the scene's sidecar.
func (e *scene) begin(t *testing.T, change ...apptest.Config) {
	t.Helper()
	config := apptest.Config{"app_url": e.origin(), "chromium": e.flavour}
	e.p = apptest.Sidecar(t, append([]apptest.Config{config}, change...)...)
	if e.world != nil && !e.p.Ready.Features.PrivateNetwork {
		t.Error("Chromium has no network of its own")
	}
	if !e.p.Ready.Features.Sandbox {
		t.Error("Chromium's sandbox is off")
	}
	e.p.MCP.Initialize()
	e.session = e.p.MCP.Session
}

// origin is the app's.
func (e *scene) origin() string { return "http://" + e.appHost }

// client is the scene's agent, for one test.
func (e *scene) client(t *testing.T) *apptest.MCPClient {
	c := apptest.NewMCP(t, e.p.Ready.MCPURL, apptest.Token)
	c.Session = e.session
	return c
}

// open shows a page of the app in one single tab.
func (e *scene) open(t *testing.T, path string) *apptest.MCPClient {
	t.Helper()
	c := e.client(t)
	for len(tabLines(c)) > 1 {
		c.Must("browser_tabs", apptest.Args{"action": "close", "index": 1})
	}
	c.Must("browser_navigate", apptest.Args{"url": path})
	return c
}

var tabLine = regexp.MustCompile(`^- \d+: .*\(`)

// tabLines are the open tabs as browser_tabs tells them. A call that tells of a page
// that crashed is made again: Chromium ends pages that try what no page may, and says
// so when it likes.
func tabLines(c *apptest.MCPClient) []string {
	var lines []string
	list := apptest.Args{"action": "list"}
	told := c.Call("browser_tabs", list)
	if told.IsError && strings.Contains(told.Text, "Target crashed") {
		told = c.Call("browser_tabs", list)
	}
	if told.IsError {
		c.Must("browser_tabs", list) // which ends the test
	}
	for line := range strings.Lines(told.Text) {
		if tabLine.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// onApp fails the test when a tab shows anything but the app, a blob of the
// app's, a blank page or an error page.
func (e *scene) onApp(t *testing.T, c *apptest.MCPClient) {
	t.Helper()
	for _, line := range tabLines(c) {
		i := strings.LastIndex(line, "(")
		url := strings.TrimSuffix(line[i+1:], ")")
		own := url == e.origin() || strings.HasPrefix(url, e.origin()+"/") || strings.HasPrefix(url, "blob:"+e.origin()+"/")
		if !own && url != "" && !strings.HasPrefix(url, "about:blank") && !strings.HasPrefix(url, "chrome-error:") {
			t.Errorf("a tab shows %q", line)
		}
	}
}

// refusals are the origins to which the sidecar has refused a navigation.
func (e *scene) refusals(kind string) (targets []string) {
	for _, ev := range e.p.Events() {
		if ev.Type == "refused" && fmt.Sprint(ev.Detail["kind"]) == kind {
			targets = append(targets, fmt.Sprint(ev.Detail["target"]))
		}
	}
	return targets
}

// toldOf waits until the sidecar has told that it refused to go to a target that
// begins so.
func (e *scene) toldOf(t *testing.T, kind, target string) {
	t.Helper()
	apptest.Await(t, "the refusal of "+target, func() bool {
		return slices.ContainsFunc(e.refusals(kind), func(s string) bool { return strings.HasPrefix(s, target) })
	})
}

// evaluate runs a script in the page and gives what it returns, as JSON.
func evaluate(t *testing.T, c *apptest.MCPClient, script string) string {
	t.Helper()
	text := c.Must("browser_evaluate", apptest.Args{"function": script})
	_, rest, _ := strings.Cut(text, "### Result\n")
	value, _, _ := strings.Cut(rest, "\n### ")
	return strings.TrimSpace(value)
}

// settleLate is how long something that leaves a browser late may take to
// arrive: prefetches and speculation start when the page is idle.
const settleLate = 3 * time.Second
