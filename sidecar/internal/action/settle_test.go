package action_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
)

// TestSettle presses a button and reads the page at once: what the press brought
// about must be there.
func TestSettle(t *testing.T) {
	const button = `<button id=b onclick="go()">Go</button><div id=out>old</div><script>
const show = (s = 'new') => { out.textContent = s; };
const after = (ms) => new Promise(r => setTimeout(r, ms));
%s</script>`
	for _, tc := range []struct{ name, script, want string }{
		{"at once", `function go() { show() }`, "new"},
		{"in a microtask", `function go() { Promise.resolve().then(() => show()) }`, "new"},
		{"in a frame", `function go() { requestAnimationFrame(() => requestAnimationFrame(() => show())) }`, "new"},
		{"by a message", `const c = new MessageChannel(); c.port1.onmessage = () => show(); function go() { c.port2.postMessage(0) }`, "new"},
		{"after 0 ms", `function go() { setTimeout(show, 0) }`, "new"},
		{"after 20 ms", `function go() { setTimeout(show, 20) }`, "new"},
		{"after 50 ms", `function go() { setTimeout(show, 50) }`, "new"},
		{"after 100 ms", `function go() { setTimeout(show, 100) }`, "new"},
		{"after 300 ms", `function go() { setTimeout(show, 300) }`, "new"},
		{"after a chain of timers", `function go() { setTimeout(() => setTimeout(() => setTimeout(show, 60), 60), 60) }`, "new"},
		{"after a debounce", `let t; function go() { clearTimeout(t); t = setTimeout(show, 200) }`, "new"},
		{"a timer set in a microtask", `async function go() { await null; setTimeout(show, 200) }`, "new"},
		{"a timer set by an effect of the click", `function go() { out.dispatchEvent(new Event('x')) } addEventListener('x', () => setTimeout(show, 200), true)`, "new"},
		{"an awaited timer", `async function go() { await after(150); show() }`, "new"},
		{"fetch", `async function go() { show(await (await fetch('/data?ms=80')).text()) }`, "data"},
		{"a quick fetch", `async function go() { show(await (await fetch('/data?ms=0')).text()) }`, "data"},
		{"fetch twice", `async function go() { await fetch('/data?ms=60'); show(await (await fetch('/more?ms=60')).text()) }`, "data"},
		{"fetch after a timer", `function go() { setTimeout(async () => show(await (await fetch('/data?ms=80')).text()), 100) }`, "data"},
		{"fetch, then frames", `async function go() { await fetch('/data?ms=50'); requestAnimationFrame(() => show()) }`, "new"},
		{"a slow fetch", `async function go() { show(await (await fetch('/data?ms=1500')).text()) }`, "data"},
		{"XHR", `function go() { const x = new XMLHttpRequest(); x.onload = () => show(x.responseText); x.open('GET', '/data?ms=80'); x.send() }`, "data"},
		{"a script that is loaded", `function go() { const s = document.createElement('script'); s.src = '/lazy.js'; document.head.append(s) }`, "lazy"},
		{"pushState and render", `async function go() { history.pushState({}, '', '/elsewhere'); const t = await (await fetch('/data?ms=50')).text(); show(t + location.pathname) }`, "data/elsewhere"},
		{"navigation", `function go() { location.href = '/next?ms=100' }`, "next"},
		{"navigation after a timer", `function go() { setTimeout(() => location.href = '/next?ms=50', 150) }`, "next"},
		{"navigation that is redirected", `function go() { location.href = '/redirect' }`, "next"},
		{"navigation to a page that fetches", `function go() { location.href = '/fetching' }`, "data"},
		{"navigation to a page with a picture that hangs", `function go() { location.href = '/hanging' }`, "hanging"},
		{"reload", `function go() { sessionStorage.n = '1'; location.reload() } if (sessionStorage.n) addEventListener('load', () => show('again'))`, "again"},
		{"fading out", `const d = document.createElement('p'); d.id = 'gone'; d.textContent = 'Saved'; document.body.append(d); function go() { d.animate([{opacity:1},{opacity:0}], 250).onfinish = () => { d.remove(); show(document.getElementById('gone') ? 'there' : 'gone') } }`, "gone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := blank(t)
			s.page("/{$}", fmt.Sprintf(button, tc.script))
			s.serveData()
			s.visit("/")
			start := time.Now()
			s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
			t.Logf("took %v", time.Since(start))
			s.want(`document.getElementById('out').textContent`, fmt.Sprintf("%q", tc.want))
		})
	}
}

func (s *stage) serveData() {
	wait := func(r *http.Request) {
		if d, err := time.ParseDuration(r.FormValue("ms") + "ms"); err == nil {
			select {
			case <-time.After(d):
			case <-r.Context().Done():
			}
		}
	}
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { wait(r); fmt.Fprint(w, body) }
	}
	s.mux.HandleFunc("/data", text("data"))
	s.mux.HandleFunc("/more", text("data"))
	s.mux.HandleFunc("/lazy.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		time.Sleep(50 * time.Millisecond)
		fmt.Fprint(w, "show('lazy')")
	})
	s.mux.HandleFunc("/next", func(w http.ResponseWriter, r *http.Request) {
		wait(r)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<div id=out>next</div>")
	})
	s.mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next?ms=50", http.StatusFound) })
	s.page("/fetching", `<div id=out>loading</div><script>onload = async () => { out.textContent = await (await fetch('/data?ms=100')).text() }</script>`)
	s.page("/hanging", `<div id=out>hanging</div><img src=/hang>`)
	s.mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// TestSettleIsQuick has pages that are never still; an action must not wait for
// them as for an answer.
func TestSettleIsQuick(t *testing.T) {
	const limit = 400 * time.Millisecond // half of what a fixed pause would take here
	for _, tc := range []struct{ name, body string }{
		{"a clock", `<p id=p></p><script>setInterval(() => p.textContent = performance.now(), 10)</script>`},
		{"a feed", `<ul id=u></ul><script>setInterval(() => { const l = document.createElement('li'); l.textContent = performance.now(); u.append(l); if (u.children.length > 50) u.firstChild.remove() }, 16)</script>`},
		{"a spinner", `<style>@keyframes x { to { transform: rotate(1turn) } } i { display: inline-block; animation: x 1s infinite linear }</style><i>o</i>`},
		{"timers of its own", `<script>const tick = () => setTimeout(tick, 15); tick()</script>`},
		{"a long poll", `<script>const poll = () => fetch('/hang?' + Math.random()).catch(() => 0).finally(poll); poll()</script>`},
		{"polling", `<script>setInterval(() => fetch('/data?ms=0&' + Math.random()), 30)</script>`},
		{"a picture that hangs", `<img src=/hang>`},
		{"an event stream", `<script>new EventSource('/hang')</script>`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := blank(t)
			s.page("/{$}", `<button id=b onclick="out.textContent='new'">Go</button><div id=out>old</div>`+tc.body)
			s.serveData()
			s.mux.HandleFunc("/quick", func(http.ResponseWriter, *http.Request) {})
			s.tab.Navigate(s.ctx, s.url+"/")
			s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
			quickest := time.Hour // of three: what a busy machine adds is not the wait's
			for range 3 {
				start := time.Now()
				s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
				quickest = min(quickest, time.Since(start))
			}
			s.want(`out.textContent`, `"new"`)
			if quickest > limit {
				t.Errorf("took %v, as if the page had something to say", quickest)
			}
		})
	}
}
