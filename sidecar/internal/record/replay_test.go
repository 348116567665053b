package record_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/proto/replay"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

type object = map[string]any

// element is a node of the library's tree.
func element(id int, tag string, attributes object, children ...object) object {
	if children == nil {
		children = []object{}
	}
	return object{"type": 2, "id": id, "tagName": tag, "attributes": attributes, "childNodes": children}
}

func textNode(id int, text string) object { return object{"type": 3, "id": id, "textContent": text} }

func document(nodes ...object) object { return object{"type": 0, "id": 1, "childNodes": nodes} }

// attack is what a hostile page could have its recorder say, or whoever has an
// ingest's token: every way that markup has to run a script, or to call home.
func attack(home string) []object {
	textless := object{"toString": 1, "valueOf": 1} // JavaScript makes no text of it
	const evil = "top.pwned = true; parent.pwned = true; window.pwned = true"
	page := document(element(2, "html", object{"onclick": evil},
		element(3, "head", object{},
			element(4, "base", object{"href": home}),
			element(5, "meta", object{"http-equiv": "refresh", "content": "0;url=" + home + "/refresh"}),
			element(6, "link", object{"rel": "stylesheet", "href": home + "/sheet"}),
			element(7, "link", object{"rel": "prefetch", "href": home + "/prefetch"}),
			element(8, "style", object{}, textNode(9, "@import url("+home+"/import); body { background: url("+home+"/background) } @font-face { font-family: f; src: url("+home+"/font) } p { font-family: f }")),
			element(10, "script", object{"src": home + "/script"}),
			element(11, "script", object{}, textNode(12, evil)),
			element(13, "noscript", object{}, textNode(14, "</noscript><script>"+evil+"</script>"))),
		element(20, "body", object{"onload": evil, "onpageshow": evil},
			element(21, "p", object{"id": "seen"}, textNode(22, "The page is still there")),
			element(23, "img", object{"src": "/none", "onerror": evil, "srcset": home + "/srcset 2x"}),
			element(24, "img", object{"src": home + "/picture", "onload": evil}),
			object{"type": 2, "id": 25, "tagName": "svg", "isSVG": true, "attributes": object{"onload": evil}, "childNodes": []object{
				{"type": 2, "id": 26, "tagName": "script", "isSVG": true, "attributes": object{}, "childNodes": []object{textNode(27, evil)}},
				{"type": 2, "id": 28, "tagName": "image", "isSVG": true, "attributes": object{"href": home + "/svg"}, "childNodes": []object{}},
			}},
			element(29, "iframe", object{"srcdoc": "<script>" + evil + "</script><img src=" + home + "/srcdoc>"}),
			element(30, "iframe", object{"src": "javascript:" + evil}),
			element(31, "iframe", object{"src": home + "/frame"}),
			element(32, "object", object{"data": home + "/object"}),
			element(33, "embed", object{"src": home + "/embed"}),
			element(34, "video", object{"src": home + "/video", "poster": home + "/poster", "autoplay": "", "onerror": evil}),
			element(35, "a", object{"href": "javascript:" + evil, "ping": home + "/ping", "autofocus": "", "onfocus": evil}, textNode(36, "link")),
			element(37, "form", object{"action": home + "/form"}, element(38, "input", object{"autofocus": "", "onfocus": evil})),
			element(39, "details", object{"open": "", "ontoggle": evil}),
			element(40, "div", object{"style": "background: url(" + home + "/style)", "rr_dataURL": "javascript:" + evil}),
			element(41, "canvas", object{"rr_dataURL": home + "/canvas"}))))
	change := func(at int, data object) object { return rrweb(at, 1, 3, data) }
	return []object{
		rrweb(0, 1, 4, object{"href": "javascript:" + evil, "width": 600, "height": 400}),
		rrweb(1, 1, 2, object{"node": page, "initialOffset": object{"top": 0, "left": 0}}),
		change(10, object{"source": 0, "texts": []object{}, "removes": []object{}, "adds": []object{
			{"parentId": 20, "nextId": nil, "node": element(50, "script", object{"src": home + "/added"}, textNode(51, evil))},
			{"parentId": 20, "nextId": nil, "node": element(52, "iframe", object{"srcdoc": "<script>" + evil + "</script>"})},
		}, "attributes": []object{
			{"id": 21, "attributes": object{"onclick": evil, "onmouseover": evil}},
			{"id": 31, "attributes": object{"src": "javascript:" + evil, "srcdoc": "<script>" + evil + "</script>"}},
			{"id": 24, "attributes": object{"src": home + "/changed"}},
			{"id": 39, "attributes": object{"style": object{"background": "url(" + home + "/object-style)"}}},
		}}),
		change(20, object{"source": 2, "type": 2, "id": 21, "x": 5, "y": 5}), // a click
		change(21, object{"source": 8, "id": 8, "adds": []object{{"rule": "@import url(" + home + "/rule)", "index": 0}, {"rule": "b { background: url(" + home + "/rule2) }", "index": 0}}}),
		change(22, object{"source": 9, "id": 41, "type": 0, "commands": []object{{"property": "drawImage", "args": []any{home + "/draw"}}}}),
		change(23, object{"source": 10, "family": "f", "fontSource": "url(" + home + "/face)", "buffer": false}),
		change(24, object{"source": 15, "id": 1, "styleIds": []int{1}, "styles": []object{{"styleId": 1, "rules": []object{{"rule": "i { background: url(" + home + "/adopted) }"}}}}}),
		rrweb(25, 1, 5, object{"tag": "<script>" + evil + "</script>", "payload": object{}}),
		rrweb(26, 1, 6, object{"plugin": "rrweb/console@1", "payload": object{"level": "log", "payload": []string{evil}}}),

		// What is no event, or no sense.
		rrweb(30, 1, 99, nil), rrweb(31, 1, 3, nil), change(32, object{"source": 0, "removes": []object{{"id": 9999, "parentId": 8888}}, "adds": nil, "texts": 7}),
		change(33, object{"source": "x"}), {"kind": "rrweb", "timestamp": 1.8e12, "data": "text"}, {"kind": "rrweb", "timestamp": "soon", "data": object{}},
		fact(0, "marker", object{"label": textless}), fact(0, "action", object{"tool": textless}),
		fact(0, "marker", object{"label": "recording_gap", "dropped": textless}),
		{"kind": "marker", "timestamp": 1.8e12, "data": nil}, {"kind": "other", "timestamp": 1.8e12, "data": object{"tab": "__proto__", "label": "toString"}},

		// A tab that can't be played, and one that was never drawn.
		rrweb(40, 2, 4, object{"href": "x"}), rrweb(41, 2, 2, object{"node": "none"}), rrweb(42, 2, 3, object{"source": 0}),
		fact(43, "marker", object{"label": "page_opened", "tab": 3, "url": "<img src=x onerror='" + evil + "'>"}),

		// What the page around it shows.
		fact(50, "console", object{"level": "error", "message": "<img src=x onerror='" + evil + "'>", "tab": 1}),
		fact(51, "console", object{"level": "error", "message": object{"html": "<b>"}, "tab": "1"}),
		fact(52, "marker", object{"label": "<script>" + evil + "</script>", "tab": 1}),
		fact(53, "action", object{"tool": "<svg onload='" + evil + "'>", "target": "\"><script>" + evil + "</script>", "duration_ms": "1", "outcome": 3}),
		fact(54, "marker", object{"label": "takeover_started", "user": object{"name": "<script>" + evil + "</script>"}}),
	}
}

