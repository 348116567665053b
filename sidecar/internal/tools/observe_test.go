package tools_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/tools"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// many is a list that is long enough to be worth leaving out.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<li><a href='/item/%d'>Item number %d</a>", i, i)
	}
	return "<ul>" + b.String() + "</ul>"
}

const cart = `<button id=x onclick="p.textContent = ++n + ' in the cart'">Buy</button><p id=p>Nothing in the cart</p><input aria-label=Name><script>var n = 0</script>`

func TestASnapshotSaysWhatChanged(t *testing.T) {
	w := open(t)
	text := w.show(cart + many(50))
	ref := w.ref(text, `button "Buy"`)
	shown := section(w.ok("browser_click", args{"target": ref, "snapshot": "changes"}), "Snapshot")
	for _, want := range []string{"```yaml\n# changes since the last snapshot", `- button "Buy" [active] [ref=` + ref + `] # changed`, "1 in the cart # changed"} {
		w.has(shown, want)
	}
	w.lacks(shown, "Item number", "Nothing in the cart")
	if got := section(w.ok("browser_hover", args{"target": ref, "snapshot": "changes"}), "Snapshot"); got != "```yaml\n# no changes since the last snapshot\n```" {
		t.Errorf("of no change:\n%s", got)
	}
	// What other answers showed counts as seen.
	w.has(w.ok("browser_click", args{"target": ref}), "Item number 49", "2 in the cart")
	w.lacks(w.ok("browser_wait_for", args{"time": 0.01, "snapshot": "changes"}), "in the cart", "Item")
	// What was not shown does not.
	w.ok("browser_click", args{"target": ref, "snapshot": "none"})
	w.has(w.ok("browser_wait_for", args{"time": 0.01, "snapshot": "changes"}), "3 in the cart # changed")
	// A tool that shows nothing by itself shows what is asked for.
	w.has(w.ok("browser_type", args{"target": "input", "text": "Ann", "snapshot": "changes"}), `- textbox "Name" [active]`, ": Ann # changed")
	w.lacks(w.ok("browser_press_key", args{"key": "Enter", "snapshot": "none"}), "### Snapshot")
	// Another page, another tab and another agent begin anew.
	w.lacks(w.ok("browser_navigate", args{"url": w.url + "/login", "snapshot": "changes"}), "# changes")
	other := w.agent(t)
	w.has(other.show(cart), "```yaml\n- ")
	w.lacks(other.ok("browser_tabs", args{"action": "select", "index": 0}), "### Snapshot")
	w.lacks(other.ok("browser_wait_for", args{"time": 0.01, "snapshot": "changes"}), "# changes", "# no changes")
	w.fails("browser_click", args{"target": "#x", "snapshot": "some"}, `expected one of "full"|"changes"|"none"`)
}

func TestASessionCanAskForLess(t *testing.T) {
	w := open(t, func(o *tools.Options, _ *files.Limits) { o.Snapshot = proto.SnapshotNone })
	if got := w.show(cart); strings.Contains(got, "### Snapshot") || !strings.Contains(got, "### Page\n- Page URL: "+w.url) {
		t.Errorf("of a new page:\n%s", got)
	}
	if got := w.ok("browser_click", args{"target": "#x"}); got != "" {
		t.Errorf("of nothing new:\n%s", got)
	}
	w.lacks(w.ok("browser_tabs", args{"action": "new", "url": w.url + "/login"}), "### Snapshot")
	w.ok("browser_tabs", args{"action": "close"})
	w.has(w.snapshot(), "1 in the cart")
	w.has(w.ok("browser_click", args{"target": "#x", "snapshot": "full"}), "2 in the cart")

	w = open(t, func(o *tools.Options, _ *files.Limits) { o.Snapshot = proto.SnapshotChanges })
	w.has(w.show(cart+many(20)), "Item number 19")
	w.has(w.ok("browser_click", args{"target": "#x"}), "# changes since", "1 in the cart")
	w.has(w.snapshot(), "Item number 19") // asked for by name, it is all there
	w.has(w.ok("browser_click", args{"target": "#x", "snapshot": "full"}), "Item number 19")
}

