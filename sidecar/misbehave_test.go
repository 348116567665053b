package main_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// misbehaviour is what a page does to its browser, as functions that browser_evaluate
// runs.
func misbehaviour() map[string]string {
	return map[string]string{
		"memory":           `() => { const held = []; for (let i = 0; i < 16; i++) held.push(new Uint8Array(1 << 28).fill(1)); return held.length }`,
		"alerts":           `() => { for (let i = 0; i < 200; i++) alert(i) }`,
		"leaving":          `() => { onbeforeunload = (e) => { e.preventDefault(); e.returnValue = 'stay' }; document.body.click(); setInterval(() => { location.reload() }, 1) }`,
		"history":          `() => { for (let i = 0; i < 5000; i++) { try { history.pushState({}, '', '?' + i) } catch { return i } } }`,
		"a tower of boxes": `() => { let e = document.body; for (let i = 0; i < 20000; i++) e = e.appendChild(document.createElement('div')); e.textContent = 'deep' }`,
		"downloads":        `() => { for (let i = 0; i < 200; i++) { const a = document.createElement('a'); a.href = '/downloads/file?' + i; a.download = 'x'; document.body.append(a); a.click() } }`,
		"workers":          `() => { for (let i = 0; i < 200; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);']))) }`,
	}
}

// slowMisbehaviour keeps a machine of two cores busy for long.
func slowMisbehaviour() map[string]string {
	return map[string]string{
		"a loop":          hang("loop"),
		"frames":          `() => { let d = document, n = 0; for (; n < 10000; n++) { const f = d.createElement('iframe'); d.body.append(f); d = f.contentDocument; if (!d || !d.body) break } return n }`,
		"frames aside":    `() => { for (let i = 0; i < 10000; i++) document.body.append(document.createElement('iframe')); return frames.length }`,
		"popups":          `() => { let n = 0; for (let i = 0; i < 500; i++) if (open('/lab')) n++; return n }`,
		"a flood of logs": `() => { for (let i = 0; i < 200000; i++) console.log('line ' + i) }`,
		"a wide page":     `() => { document.body.innerHTML = '<button>x</button>'.repeat(100000) }`,
		"a big title":     `() => { document.title = 'x'.repeat(1 << 24) }`,
	}
}

// TestPagesThatMisbehave lets a page do its worst. The call is answered, by an error
// if need be; the tab can be closed; another one works; and the session ends in its
// time.
func TestPagesThatMisbehave(t *testing.T) {
	all := misbehaviour()
	if soaking() {
		maps.Copy(all, slowMisbehaviour())
	}
	t.Cleanup(func() { sum(t, "%d ways to misbehave, each session went on", len(all)) })
	for what, script := range all {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			site := apptest.Start(t)
			p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
			p.MCP.Initialize()
			p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
			worst := background(p.MCP, "browser_evaluate", apptest.Args{"function": script})
			if what == "a loop" {
				awaitEcho(t, site, 1)
			} else {
				t.Logf("it says %.200s", (<-worst).Text)
			}
			t.Logf("its snapshot is %d bytes", len(p.MCP.Call("browser_snapshot", nil).Text))
			if r := p.MCP.Call("browser_tabs", apptest.Args{"action": "new", "url": "/form"}); r.IsError {
				// As many tabs as there may be.
				if p.MCP.Call("browser_tabs", apptest.Args{"action": "close"}); !strings.Contains(r.Text, "which is the limit") {
					t.Errorf("a new tab: %s", r.Text)
				}
				p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/form"})
			}
			if text := p.MCP.Must("browser_snapshot", nil); !strings.Contains(text, "textbox") {
				t.Errorf("the other tab: %.300s", text)
			}
			if r := p.MCP.Call("browser_tabs", apptest.Args{"action": "close", "index": 0}); r.IsError {
				t.Errorf("close its tab: %.300s", r.Text)
			}
			if text := p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"}); !strings.Contains(text, "/lab") {
				t.Errorf("after all that: %.300s", text)
			}
			if code := p.Stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