func rrweb(at, tab, typ int, data any) object {
	return fact(at, "rrweb", object{"type": typ, "data": data, "timestamp": 1.8e12 + float64(at), "tab": tab})
}

func fact(at int, kind string, data any) object {
	return object{"kind": kind, "timestamp": 1.8e12 + float64(at), "data": data}
}

// A recording that was made to attack whoever looks at it runs nothing and calls
// nobody, on the page and in the file that is sent around, and what of it can be
// shown is shown.
func TestReplayOfAHostileRecording(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	home := apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		t.Errorf("somebody looked, and %s heard of it", r.URL)
	}))
	a, err := archive.Create(t.Context(), filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r, err := a.Begin(t.Context(), archive.About{Title: "</title><script>window.pwned = true</script>", App: "javascript:pwned = true"}, time.UnixMilli(1_800_000_000_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range attack(home) {
		data, err := json.Marshal(e["data"])
		if err != nil {
			t.Fatal(err)
		}
		at, _ := e["timestamp"].(float64)
		if err := a.Append(t.Context(), r.ID, "", []archive.Event{{Kind: fmt.Sprint(e["kind"]), Time: at, Data: data}}); err != nil {
			t.Fatal(err)
		}
	}
	pages := apptest.Serve(t, replay.Handler(a, nil))
	export := get(t, pages+"/"+r.ID+"/export.html")
	// A host that serves the file says nothing of its own about it.
	elsewhere := apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, export)
	}))
	file := filepath.Join(apptest.Workdir(t), "recording.html")
	if err := os.WriteFile(file, []byte(export), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Free(t)
	tab := b.Tabs()[0]
	for _, page := range []string{pages + "/" + r.ID + "/", elsewhere + "/", "file://" + file} {
		if _, err := tab.Navigate(t.Context(), page+"#t=30"); err != nil {
			t.Fatal(err)
		}
		ask := func(expression string) string { return browsertest.Eval(t, tab.MainFrame(), expression) }
		apptest.Await(t, "the replay", func() bool { return ask("document.documentElement.dataset.state") == `"ready"` })
		if got := ask("document.querySelector('.player:not([hidden]) iframe').contentDocument.getElementById('seen').textContent"); got != `"The page is still there"` {
			t.Errorf("the page shows %s", got)
		}
		// Played from the beginning to the end, in each tab, with a hand on it.
		ask("document.getElementById('skip').click()")
		for n := range 3 {
			ask(fmt.Sprintf("document.querySelectorAll('.tab')[%d].click()", n))
			ask("document.getElementById('play').click()")
			apptest.Await(t, "the end", func() bool { return ask("document.getElementById('play').textContent") == `"Play"` })
		}
		ask("document.querySelectorAll('#items button').forEach((b) => b.click())")
		ask("document.querySelectorAll('.tab')[0].click()")
		ask("document.querySelectorAll('.player iframe').forEach((f) => f.contentDocument.querySelectorAll('*').forEach((e) => { e.click?.(); e.focus?.(); }))")
		if got := ask("[window.pwned, document.querySelectorAll('.player script[src], aside img, aside script, nav img').length].join()"); got != `",0"` {
			t.Errorf("on %s: %s", page, got)
		}
		for _, f := range tab.Frames() {
			if got := browsertest.Eval(t, f, "window.pwned === undefined"); got != "true" {
				t.Errorf("a script ran in the frame of %s", f.URL())
			}
		}
		if got := ask("document.getElementById('items').textContent"); !strings.Contains(got, "<script>") || !strings.Contains(got, "onerror") {
			t.Errorf("the list does not say what there was: %s", got)
		}
		if tab.URL() != page+"#t=30" && tab.URL() != page {
			t.Errorf("the page went to %s", tab.URL())
		}
	}
	if len(b.Tabs()) != 1 {
		t.Errorf("%d tabs are open", len(b.Tabs()))
	}
}

