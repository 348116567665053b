package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

// Ways of a page to spoil what a script in its world leans on. Each is done before
// the DOM is ready, or after the recorder has begun.
var sabotage = map[string]string{
	"natives are deleted": `delete Element.prototype.matches; delete Element.prototype.getAttribute; delete Array.prototype.map;
		delete Node.prototype.childNodes; delete Map.prototype.get; delete String.prototype.replace; delete window.MutationObserver`,
	"natives throw": `for (const [type, names] of [[Element, ['closest', 'matches', 'getAttribute']], [Node, ['contains', 'getRootNode']], [Array, ['push', 'forEach', 'from']]])
		for (const name of names) type.prototype[name] = () => { throw new Error('sabotage') };
		window.setTimeout = window.requestAnimationFrame = () => { throw new Error('sabotage') }`,
	"natives lie": `Element.prototype.closest = Element.prototype.matches = () => true; JSON.stringify = JSON.parse = () => 'lie'; Date.now = () => 0;
		Array.prototype.filter = function () { return [] }`,
	"getters throw": `for (const name of ['documentElement', 'readyState', 'body', 'styleSheets', 'defaultView', 'adoptedStyleSheets'])
		Object.defineProperty(document, name, { get() { throw new Error('sabotage') }, configurable: true });
		Object.defineProperty(Element.prototype, 'attributes', { get() { throw new Error('sabotage') } })`,
	"toJSON lies": `Object.prototype.toJSON = () => ({ type: 2, timestamp: 1, data: { node: { forged: 'forged' } } })`,
	"events are stolen": `const push = Array.prototype.push; Array.prototype.push = function (...all) { for (const one of all) if (one && one.timestamp) one.timestamp = 1; return push.apply(this, all) };
		EventTarget.prototype.addEventListener = () => {}; console.debug = (...all) => { window.stolen = all }; console.clear()`,
}

func TestAHostilePageIsRecordedAllTheSame(t *testing.T) {
	pages := map[string]string{"/other": `<!doctype html><p>Another tab</p>`}
	for name, script := range sabotage {
		path := strings.ReplaceAll(name, " ", "-")
		pages["/early/"+path] = `<!doctype html><script>` + script + `</script><p id=p>Early page</p>`
		pages["/late/"+path] = `<!doctype html><p id=p>Late page</p><script>window.spoil = () => {` + script + `}</script>`
	}
	here, _ := serve(t, pages)
	l := newLab(t)
	other, err := l.browser.NewTab(l.within())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Navigate(l.within(), here+"/other"); err != nil {
		t.Fatal(err)
	}
	l.awaitPosted("Another tab")
	n := 0
	for name := range sabotage {
		path := strings.ReplaceAll(name, " ", "-")
		n++
		l.open(here + "/early/" + path)
		l.eval(l.tab().MainFrame(), fmt.Sprintf("void document.getElementById('p').append('early words %d')", n))
		l.awaitPosted(fmt.Sprint("early words ", n))

		l.open(here + "/late/" + path)
		l.awaitPosted("Late page")
		l.eval(l.tab().MainFrame(), fmt.Sprintf("{ const p = document.getElementById('p'); spoil(); void p.append('late words %d') }", n))
		l.awaitPosted(fmt.Sprint("late words ", n))
		if got := l.eval(l.tab().MainFrame(), "typeof stolen"); got != `"undefined"` {
			t.Errorf("%s: the page got hold of the recorder", name)
		}
	}
	browsertest.Eval(t, other.MainFrame(), "void document.body.append('the other goes on')")
	l.awaitPosted("the other goes on")
	l.finish()
	if problems := l.ingest.Problems(); len(problems) != 0 {
		t.Errorf("batches were refused: %v", problems)
	}
	if strings.Contains(l.posted(), "forged") {
		t.Error("a forged event was taken")
	}
}

// The site's own page of this kind, whose script runs after the recorder began.
func TestTheSitesHostilePage(t *testing.T) {
	l := newLab(t)
	l.goTo("/hostile")
	l.awaitPosted("Hostile page")
	l.eval(l.tab().MainFrame(), "document.getElementById('press').dispatchEvent === undefined; void document.getElementById('out').firstChild.appendData(' and told')")
	l.awaitPosted("and told")
	if r := l.finish(); len(l.ingest.Problems()) != 0 || r.Lost() != 0 {
		t.Errorf("account %+v, problems %v", r, l.ingest.Problems())
	}
}

// Documents that are deeper or larger than a store takes.
func TestEnormousPages(t *testing.T) {
	deep := strings.Repeat("<div>", 300) + "the bottom" + strings.Repeat("</div>", 300)
	here, _ := serve(t, map[string]string{
		"/deep": `<!doctype html><p>Above</p>` + deep,
		"/deeper": `<!doctype html><p>Above it</p><script>
			let at = document.body; for (let i = 0; i < 600; i++) { const d = document.createElement('div'); at.append(d); at = d } at.append('the very bottom')</script>`,
		"/large":   `<!doctype html><p>Before the text</p><script>document.body.append('x'.repeat(20 << 20)); document.body.append('after the text')</script>`,
		"/styled":  `<!doctype html><style>` + strings.Repeat("p.a { color: rgb(1, 2, 3) } ", 30_000) + `</style><p>With style</p>`,
		"/many":    `<!doctype html><p>First of many</p>` + strings.Repeat("<p class=again>Again and again", 30_000),
		"/picture": `<!doctype html><p>With a picture</p><img src="data:image/png;base64,` + strings.Repeat("A", 3<<20) + `">`,
	})
	l := newLab(t)
	for path, want := range map[string]string{
		"/deep": "Above", "/deeper": "Above it", "/large": "Before the text", "/styled": "With style", "/many": "First of many", "/picture": "With a picture",
	} {
		l.open(here + path)
		l.awaitPosted(want)
		l.eval(l.tab().MainFrame(), fmt.Sprintf("void document.querySelector('p').append(' and on in %s')", path))
		l.awaitPosted("and on in " + path)
	}
	l.finish()
	if problems := l.ingest.Problems(); len(problems) != 0 {
		t.Errorf("batches were refused: %v", problems)
	}
	apptest.Await(t, "the style sheet", func() bool { return strings.Contains(l.posted(), "rgb(1, 2, 3)") })
}
