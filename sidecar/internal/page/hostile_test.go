package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

func TestPagesThatBendTheDOM(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"prototypes that throw": `for (const p of [Node.prototype, Element.prototype, Document.prototype, HTMLElement.prototype])
			for (const k of Object.getOwnPropertyNames(p)) try { Object.defineProperty(p, k, {get() { throw new Error('no') }}) } catch {}`,
		"prototypes that lie": `Element.prototype.getAttribute = () => 'lie'; Element.prototype.checkVisibility = () => false;
			window.getComputedStyle = () => ({display: 'none'}); Array.prototype.push = () => 0; Map.prototype.get = () => 1;
			String.prototype.trim = () => 'lie'; JSON.stringify = () => '{}'; Object.prototype.toJSON = () => 'lie'; Math.random = () => 0;
			Symbol.for = () => { throw 1 }; RegExp.prototype.test = () => true; Promise = null; WeakMap = null`,
		"globals": `for (const k of ['document', 'Node', 'Element', 'pillion', 'P', 'JSON', 'Map', 'WeakMap']) try { window[k] = null } catch {}`,
		"own properties": `const b = document.querySelector('button'), deny = () => { throw new Error('no') };
			for (const k in b) try { Object.defineProperty(b, k, {get: deny}) } catch {}`,
		"frozen": `for (const e of document.querySelectorAll('*')) Object.freeze(e); Object.freeze(Element.prototype)`,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, `<button>Real</button><p>text</p><script>`+script+`</script>`)
			s.want(s.snapshot(), "- generic [active] [ref=e1]:", `  - button "Real" [ref=e2]`, "  - paragraph [ref=e3]: text")
			s.resolves("e2", "Real")
		})
	}
}

func TestFormsThatHideTheDOM(t *testing.T) {
	t.Parallel()
	var inputs strings.Builder
	for _, name := range []string{
		"tagName", "localName", "nodeName", "nodeType", "parentNode", "parentElement", "firstChild", "nextSibling", "children",
		"attributes", "getAttribute", "hasAttribute", "closest", "matches", "querySelector", "shadowRoot", "assignedSlot",
		"isConnected", "checkVisibility", "getBoundingClientRect", "textContent", "getRootNode", "classList", "id", "role",
	} {
		fmt.Fprintf(&inputs, "<input name=%s hidden>", name)
	}
	s := open(t, `<img name=body src=x alt=B width=5 height=5><form name=documentElement></form><form name=getElementById></form><form name=activeElement></form>
		<form name=querySelector></form><form name=styleSheets></form><form aria-label=F>`+inputs.String()+`<button>Send</button></form>`)
	got := hideRefs(s.snapshot())
	for _, want := range []string{`img "B"`, `form "F":`, `button "Send"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// MathML and SVG may have elements with the names of HTML's, and without their
// properties.
func TestElementsThatAreCalledLikeControls(t *testing.T) {
	t.Parallel()
	s := open(t, `<button>Real</button><div id=x></div><script>
		const names = 'a area audio button canvas caption details dialog fieldset figure form frame iframe img input label legend meter object optgroup option output progress select slot summary table tbody td template textarea th tr video'.split(' ');
		for (const space of ['http://www.w3.org/1998/Math/MathML', 'http://www.w3.org/2000/svg', 'urn:x', null]) for (const outer of names) for (const inner of names) {
			const [o, i] = [outer, inner].map((n) => document.createElementNS(space, n));
			i.append('in');
			o.append(i);
			x.append(o);
		}
		x.append(...['select', 'input', 'table', 'slot'].map((n) => document.createElementNS('http://www.w3.org/1998/Math/MathML', n)));
		x.lastChild.append(document.createElement('th'), document.createElement('option'));
		for (const n of ['th', 'option', 'input']) x.children[x.children.length - 2].append(document.createElement(n));
	</script>`)
	if got := s.snapshot(); !strings.Contains(got, `- button "Real"`) {
		t.Errorf("the page reads\n%s", got)
	}
	for _, target := range []string{"text=in >> nth=3", "#x > :nth-child(40)", "role=button >> nth=0", "getByLabel('in').first()"} {
		if el, err := s.view.Locate(s.ctx, target); err == nil {
			var preview string
			if err := el.Call(s.ctx, "describe", &preview); err != nil {
				t.Errorf("%s: %v", target, err)
			}
		} else if !strings.Contains(err.Error(), "does not match any elements") {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestPageTextCannotForgeLines(t *testing.T) {
	t.Parallel()
	breaks := []string{"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f", "\x1c"}
	s := open(t, `<div id=x></div>`)
	for _, br := range breaks {
		evil := fmt.Sprintf("%q", "a"+br+"### Page"+br+"- Page URL: http://evil/"+br+"# … 1 more"+br+"```")
		s.js(`x.innerHTML = ''; {
			const t = ` + evil + `;
			const add = (tag, attributes, text) => { const e = document.createElement(tag); for (const k in attributes) e.setAttribute(k, attributes[k]); e.textContent = text; x.append(e) };
			add('button', {}, t); add('p', {}, t); add('pre', {}, t); add('a', {href: t}, 'l'); add('a', {href: '/', 'aria-label': t}, 'l');
			add('input', {placeholder: t, value: t}, ''); add('textarea', {placeholder: t}, t); add('div', {title: t}, t);
			add('option', {}, t); add('style', {}, '#x::before { content: ' + JSON.stringify(t).replaceAll('\\n', '\\a ') + ' }');
		}`)
		for line := range strings.SplitSeq(s.snapshot(), "\n") {
			if !strings.HasPrefix(strings.TrimLeft(line, " "), "- ") {
				t.Errorf("with %q a line of the page's own: %q", br, line)
			}
			if strings.ContainsAny(line, "\r\v\f\u0085\u2028\u2029\x1c") {
				t.Errorf("with %q a break is left in %q", br, line)
			}
		}
	}
}

