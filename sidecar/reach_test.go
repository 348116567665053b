package main_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// load asks for a URL in the page, waits for what comes of it, and gives the answer.
// A page can't tell a refusal from another site's answer; servers and records can.
func load(t *testing.T, c *apptest.MCPClient, to string) (answer string) {
	t.Helper()
	return c.Must("browser_evaluate", apptest.Args{
		"function": fmt.Sprintf("() => fetch(%q, {mode: 'no-cors'}).then(() => 'done', () => 'done')", to),
	})
}

// shows fails the test unless the current tab stands on a page of an origin.
func shows(t *testing.T, c *apptest.MCPClient, what, origin string) {
	t.Helper()
	at := ""
	apptest.Await(t, what+" at "+origin, func() bool {
		at = resultJSON(c.Call("browser_evaluate", apptest.Args{"function": "() => location.origin"}).Text)
		return at == `"`+origin+`"`
	})
}

// TestWhatTheConfigAllows: with an allow-list, further origins are pages of the
// app, by every way to get there; further hosts are loaded from and never shown;
// the three names of this machine are one app with cookies of their own; and what
// is refused is told the same way wherever it is told.
func TestWhatTheConfigAllows(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			site, login, api := apptest.Start(t), apptest.Start(t), apptest.Start(t)
			trap, ingest := apptest.Sniffer(t), apptest.NewIngest(t, 0)
			p := apptest.Sidecar(t, apptest.Config{
				"app_url": site.URL(), "chromium": flavour, "recording": ingest.Config(),
				"egress": "allow-list", "loopback_aliases": true,
				"allow_origins": []any{login.URL()}, "allow_hosts": []any{api.Host()},
			})
			c := p.MCP
			c.Initialize()
			leave := func(to string) string { return "/leave?to=" + url.QueryEscape(to) }

			// An allowed origin, by tool, link, redirect, form, script and new tab.
			c.Must("browser_navigate", apptest.Args{"url": login.URL() + "/lab"})
			shows(t, c, "the tool's page", login.URL())
			for _, id := range []string{"link", "hop", "meta", "get button"} {
				c.Must("browser_navigate", apptest.Args{"url": leave(login.URL() + "/lab")})
				c.Must("browser_click", apptest.Args{"target": "#" + id})
				shows(t, c, "after "+id, login.URL())
			}
			c.Must("browser_navigate", apptest.Args{"url": leave(login.URL() + "/lab")})
			c.Must("browser_evaluate", apptest.Args{"function": "() => { window.open(" + fmt.Sprintf("%q", login.URL()+"/lab?opened") + ") }"})
			tabs := ""
			apptest.Await(t, "the window that was opened", func() bool {
				tabs = c.Must("browser_tabs", apptest.Args{"action": "list"})
				return strings.Contains(tabs, login.URL()+"/lab?opened")
			})
			c.Must("browser_tabs", apptest.Args{"action": "close", "index": 1})
			// It is no way out: what lies beyond it is refused at the hop.
			off := c.Call("browser_navigate", apptest.Args{"url": login.URL() + "/redirect/302?to=" + url.QueryEscape(trap.URL())})
			if !off.IsError || !strings.Contains(off.Text, "A page was redirected to http://"+trap.Addr()+", outside the sandbox app") || !strings.Contains(off.Text, "allow_origins") {
				t.Errorf("a hop behind an allowed origin:\n%s", off.Text)
			}

			// An allowed host is loaded from, and no tab shows it.
			c.Must("browser_navigate", apptest.Args{"url": leave(api.URL() + "/lab")})
			if answer := load(t, c, api.URL()+"/api/echo"); api.Hits("/api/echo") != 1 {
				t.Errorf("an allowed host was not asked:\n%s", answer)
			}
			refused := c.Call("browser_navigate", apptest.Args{"url": api.URL() + "/lab"})
			for _, want := range []string{"may only open pages of the sandbox app at " + site.URL() + " (and ", login.URL(), "allow_origins"} {
				if !refused.IsError || !strings.Contains(refused.Text, want) {
					t.Errorf("an allowed host as a page, %q is not in:\n%s", want, refused.Text)
				}
			}
			if r := c.Call("browser_click", apptest.Args{"target": "#link"}); !r.IsError || !strings.Contains(r.Text, "outside the sandbox app") {
				t.Errorf("a link to an allowed host:\n%s", r.Text)
			}

			// This machine's names are one app, and each has its own cookies.
			local := site.LocalhostURL()
			c.Must("browser_navigate", apptest.Args{"url": leave(local + "/login")})
			c.Must("browser_click", apptest.Args{"target": "#link"})
			shows(t, c, "an absolute link", local)
			c.Must("browser_evaluate", apptest.Args{"function": "() => { document.cookie = 'who=local'; localStorage.who = 'local' }"})
			c.Must("browser_navigate", apptest.Args{"url": site.URL() + leave(local)})
			if got := resultJSON(c.Must("browser_evaluate", apptest.Args{"function": "() => document.cookie + (localStorage.who || '')"})); got != `""` {
				t.Errorf("127.0.0.1 has what localhost was given: %s", got)
			}
			if answer := load(t, c, local+"/api/echo"); site.Hits("/api/echo") != 1 {
				t.Errorf("the alias was not asked:\n%s", answer)
			}

			// Nothing else, and the refusal is one record in four places.
			answer := load(t, c, trap.URL()+"?secret=canary")
			trap.WantSilent(t)
			wantOneRecord(t, p, ingest, map[string]string{
				"kind": "connection", "target": trap.Addr(), "rule": "not_listed",
				"reason": "is not on the list of hosts that pages may reach", "setting": "allow_hosts",
			}, answer)
		})
	}
}