func TestASnapshotHasABudget(t *testing.T) {
	w := open(t, func(o *tools.Options, _ *files.Limits) { o.SnapshotMaxChars = 3000 })
	text := w.show(cart + many(500))
	shown := section(text, "Snapshot")
	if len(shown) > 4000 || len(shown) < 2000 {
		t.Errorf("it has %d characters", len(shown))
	}
	w.has(shown, `- button "Buy"`, "Item number 0", "# … ", "Lines with # stand for what was left out to stay under 3000 characters", "browser_find", "\n```")
	w.has(w.ok("browser_find", args{"text": "number 250"}), "Found 1 match for \"number 250\":\n\n- generic", `link "Item number 250"`)
	w.has(w.ok("browser_snapshot", args{"filename": "all.yml"}), "- [Snapshot](./all.yml)")
	if all := string(w.fetch("./all.yml")); !strings.Contains(all, "Item number 499") || strings.Contains(all, "# …") {
		t.Errorf("in a file there are %d characters", len(all))
	}
	text = w.ok("browser_snapshot", args{"target": "li >> nth=250"})
	w.has(text, "Item number 250")
	w.lacks(text, "Item number 251", "# …")
	text = w.ok("browser_snapshot", args{"depth": 1})
	w.lacks(text, "Item number")
	w.has(w.ok("browser_snapshot", args{"target": "#x", "boxes": true}), "[box=")
}

func TestFindLooksInEveryFrame(t *testing.T) {
	w := open(t)
	w.serve("/inner", `<input type=password aria-label=Password>`)
	w.show(`<p>one needle</p><iframe src="/inner"></iframe><div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<b>Needle two</b>'</script>` + many(30))
	w.has(w.ok("browser_find", args{"text": "NEEDLE"}), "### Result\nFound 2 matches for \"NEEDLE\":\n\n", "one needle", "Needle two")
	await(t, "the frame", func() bool {
		return strings.Contains(w.ok("browser_find", args{"text": "password"}), "textbox")
	})
	w.has(w.ok("browser_find", args{"regex": "/^\\s*- text: one|Needle t/"}), "Found ")
	w.has(w.ok("browser_find", args{"text": "haystack"}), `No matches found for "haystack".`)
	w.has(w.ok("browser_find", args{"text": "needle", "filename": "found.md"}), "### Result\n- [Find results](./found.md)")
	w.has(string(w.fetch("found.md")), "Found 2 matches")
	w.fails("browser_find", args{"text": "a", "regex": "b"}, "not both")
}

func TestWaiting(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	w.show(`<p id=p>Loading</p><iframe srcdoc="<p>in the frame</p>"></iframe>`)
	w.js("() => { setTimeout(() => { p.textContent = 'Arrived  at\\n last' }, 300) }")
	w.has(w.ok("browser_wait_for", args{"text": "arrived at last"}), "### Result\nWaited for arrived at last\n### Page", "### Snapshot")
	w.has(w.ok("browser_wait_for", args{"text": "in the frame"}), "Waited for in the frame")
	w.has(w.ok("browser_wait_for", args{"textGone": "Loading", "text": "last", "time": 0.1}),
		"### Result\nWaited for 0.1 seconds\nWaited for text to be gone: Loading\nWaited for last\n")
	w.fails("browser_wait_for", args{"textGone": "last"}, "TimeoutError: ", "Timeout 5000ms exceeded", "to go away")
	for name, a := range map[string]args{"none": {}, "zero": {"time": 0}, "below": {"time": -1}, "empty": {"text": ""}} {
		if r := w.call("browser_wait_for", a); !strings.Contains(r.text, "Either time, text or textGone must be provided") {
			t.Errorf("%s: %s", name, r.text)
		}
	}
	start := time.Now()
	r := w.callIn(w.within(time.Second), "browser_wait_for", args{"time": 99})
	if !r.isError || !strings.Contains(r.text, "TimeoutError: the call ran out of its time: wait for 30s") || time.Since(start) > 5*time.Second {
		t.Errorf("after %v: %s", time.Since(start), r.text)
	}
}

func TestMediaAreEmulated(t *testing.T) {
	w := open(t)
	w.serve("/media", `<iframe src="{other}/login"></iframe>`)
	w.visit("/media")
	media := func() string {
		t.Helper()
		return strings.Join(strings.Fields(w.js(`() => ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)', '(forced-colors: active)', '(prefers-contrast: more)', 'print'].map((q) => matchMedia(q).matches ? 1 : 0).join('')`)), "")
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{}, `"00000"`}, {args{"colorScheme": "dark", "media": "print"}, `"10001"`}, {args{"reducedMotion": "reduce"}, `"11001"`},
		{args{"forcedColors": "active", "contrast": "more", "media": nil}, `"11110"`}, {args{"colorScheme": "light"}, `"01110"`},
		{args{"colorScheme": nil, "reducedMotion": nil, "forcedColors": nil, "contrast": nil}, `"00000"`},
	} {
		if got := w.ok("browser_emulate_media", c.args); got != "" {
			t.Errorf("%v: %s", c.args, got)
		}
		if got := media(); got != c.want {
			t.Errorf("%v: %s, want %s", c.args, got, c.want)
		}
	}
	w.ok("browser_emulate_media", args{"colorScheme": "dark"})
	w.visit("/media")
	if got := media(); got != `"10000"` {
		t.Errorf("after a navigation: %s", got)
	}
	await(t, "the frame of another site to be dark", func() bool {
		frames := w.b.Tabs()[0].Frames()
		return len(frames) == 2 && strings.HasPrefix(frames[1].URL(), w.other()) && frames[1].MainWorld() != 0 &&
			evalIn(t, frames[1], "matchMedia('(prefers-color-scheme: dark)').matches") == "true"
	})
}

