package main_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestStopAnswersCalls stops a session in which calls run and one waits for its
// tab. Each gets its answer before the connections are cut, and the one that
// waited did nothing.
func TestStopAnswersCalls(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	reading := background(p.MCP, "browser_wait_for", apptest.Args{"time": 30})
	acting := background(p.MCP, "browser_evaluate", apptest.Args{"function": sleep("acting")})
	awaitEcho(t, site, 1)
	waiting := background(p.MCP, "browser_evaluate", apptest.Args{"function": sleep("waiting")})
	// Connections are accepted in turn, so the sidecar has the waiting call, too.
	p.MCP.Must("browser_tabs", apptest.Args{"action": "list"})

	p.Signal(syscall.SIGTERM)
	for name, call := range map[string]struct {
		answer <-chan apptest.Result
		text   string
	}{
		"reading": {reading, "The browser is stopping. browser_wait_for was interrupted"},
		"acting":  {acting, "The browser is stopping. browser_evaluate was interrupted"},
		"waiting": {waiting, "The browser is stopping. Nothing was done."},
	} {
		if r := <-call.answer; !r.IsError || !strings.Contains(r.Text, call.text) {
			t.Errorf("%s: %+v; want %q", name, r, call.text)
		}
	}
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	wantEnd(t, p, proto.ReasonSignal, 0, false)
	if n := site.Hits("/api/echo"); n != 1 {
		t.Errorf("%d scripts ran; the waiting one must not", n)
	}
}

// awaitEcho waits until scripts have told the site that they run.
func awaitEcho(t *testing.T, site *apptest.Site, n int) {
	t.Helper()
	apptest.Await(t, "the page's script to run", func() bool { return site.Hits("/api/echo") >= n })
}

// TestStopHungPage stops while a page's main thread never comes back.
func TestStopHungPage(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			site := apptest.Start(t)
			p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour})
			p.MCP.Initialize()
			p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
			hung := background(p.MCP, "browser_evaluate", apptest.Args{"function": hang("hung")})
			awaitEcho(t, site, 1)
			begin := time.Now()
			p.Signal(syscall.SIGTERM)
			if r := <-hung; !strings.Contains(r.Text, "The browser is stopping.") {
				t.Errorf("the hung call: %+v", r)
			}
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if took := time.Since(begin); took > budget {
				t.Errorf("the stop took %v", took)
			}
			wantEnd(t, p, proto.ReasonSignal, 0, false)
		})
	}
}

// freeze stops every process of a session's Chromium, as a machine does that
// swaps or a debugger that holds it.
func freeze(t *testing.T, workdir string) {
	t.Helper()
	browser := chromium(t, workdir)
	for pid := range tree(t, browser) {
		signalOne(pid, syscall.SIGSTOP)
	}
}

// TestStopHungChromium stops while nothing of Chromium runs.
func TestStopHungChromium(t *testing.T) {
	t.Parallel()
	p := apptest.Sidecar(t, apptest.Config{"app_url": deadApp})
	freeze(t, p.Workdir)
	begin := time.Now()
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begin); took > budget {
		t.Errorf("the stop took %v", took)
	}
	if left := mentioning(filepath.Join(p.Workdir, "profile-")); left != nil {
		t.Errorf("processes are left: %v", left)
	}
}

// fastPath is well under the budget: the time of a killed Chromium's end on a
// loaded machine.
const fastPath = 4 * time.Second

// TestSecondSignal hurries a stop that would need most of its budget.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := apptest.Sidecar(t, apptest.Config{"app_url": deadApp})
	freeze(t, p.Workdir)
	p.Signal(syscall.SIGTERM)
	p.AwaitEvent(proto.EventStopping)
	begin := time.Now()
	p.Signal(syscall.SIGINT)
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begin); took > fastPath {
		t.Errorf("the fast path took %v", took)
	}
	wantEnd(t, p, proto.ReasonSignal, 0, true)
}

// TestChromiumKilled kills the browser under two calls. Each gets one clear
// answer, the events and the log say what happened, and the exit code is 1.
func TestChromiumKilled(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	running := background(p.MCP, "browser_evaluate", apptest.Args{"function": sleep("running")})
	awaitEcho(t, site, 1)
	waiting := background(p.MCP, "browser_click", apptest.Args{"target": "button"})
	p.MCP.Must("browser_tabs", apptest.Args{"action": "list"})

	signalOne(chromium(t, p.Workdir), syscall.SIGKILL)
	for name, answer := range map[string]<-chan apptest.Result{"running": running, "waiting": waiting} {
		r := <-answer
		if text := strings.TrimPrefix(r.Text, "### Error\n"); !r.IsError || strings.Contains(text, "\n") || !strings.Contains(text, "The browser ") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if code := p.Wait(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	wantEnd(t, p, proto.ReasonBrowserExited, 1, false)
	crash := p.AwaitEvent(proto.EventCrashed)
	if crash.Detail["what"] != "browser" || crash.Detail["code"] != string(proto.CodeBrowserExited) {
		t.Errorf("the event is %+v", crash)
	}
	if e := errorLine(t, p.Stderr()); e.Code != proto.CodeBrowserExited || !strings.Contains(e.Message, "killed") {
		t.Errorf("the error line is %+v", e)
	}
}