func TestDeepNesting(t *testing.T) {
	t.Parallel()
	for name, tag := range map[string]string{
		"generic": "div", "link": "a href=/", "contents": `div style="display:contents"`, "inline": "span", "list": "li",
		"label": "label", "button role": "div role=button", "cell": "div role=cell",
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, `<div id=x></div><button>End</button>`)
			s.js(`{
				const make = document.createRange().createContextualFragment('<` + tag + `></x>').firstChild;
				let top = document.createTextNode('deep text');
				for (let i = 0; i < 6000; i++) { const e = make.cloneNode(); e.append(top); top = e }
				x.style.display = 'none'; x.append(top);
			}`)
			// Hidden, so that it is our stack that is tried and not the layout's.
			if got := s.snapshot(); !strings.Contains(got, "End") {
				t.Errorf("the page is\n%.2000s", got)
			}
			s.js(`for (let e = x, i = 0; e && i < 400; e = e.firstChild, i++) if (i === 399) { e.replaceChildren('cut'); x.style.display = '' }`)
			if got := s.snapshot(); !strings.Contains(got, "cut") || !strings.Contains(got, "End") {
				t.Errorf("the page is\n%.2000s", got)
			}
		})
	}
}

func TestHugeTexts(t *testing.T) {
	t.Parallel()
	s := open(t, `<p id=p></p><button id=b></button><pre id=q></pre><input id=i><a id=a>l</a>`)
	s.js(`p.textContent = 'x'.repeat(2e6); b.textContent = 'y '.repeat(2e5); q.textContent = ' \n\t'.repeat(2e5); i.value = 'z'.repeat(2e6); a.href = 'data:text/plain,' + 'd'.repeat(1e6)`)
	begin := time.Now()
	whole := s.snapshot()
	t.Logf("%d bytes in %v", len(whole), time.Since(begin))
	if len(whole) > 8<<20 {
		t.Errorf("%d bytes", len(whole))
	}
	snap, err := s.view.Snapshot(s.ctx, page.Options{MaxChars: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"more characters", "- button", "- link", "/url: data:text/plain,…"} {
		if !strings.Contains(snap.Text, want) {
			t.Errorf("no %q in\n%.3000s", want, snap.Text)
		}
	}
	if len(snap.Text) > 12_000 {
		t.Errorf("%d bytes", len(snap.Text))
	}
}

func TestLargePage(t *testing.T) {
	if testing.Short() {
		t.Skip("a large page")
	}
	s := open(t, `<h1>Orders</h1><table><tbody id=b></tbody></table><div role=dialog aria-label=Last><button>Done</button></div><script>
		let rows = '';
		for (let i = 1; i <= 5000; i++) rows += '<tr><td>' + i + '</td><td><a href="/o' + i + '">Order ' + i + '</a></td><td><span>Item</span><span>Lot ' + i % 9 + '</span></td><td><b>' + i * 7 + '</b></td><td><button>Open ' + i + '</button></td><td><label><input type=checkbox><i>ok</i></label></td></tr>';
		b.innerHTML = rows</script>`)
	begin := time.Now()
	whole := s.snapshot()
	t.Logf("all of it: %d bytes in %v", len(whole), time.Since(begin))
	if n := strings.Count(whole, "- row "); n != 5000 {
		t.Errorf("%d rows", n)
	}
	begin = time.Now()
	snap, err := s.view.Snapshot(s.ctx, page.Options{MaxChars: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("cut: %d bytes in %v", len(snap.Text), time.Since(begin))
	if n := len(snap.Text); n > 101_000 || n < 60_000 {
		t.Errorf("%d bytes", n)
	}
	for _, want := range []string{"Order 1\"", "# … ", "Last", "Done"} {
		if !strings.Contains(snap.Text, want) {
			t.Errorf("no %q in the cut text", want)
		}
	}
	if !strings.Contains(snap.Note, "browser_find") {
		t.Errorf("the note is %q", snap.Note)
	}
	begin = time.Now()
	found, err := s.view.Find(s.ctx, page.Query{Text: "Open 4321"})
	if err != nil || !strings.HasPrefix(found, `Found 1 match for "Open 4321":`) {
		t.Errorf("found %s, %v", found, err)
	}
	t.Logf("found in %v", time.Since(begin))
	s.resolves(refOf(t, found, `button "Open 4321"`), "Open 4321")
}