// session is two tabs, one after the other, and something of each kind.
func session() []object {
	page := func(text string) object {
		return document(element(2, "html", object{}, element(3, "head", object{}), element(4, "body", object{}, element(5, "p", object{"id": "text"}, textNode(6, text)))))
	}
	texts := func(at, tab int, text string) object {
		return rrweb(at, tab, 3, object{"source": 0, "texts": []object{{"id": 6, "value": text}}, "attributes": []object{}, "removes": []object{}, "adds": []object{}})
	}
	meta := object{"href": "http://app.test/", "width": 400, "height": 300}
	return []object{
		fact(0, "marker", object{"label": "page_opened", "tab": 1, "url": "http://app.test/one"}),
		// The empty page that a tab begins with; its address is not even a text.
		rrweb(20, 1, 4, object{"href": object{"toString": 1}, "width": 400, "height": 300}), rrweb(21, 1, 2, object{"node": document(element(2, "html", object{}, element(3, "head", object{}), element(4, "body", object{}))), "initialOffset": object{"top": 0, "left": 0}}),
		rrweb(100, 1, 4, meta), rrweb(101, 1, 2, object{"node": page("one"), "initialOffset": object{"top": 0, "left": 0}}),
		texts(1000, 1, "one and a half"),
		fact(1500, "action", object{"tool": "browser_click", "target": "the button", "duration_ms": 20, "outcome": "ok"}),
		fact(1600, "action", object{"tool": "browser_type", "target": "Name", "duration_ms": 5, "outcome": "error"}),
		fact(2000, "marker", object{"label": "page_opened", "tab": 2, "url": "http://other.test/two"}),
		rrweb(2100, 2, 4, meta), rrweb(2101, 2, 2, object{"node": page("two"), "initialOffset": object{"top": 0, "left": 0}}),
		texts(2090, 2, "two and a bit"), // the clocks of two batches were not the same
		fact(2500, "console", object{"level": "error", "text": "It broke", "message": "It broke", "tab": 2}),
		fact(3000, "marker", object{"label": "takeover_started", "source": "human", "user": object{"id": "7", "name": "Ada"}}),
		fact(3500, "marker", object{"label": "takeover_ended", "source": "human", "user": object{"id": "7", "name": "Ada"}, "reason": "handed_back"}),
		fact(3800, "action", object{"tool": "browser_tabs", "what": "select", "duration_ms": 100, "outcome": "ok", "tab": 1}),
		fact(3960, "console", object{"level": "warning", "text": "Behind", "message": "Behind", "tab": 2}),
		fact(4000, "marker", object{"label": "refused", "kind": "connection", "target": "10.0.0.1:80", "rule": "private"}),
		fact(60_000, "marker", object{"label": "page_closed", "tab": 2}),
		fact(61_000, "marker", object{"label": "stopping", "reason": "command"}),
	}
}

