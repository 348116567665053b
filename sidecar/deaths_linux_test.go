package main_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// TestChildrenKilled kills Chromium's processes by their kinds, one kind after the
// other. Where Chromium can live without one, pages work again and every wall
// holds as before. Where it can't, calls say so, or the session ends as for a
// Chromium that died.
func TestChildrenKilled(t *testing.T) {
	var mu sync.Mutex
	outcomes := map[string][]string{}
	t.Cleanup(func() { sum(t, "processes of Chromium killed, by what came of it: %v", outcomes) })
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			site, trap := apptest.Start(t), apptest.Sniffer(t)
			killed := map[string]bool{}
			for again := true; again; {
				p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour})
				p.MCP.Initialize()
				outcome := ""
				for again = false; outcome == "" || outcome == worksOn; {
					p.MCP.Must("browser_navigate", apptest.Args{"url": "/frames"})
					kind, pids := nextKind(t, p, killed)
					if kind == "" {
						break
					}
					killed[kind], again = true, true
					for _, pid := range pids {
						signalOne(pid, syscall.SIGKILL)
					}
					outcome = after(t, p, trap, kind)
					mu.Lock()
					outcomes[outcome] = append(outcomes[outcome], flavour+" "+kind)
					mu.Unlock()
				}
				want := 0
				if outcome == ended {
					want = 1
				}
				if code := p.Stop(); code != want {
					t.Errorf("exit code %d", code)
				}
			}
			for _, kind := range []string{"gpu-process", "renderer", "utility network.mojom.NetworkService", "zygote"} {
				if !killed[kind] {
					t.Errorf("there was no %s to be killed", kind)
				}
			}
		})
	}
}

// What may come of a death.
const (
	worksOn = "pages work on"
	noPages = "calls say that no page can be started"
	ended   = "the session ends"
)

// nextKind is a kind of process that was not killed yet, and those that there are.
func nextKind(t *testing.T, p *apptest.Process, killed map[string]bool) (kind string, pids []int) {
	t.Helper()
	family := familyOf(t, p)
	for _, kind := range slices.Sorted(maps.Keys(family)) {
		if !killed[kind] {
			return kind, family[kind]
		}
	}
	return "", nil
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

// after waits for what comes of a death. Where pages work, what is refused is
// refused still.
func after(t *testing.T, p *apptest.Process, trap *apptest.Trap, kind string) (outcome string) {
	t.Helper()
	c := &caller{p.Ready.MCPURL, p.MCP.Session}
	apptest.Await(t, "a page, or a word about it, after the death of "+kind, func() bool {
		c.call("browser_tabs", `{"action":"new"}`) // it needs a process of its own
		answer, ok := c.call("browser_navigate", `{"url":"/form"}`)
		switch {
		case !ok || strings.Contains(answer, "The browser "):
			outcome = ended
		case strings.Contains(answer, browser.ErrNoPages.Error()):
			outcome = noPages
		case strings.Contains(answer, "textbox"):
			outcome = worksOn
		}
		return outcome != ""
	})
	if outcome != worksOn {
		return outcome
	}
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
	if got := resultJSON(p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => fetch('/api/status?code=200').then((r) => r.status, String)"})); got != "200" {
		t.Errorf("%s: a page's request: %s", kind, got)
	}
	wantRefusal(t, p, trap)
	return outcome
}