// wantOneRecord looks for a refusal in a tool's answer, among the event lines, in
// the log and in the recording. It stops the sidecar.
func wantOneRecord(t *testing.T, p *apptest.Process, ingest *apptest.Ingest, want map[string]string, answer string) {
	t.Helper()
	line := "- Refused a " + want["kind"] + ": " + want["target"] + " " + want["reason"] + " (rule " + want["rule"] + "; the host can allow it with " + want["setting"] + ")"
	if _, events, _ := strings.Cut(answer, "### Events\n"); !strings.Contains(events, line) {
		t.Errorf("the answer does not hold %q:\n%s", line, answer)
	}
	told := slices.ContainsFunc(p.Events(), func(e proto.Event) bool {
		same := e.Type == proto.EventRefused
		for key, value := range want {
			same = same && e.Detail[key] == value
		}
		return same
	})
	if !told {
		t.Errorf("no such event line among %v", p.Events())
	}
	logged := fmt.Sprintf("target=%s rule=%s reason=%q setting=%s", want["target"], want["rule"], want["reason"], want["setting"])
	if !strings.Contains(p.Stderr(), logged) {
		t.Errorf("the log does not hold %q:\n%s", logged, p.Stderr())
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	marker := fmt.Sprintf(`{"label":"refused","kind":%q,"target":%q,"rule":%q,"reason":%q,"setting":%q}`,
		want["kind"], want["target"], want["rule"], want["reason"], want["setting"])
	if !strings.Contains(posted(ingest), marker) {
		t.Errorf("the recording does not hold %s", marker)
	}
	if strings.Contains(p.Stderr()+posted(ingest), "canary") {
		t.Error("a refusal tells more than where to")
	}
}

// TestAppOnly: nothing but the app, whatever a page tries; and by default the
// names of this machine are not one app, which the refusal says.
func TestAppOnly(t *testing.T) {
	site, trap := apptest.Start(t), apptest.Sniffer(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "egress": "app-only"})
	c := p.MCP
	c.Initialize()
	c.Must("browser_navigate", apptest.Args{"url": "/leave?to=x"}) // without a policy of its own
	for _, to := range []string{trap.URL(), site.LocalhostURL() + "/lab", "http://192.0.2.7/", "https://93.184.216.34/", "http://a.b.c.invalid/"} {
		if answer := load(t, c, to); !strings.Contains(answer, " is not the app, and pages may reach nothing else (rule not_app; the host can allow it with ") {
			t.Errorf("%s:\n%s", to, answer)
		}
	}
	if answer := load(t, c, "/api/echo"); site.Hits("/api/echo") != 1 {
		t.Errorf("the app was not asked:\n%s", answer)
	}
	r := c.Call("browser_navigate", apptest.Args{"url": site.LocalhostURL() + "/lab"})
	if !r.IsError || !strings.Contains(r.Text, "loopback_aliases") {
		t.Errorf("another name of this machine:\n%s", r.Text)
	}
	trap.WantSilent(t)
	for _, r := range site.Requests() {
		if r.Host != site.Host() {
			t.Errorf("the app was reached as %s", r.Host)
		}
	}
}