// A person finds what happened, goes there, and sees the tab that it was in.
func TestReplayPage(t *testing.T) {
	t.Parallel()
	a, err := archive.Create(t.Context(), filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r, err := a.Begin(t.Context(), archive.About{App: "http://app.test"}, time.UnixMilli(1_800_000_000_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range session() {
		data, err := json.Marshal(e["data"])
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Append(t.Context(), r.ID, "", []archive.Event{{Kind: e["kind"].(string), Time: e["timestamp"].(float64), Data: data}}); err != nil {
			t.Fatal(err)
		}
	}
	tab := browsertest.Free(t).Tabs()[0]
	ask := func(expression string) string { return browsertest.Eval(t, tab.MainFrame(), expression) }
	if _, err := tab.Navigate(t.Context(), apptest.Serve(t, replay.Handler(a, nil))+"/"+r.ID); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "the replay", func() bool { return ask("document.documentElement.dataset.state") == `"ready"` })

	const (
		shown  = "document.querySelector('.player:not([hidden]) iframe')?.contentDocument.getElementById('text')?.textContent ?? document.getElementById('notice').textContent"
		listed = "[...document.querySelectorAll('#items li:not([hidden])')].map((r) => r.querySelector('b').textContent).join()"
	)
	item := func(n int) string { return fmt.Sprintf("document.querySelectorAll('#items button')[%d].click()", n) }
	search := func(text string) string {
		return fmt.Sprintf("(() => { const s = document.getElementById('search'); s.value = %q; s.dispatchEvent(new Event('input')) })()", text)
	}
	set := func(id, value string) string {
		return fmt.Sprintf("(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event(e.id === 'speed' ? 'change' : 'input')) })()", id, value)
	}
	for _, step := range []struct{ do, look, want string }{
		{"", shown, "one"}, // no moment is named: the first with something to see
		{"location.hash = '#t=0'", shown, "This page had not drawn anything yet."},
		{"", listed, "Opened,click,type,Opened,Error,A person took over,A person let go,tabs,Warning,Refused,Closed,The session ended"},
		{"", "[...document.querySelectorAll('.tab')].map((b) => b.textContent).join()", "1 · /one,2 · http://other.test/two"},
		{"", "document.querySelectorAll('#marks i').length + ' ' + document.getElementById('length').textContent", "12 1:01"},
		{item(1), shown, "one and a half"},
		{item(4), shown, "two and a bit"}, // with the tab that it was in
		{"", "document.querySelector('.tab[aria-selected=true]').textContent.slice(0, 1) + document.querySelector('[aria-current] b').textContent", "2Error"},
		{set("seek", "3850"), shown, "two and a bit"},
		{set("seek", "3950"), shown, "one and a half"}, // the agent has gone back
		{item(8), shown, "two and a bit"},              // it was in a tab behind
		{set("seek", "3955"), shown, "one and a half"},
		{set("seek", "500"), shown, "one"},
		{"document.querySelectorAll('.tab')[1].click()", shown, "This page had not drawn anything yet."},
		{"document.getElementById('follow').click()", shown, "one"},
		{set("seek", "60500"), shown, "one and a half"}, // the second tab is closed
		{"location.hash = '#t=60500&tab=2'", shown, "This tab was closed."},
		{search("ada  LET"), listed, "A person let go"},
		{search("the button"), listed, "click"},
		{search(""), "document.getElementById('count').textContent", "12"},
		{"document.querySelector('#kinds .page input').click()", listed, "click,type,Error,A person took over,A person let go,tabs,Warning,Refused,The session ended"},
		// At eight times the speed, and without what is idle, a minute is soon over.
		{"document.getElementById('follow').click()", "document.getElementById('skip').checked", "true"},
		{set("speed", "8"), "document.getElementById('play').textContent", "Play"},
		{set("seek", "0") + ", document.getElementById('play').click()", "document.getElementById('play').textContent", "Pause"},
		{"", "(document.getElementById('now').textContent === '1:01' ? document.getElementById('play').textContent : '')", "Play"},
		{"", shown, "one and a half"},
	} {
		if step.do != "" {
			ask(step.do)
		}
		got := ""
		for begin := time.Now(); time.Since(begin) < 10*time.Second; {
			if json.Unmarshal([]byte(ask("String("+step.look+")")), &got); got == step.want {
				break
			}
		}
		if got != step.want {
			t.Errorf("after %s: %s, want %s", step.do, got, step.want)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
