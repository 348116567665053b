package main_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// flavours are the two browsers that every wall must hold in.
func flavours() []string { return []string{"shell", "full"} }

// settleLate is how long something that leaves the browser late may take to
// arrive at a trap: prefetches and speculation start when the page is idle.
const settleLate = 3 * time.Second

// TestNothingLeavesTheApp takes every way out of the app that a script, a link
// or a tool has, in both browsers. Nothing may arrive, what was refused must be
// told, and the app must go on working.
func TestNothingLeavesTheApp(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			site := apptest.Start(t)
			trap, udp := apptest.Sniffer(t), apptest.UDPSniffer(t)
			p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour})
			c := p.MCP
			c.Initialize()
			to := trap.URL() + "out?secret=canary"
			leave := "/leave?to=" + url.QueryEscape(to)

			refused := func(t *testing.T, what string, r apptest.Result) {
				t.Helper()
				origin := strings.TrimSuffix(trap.URL(), "/")
				if !r.IsError || !strings.Contains(r.Text, "A page was redirected to "+origin+", outside the sandbox app, and was closed") {
					t.Errorf("%s: the call does not tell of the refusal:\n%s", what, r.Text)
				}
				if strings.Contains(r.Text, "canary") || strings.Contains(r.Text, apptest.Mark) {
					t.Errorf("%s: the answer holds more than the origin:\n%s", what, r.Text)
				}
			}

			// must is Must for calls that come after an attempt: some ways take
			// their time, and the call that runs meanwhile is told.
			must := func(tool string, args apptest.Args) string {
				r := c.Call(tool, args)
				for range 3 {
					if r.IsError && strings.Contains(r.Text, "outside the sandbox app, and was closed") {
						r = c.Call(tool, args)
					}
				}
				if r.IsError {
					t.Fatalf("%s %v: %s", tool, args, r.Text)
				}
				return r.Text
			}

			// Tools: what is not the app is refused before the browser hears of it.
			for _, u := range []string{to, "http://example.com/", "//evil.test/x", "file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,x", "view-source:" + site.URL()} {
				r := c.Call("browser_navigate", apptest.Args{"url": u})
				if !r.IsError || !strings.Contains(r.Text, "may only open pages of the sandbox app at "+site.URL()) {
					t.Errorf("navigate to %s:\n%s", u, r.Text)
				}
			}
			// Redirects of every kind, from a tool's navigation.
			for _, code := range []string{"301", "302", "303", "307", "308"} {
				r := c.Call("browser_navigate", apptest.Args{"url": "/redirect/" + code + "?to=" + url.QueryEscape(to)})
				refused(t, "redirect "+code, r)
			}
			// Links and forms, clicked as an agent would.
			for _, id := range []string{"link", "blank", "noopener", "hop", "get", "post", "post307"} {
				c.Must("browser_navigate", apptest.Args{"url": leave})
				target := "#" + id
				if id == "get" || id == "post" || id == "post307" {
					target += " button"
				}
				refused(t, "click on "+target, c.Call("browser_click", apptest.Args{"target": target}))
			}
			for _, key := range []string{"Control", "Shift"} {
				c.Must("browser_navigate", apptest.Args{"url": leave})
				refused(t, key+"-click", c.Call("browser_click", apptest.Args{"target": "#link", "modifiers": []string{key}}))
			}
			c.Must("browser_navigate", apptest.Args{"url": leave})
			refused(t, "middle click", c.Call("browser_click", apptest.Args{"target": "#link", "button": "middle"}))

			// Scripts: every way that the page knows.
			var ways []string
			text := c.Must("browser_evaluate", apptest.Args{"function": "() => Object.keys(ways)"})
			if err := json.Unmarshal([]byte(resultJSON(text)), &ways); err != nil || len(ways) < 40 {
				t.Fatalf("the page's ways out: %v\n%s", err, text)
			}
			for _, way := range ways {
				must("browser_navigate", apptest.Args{"url": leave})
				target := to
				if way == "rtc" {
					target = "http://" + udp.Addr()
				}
				r := c.Call("browser_evaluate", apptest.Args{"function": fmt.Sprintf("() => { ways[%q](%q) }", way, target)})
				if strings.Contains(r.Text, apptest.Mark) {
					t.Errorf("%s: the trap's page came back:\n%s", way, r.Text)
				}
				// What was refused is told beside the list, also when it came late.
				tabs, _, _ := strings.Cut(must("browser_tabs", apptest.Args{"action": "list"}), "\n### Events")
				if strings.Contains(tabs, trap.Addr()) {
					t.Errorf("%s: a tab stands on the trap:\n%s", way, tabs)
				}
			}
			time.Sleep(settleLate) // nothing announces that nothing more will come
			trap.WantSilent(t)
			udp.WantSilent(t)

			// The app goes on working, and the refusals were told.
			if text := c.Must("browser_navigate", apptest.Args{"url": "/lab"}); !strings.Contains(text, "heading") {
				t.Errorf("the app does not load any more:\n%s", text)
			}
			var kinds []string
			for _, e := range p.Events() {
				if e.Type == "refused" {
					kinds = append(kinds, fmt.Sprint(e.Detail["kind"]))
				}
			}
			for _, want := range []string{"navigation", "connection"} {
				if !strings.Contains(strings.Join(kinds, " "), want) {
					t.Errorf("no refused %s among the events: %v", want, kinds)
				}
			}
		})
	}
}

// resultJSON cuts the value out of an answer of browser_evaluate, the way hosts
// do it.
func resultJSON(text string) string {
	_, rest, _ := strings.Cut(text, "### Result\n")
	value, _, _ := strings.Cut(rest, "\n### ")
	return value
}
