//go:build linux

package attack

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// siteIsolation: a frame of another site is a target of its own and a process of
// its own. When that process dies, the page lives.
func (e *scene) siteIsolation(t *testing.T) {
	e.needWorld(t)
	l := openLab(t, e.origin(), e.flavour, false)
	tab := l.browser.Tabs()[0]
	if _, err := tab.Navigate(within(t), e.origin()+"/leave?to=x"); err != nil {
		t.Fatal(err)
	}
	renderers := func() int { return len(familyWith(l.process.PID(), "--type=renderer")) }
	before := renderers()
	eval(t, tab.MainFrame(), `new Promise((ok) => { document.body.innerHTML = '<iframe id=same src=/lab></iframe><iframe id=other src="http://isolated.public.test/"></iframe>'; let n = 0; for (const f of document.querySelectorAll('iframe')) f.onload = () => { if (++n === 2) ok() } })`)
	var other, same *browser.Frame
	apptest.Await(t, "the frames", func() bool {
		for _, f := range tab.Frames() {
			switch {
			case strings.Contains(f.URL(), "isolated.public.test"):
				other = f
			case strings.HasSuffix(f.URL(), "/lab"):
				same = f
			}
		}
		return other != nil && same != nil && other.Session() != tab.Session()
	})
	if same.Session() != tab.Session() {
		t.Error("a frame of the same site is a target of its own")
	}
	if info := other.Session().TargetInfo(); info.Type != "iframe" {
		t.Errorf("the other site's frame is a target of type %q", info.Type)
	}
	apptest.Await(t, "a renderer more", func() bool { return renderers() > before })
	// The other site can't reach into the app, by script or by sharing its fate.
	if got := eval(t, other, `(() => { try { return parent.document.title } catch (e) { return e.name } })()`); got != `"SecurityError"` {
		t.Errorf("the other site's frame reads the app: %s", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, _ = pcdp.Call(ctx, other.Session(), page.Crash, pcdp.Empty{}) // it never answers
	if got := eval(t, tab.MainFrame(), "1 + 1"); got != "2" {
		t.Errorf("after the frame's death the page says %s", got)
	}
	if got := eval(t, same, "1 + 1"); got != "2" {
		t.Errorf("after the frame's death the same site's frame says %s", got)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := pcdp.Call(ctx, other.Session(), runtime.Evaluate, runtime.EvaluateParams{Expression: "1"}); err == nil {
		t.Error("the crashed frame still answers: it was no process of its own")
	}
}

// afterDeaths: when the network process is killed, and then a renderer, the pin,
// the proxy's rule and its credentials hold as before, and pages work on without
// a new document.
func (e *scene) afterDeaths(t *testing.T) {
	e.needWorld(t)
	for round := range 2 {
		c := e.open(t, "/leave?to=x&round="+string(rune('0'+round)))
		network := familyWith(e.p.PID, "network.mojom.NetworkService")
		if len(network) != 1 {
			t.Fatalf("network processes: %v", network)
		}
		if err := syscall.Kill(network[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		apptest.Await(t, "another network process", func() bool {
			now := familyWith(e.p.PID, "network.mojom.NetworkService")
			return len(now) == 1 && now[0] != network[0]
		})
		// The first request is of the page itself: nothing has navigated since.
		ok := `async () => { for (let i = 0; i < 20; i++) { const s = await fetch('/api/status?code=200').then((r) => r.status, () => 0); if (s === 200) return i; if (s) return 'status ' + s; await new Promise((ok) => setTimeout(ok, 100)); } return 'never' }`
		begin := time.Now()
		if got := evaluate(t, c, ok); len(got) > 2 {
			t.Errorf("the page's requests after the death: %s", got)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("the page's first request took %v", took)
		}
		if got := loadBy(t, c, e.origin()+"/ws", "socket"); !strings.Contains(got, "open") {
			t.Errorf("the page's socket after the death: %s", got)
		}
		e.holds(t, c, "death"+string(rune('0'+round)))
	}
	// A renderer's death: the tab is told as crashed, the next page is guarded.
	c := e.open(t, "/leave?to=x&crash")
	for _, pid := range familyWith(e.p.PID, "--type=renderer") {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	apptest.Await(t, "a page after the crash", func() bool {
		return !c.Call("browser_navigate", apptest.Args{"url": "/leave?to=x"}).IsError
	})
	e.holds(t, c, "renderer")
}

// holds tries each wall once more.
func (e *scene) holds(t *testing.T, c *apptest.MCPClient, word string) {
	t.Helper()
	before := mark(e.world)
	host := word + "-" + e.flavour + ".evil.test"
	for _, script := range []string{
		`location = 'http://HOST/'`, `window.open('http://HOST/')`,
		`document.body.innerHTML = '<a id=b href="http://HOST/">x</a>'; b.dispatchEvent(new MouseEvent('click', {ctrlKey: true, bubbles: true, cancelable: true, view: window}))`,
		`location = '/redirect/302?to=' + encodeURIComponent('http://HOST/')`,
	} {
		n := len(e.refusals("navigation"))
		c.Call("browser_evaluate", apptest.Args{"function": "() => { " + strings.ReplaceAll(script, "HOST", host) + " }"})
		apptest.Await(t, "the refusal of "+script, func() bool { return len(e.refusals("navigation")) > n })
	}
	loadBy(t, c, "http://127.0.0.1:7001/"+word, "fetch", "image")
	e.onApp(t, c)
	for _, a := range e.world.near.since(before.near, nil) {
		t.Errorf("arrived: %v", a)
	}
	if n := e.world.names.questions(host); n > 0 {
		t.Errorf("%s was asked for %d times", host, n)
	}
	for _, a := range e.world.far.since(before.far, asked(host)) {
		t.Errorf("arrived: %v", a)
	}
}