func TestRequestsAreListedAndShown(t *testing.T) {
	w := open(t)
	w.mux.HandleFunc("/api", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("X-Answer", "yes")
		fmt.Fprint(rw, `{"a": 1}`)
	})
	w.show(`<script src=/static/js/page.js></script>`)
	w.js("async () => { await (await fetch('/api?q=1', {method: 'POST', body: 'sent', headers: {'X-Own': 'x'}})).text(); await fetch('/api/status?code=404').catch(() => 0); await fetch('http://127.0.0.1:1/refused').catch(() => 0); await (await fetch('/static/logo.svg')).blob(); const i = new Image(); i.src = '/slow/image?for=1ms'; await i.decode() }")
	list := w.ok("browser_network_requests", nil)
	w.has(list, "### Result\n", "[POST] "+w.url+"/api?q=1 => [200] OK", "/api/status?code=404 => [404] Not Found", "/refused => [FAILED] net::ERR_",
		"static requests not shown, run with \"static\" option to see them.")
	w.lacks(list, "page.js")
	w.has(w.ok("browser_network_requests", args{"static": true}), "1. [GET] "+w.url+"/page/1 => [200] OK", "page.js")
	filtered := w.ok("browser_network_requests", args{"filter": "/API\\?/i"})
	w.has(filtered, "/api?q=1")
	w.lacks(filtered, "status")
	w.has(w.ok("browser_network_requests", args{"filter": "nosuch"}), "No requests so far.")
	w.has(w.ok("browser_network_requests", args{"filename": "net.log"}), "- [Network](./net.log)")

	index := func(part string) int {
		t.Helper()
		var n int
		for line := range strings.SplitSeq(w.ok("browser_network_requests", args{"static": true}), "\n") {
			if strings.Contains(line, part) {
				fmt.Sscan(line, &n)
			}
		}
		if n == 0 {
			t.Fatalf("no %s", part)
		}
		return n
	}
	n := index("/api?q=1")
	text := w.ok("browser_network_request", args{"index": n})
	w.has(text, fmt.Sprintf("### Result\n#%d [POST] %s/api?q=1\n\n  General\n    status:    [200] OK\n    duration:  ", n, w.url), "ms\n    type:      fetch\n    mimeType:  application/json\n",
		"\n  Request headers\n    ", "\n    x-own: x\n", "\n  Response headers\n    ", "\n    x-answer: yes",
		"\nCall browser_network_request with part=\"request-body\" to read the request body.\nCall browser_network_request with part=\"response-body\" to read the response body.")
	for part, want := range map[string]string{"request-body": "### Result\nsent", "response-body": "### Result\n{\"a\": 1}"} {
		if got := w.ok("browser_network_request", args{"index": n, "part": part}); got != want {
			t.Errorf("%s: %s", part, got)
		}
	}
	w.has(w.ok("browser_network_request", args{"index": n, "part": "request-headers"}), "### Result\n", "x-own: x")
	w.has(w.ok("browser_network_request", args{"index": n, "part": "response-headers"}), "x-answer: yes")
	w.has(w.ok("browser_network_request", args{"index": n, "part": "response-body", "filename": "body.json"}), "- [Response body](./body.json)")
	if got := string(w.fetch("body.json")); got != `{"a": 1}` {
		t.Errorf("the file holds %s", got)
	}
	if got := w.ok("browser_network_request", args{"index": index("/refused"), "part": "response-body"}); got != "" {
		t.Errorf("the body of a failure: %s", got)
	}
	text = w.ok("browser_network_request", args{"index": index("/slow/image"), "part": "response-body"})
	m := linkForm.FindStringSubmatch(text)
	if m == nil || !strings.HasSuffix(m[2], ".gif") || !strings.HasPrefix(string(w.fetch(m[2])), "GIF89a") {
		t.Errorf("a picture: %s", text)
	}
}
