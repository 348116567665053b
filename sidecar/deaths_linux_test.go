package main_test

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestChildrenKilled kills Chromium's processes by their kinds, one kind after the
// other. Where Chromium can live without one, pages work again and every wall
// holds as before; where it can't, the session ends as for a Chromium that died.
func TestChildrenKilled(t *testing.T) {
	var deaths, ends atomic.Int32
	t.Cleanup(func() {
		sum(t, "%d kinds of Chromium's processes killed, %d of them end the session", deaths.Load(), ends.Load())
	})
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			site, trap := apptest.Start(t), apptest.Sniffer(t)
			var p *apptest.Process
			kinds := map[string]bool{} // true: done
			for {
				if p == nil {
					p = apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour})
					p.MCP.Initialize()
				}
				p.MCP.Must("browser_navigate", apptest.Args{"url": "/frames"})
				family := familyOf(t, p)
				for kind := range family {
					kinds[kind] = kinds[kind]
				}
				i := slices.IndexFunc(slices.Sorted(maps.Keys(kinds)), func(kind string) bool { return !kinds[kind] && family[kind] != nil })
				if i < 0 {
					break
				}
				kind := slices.Sorted(maps.Keys(kinds))[i]
				kinds[kind] = true
				deaths.Add(1)
				for _, pid := range family[kind] {
					signalOne(pid, syscall.SIGKILL)
				}
				if goesOn(t, p, trap, kind) {
					continue
				}
				ends.Add(1)
				if code := p.Wait(); code != 1 {
					t.Errorf("%s: exit code %d", kind, code)
				}
				wantEnd(t, p, proto.ReasonBrowserExited, 1, false)
				p = nil
			}
			t.Logf("killed: %v", slices.Sorted(maps.Keys(kinds)))
			for _, kind := range []string{"gpu-process", "renderer", "utility network.mojom.NetworkService", "zygote"} {
				if !kinds[kind] {
					t.Errorf("there was no %s to be killed", kind)
				}
			}
			if code := p.Stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// familyOf lists the processes that Chromium's browser process started, by kind.
func familyOf(t *testing.T, p *apptest.Process) map[string][]int {
	t.Helper()
	family := map[string][]int{}
	for pid, args := range tree(t, chromium(t, p.Workdir)) {
		var kind, service string
		for _, arg := range strings.Fields(strings.Join(args, " ")) {
			if v, ok := strings.CutPrefix(arg, "--type="); ok {
				kind = v
			}
			if v, ok := strings.CutPrefix(arg, "--utility-sub-type="); ok {
				service = " " + v
			}
		}
		if kind != "" {
			family[kind+service] = append(family[kind+service], pid)
		}
	}
	return family
}

// goesOn says whether the session survives a death; then its pages work, and what
// is refused is refused still.
func goesOn(t *testing.T, p *apptest.Process, trap *apptest.Trap, kind string) bool {
	t.Helper()
	c := &caller{p.Ready.MCPURL, p.MCP.Session}
	last := ""
	survived := false
	apptest.Await(t, "a page, or the session's end, after the death of "+kind, func() bool {
		// A new tab needs a process of its own.
		b := time.Now()
		x, _ := c.call("browser_tabs", `{"action":"new"}`)
		t.Logf("new tab %v %.400s", time.Since(b), x)
		b = time.Now()
		answer, ok := c.call("browser_navigate", `{"url":"/form"}`)
		t.Logf("nav %v %.400s", time.Since(b), answer)
		if last = answer; !ok || strings.Contains(answer, "The browser ") {
			return true
		}
		survived = strings.Contains(answer, "textbox")
		return survived
	})
	if !survived {
		t.Logf("%s: the last answer: %.300s", kind, last)
		return false
	}
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
	if got := resultJSON(p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => fetch('/api/status?code=200').then((r) => r.status, String)"})); got != "200" {
		t.Errorf("%s: a page's request: %s", kind, got)
	}
	wantRefusal(t, p, trap)
	return true
}
