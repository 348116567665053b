package action_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

const shelf = `<h1>Shelf</h1>
<div id=box class="a b"><p id=p1>One <b id=b>two</b></p><p id=p2>Three</p></div>
<button id=save-order data-testid=order>Save order</button><button id=save>Save</button><button id=off disabled>Off</button>
<label>Mail <input id=mail placeholder="your mail"></label><input id=phone aria-label="Phone"><img id=logo alt="Logo" src=x width=9 height=9>
<span id=lb>By reference</span><input id=by aria-labelledby=lb>
<ul id=ul><li id=red>red apple</li><li id=green>green  apple</li><li id=pear title="Pear">pear</li></ul>
<input id=agree type=checkbox checked aria-label="Agree"><h2 id=h2>Second level</h2><h3 id=h3>Next level</h3>
<div id=open aria-expanded=true role=button>Open</div><p id=hidden hidden>Invisible</p><p id=re>Total: 42.50</p>
<x-shelf id=host></x-shelf><input id=go type=submit value="Send it"><form id=form><input name=querySelectorAll><input name=id id=inform></form>
<script>customElements.define('x-shelf', class extends HTMLElement { connectedCallback() {
this.attachShadow({mode:'open'}).innerHTML = '<section class=in><button id=deep class=sb>Deep</button><a id=link href=#>link</a></section>' } })</script>`

// TestTargets checks which element each way of naming one finds.
func TestTargets(t *testing.T) {
	s := open(t, shelf)
	id := func(el *page.Element) string {
		code, err := el.LocatorFor(s.ctx)
		s.must(err)
		if code == "" {
			t.Error("no locator")
		}
		var preview string
		s.must(el.Call(s.ctx, "describe", &preview))
		m := regexp.MustCompile(` id="([^"]*)"`).FindStringSubmatch(preview)
		if m == nil {
			return preview
		}
		return m[1]
	}
	for target, want := range map[string]string{
		"#box": "box", "css=#box": "box", ".a.b": "box", ".a > p:first-child": "p1", "div p + p": "p2", "h1 ~ ul": "ul", "p:not(.x):nth-child(2)": "p2",
		"text=two": "b", "text=tHREE": "p2", `text="Three"`: "p2", `"Three"`: "p2", "text=/^total: \\d+/i": "re", "text=green apple": "green", "text=Send it": "go",
		`li:has-text("apple") >> nth=1`: "green", `li:has-text("apple") >> nth=-1`: "green", `ul:has(> li:has-text("pear"))`: "ul", `li:not(:has-text("apple"))`: "pear",
		`:nth-match(li:has-text("apple"), 2)`: "green", "li:text-is('pear')": "pear", "li:text-matches('^GREEN', 'i')": "green", "b:visible": "b", "p:text('Three')": "p2",
		"//ul/li[2]": "green", "xpath=//button[1]": "save-order", "#ul >> //li[3]": "pear", "#red >> ..": "ul", "id=p2": "p2", "data-testid=order": "save-order",
		`role=button[name="Save"]`: "save", `role=button[name="SAVE" i]`: "save", `role=button[name*="order"]`: "save-order", `role=button[name=/^sa.*r$/i]`: "save-order", "role=button[disabled]": "off",
		"role=button[expanded]": "open", "role=heading[level=3]": "h3", "role=checkbox[checked]": "agree", "role=textbox[name='Phone']": "phone",
		"getByRole('button', { name: 'Save', exact: true })": "save", "getByRole('button', { name: /order/ })": "save-order", "getByRole('heading', { level: 2 })": "h2",
		"getByRole('button', { disabled: true })": "off", "getByLabel('mail')": "mail", "getByLabel('Phone')": "phone", "getByLabel('By reference')": "by",
		"getByPlaceholder('your')": "mail", "getByAltText('logo')": "logo", "getByTitle('Pear')": "pear", "getByTestId('order')": "save-order",
		"getByText('Three')": "p2", "getByText('two', { exact: true })": "b", "locator('li').filter({ hasText: /green/ })": "green", "locator('li').filter({ hasNotText: 'apple' })": "pear",
		"locator('li').last()": "pear", "locator('li').nth(1)": "green", "locator('ul').locator('> li').first()": "red", "locator('ul').filter({ has: page.getByText('pear') })": "ul",
		"page.locator('li', { hasText: 'pear' })": "pear", "locator('li').and(getByTitle('Pear'))": "pear", "locator('#nope').or(locator('#pear'))": "pear",
		"await page.getByTestId('order');": "save-order", ".sb": "deep", "#host .sb": "deep", "#host section > button": "deep", "#host >> text=Deep": "deep", "getByRole('link')": "link",
		"#form >> input >> nth=1": "inform",
	} {
		el, err := s.view.Locate(s.ctx, target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		if got := id(el); got != want {
			t.Errorf("%s found %s, want %s", target, got, want)
		}
	}
	var none *page.NoMatchError
	for _, target := range []string{"#nope", "getByText('Nope')", "li >> nth=9", "role=button[name='Sav']", "getByRole('paragraph', { name: 'x' })", "text=Invisible >> visible=true", "p:has-text('zzz')", "//nope"} {
		if _, err := s.view.Locate(s.ctx, target); !errors.As(err, &none) {
			t.Errorf("%s: %v, want no match", target, err)
		}
	}
	var many *page.AmbiguousError
	for target, count := range map[string]int{"li": 3, "getByText('apple')": 2, "button": 4, "getByRole('button', { name: 'save' })": 2} {
		if _, err := s.view.Locate(s.ctx, target); !errors.As(err, &many) || many.Count != count {
			t.Errorf("%s: %v, want %d matches", target, err, count)
		}
	}
	// Each locator that the error proposes names its element alone.
	_, err := s.view.Locate(s.ctx, "button")
	if errors.As(err, &many) {
		for _, c := range many.Candidates {
			if _, err := s.view.Locate(s.ctx, c.Locator); err != nil {
				t.Errorf("the proposed %s: %v", c.Locator, err)
			}
		}
	}
	for target, words := range map[string]string{"p:nope": "not valid CSS", "//[": "not valid XPath", "text=/(/": "not a regular expression"} {
		_, err := s.view.Locate(s.ctx, target)
		s.fails(err, words)
	}
}

// TestLocators: every element that a snapshot could name has a locator of its
// own that leads back to it.
func TestLocators(t *testing.T) {
	s := open(t, shelf+`<table><tr><td>a<td>b<tr><td>a<td>b</table><div><div><span>x</span></div></div><p>it's "quoted" \ here</p>`)
	for _, target := range []string{"#p1", "#green", "#host .in", "td >> nth=2", "table", "span >> nth=-1", "#form", "input[name=id]", "text=quoted", "html", "body"} {
		el, err := s.view.Locate(s.ctx, target)
		s.must(err)
		code, err := el.LocatorFor(s.ctx)
		s.must(err)
		back, err := s.view.Locate(s.ctx, code)
		if err != nil {
			t.Errorf("%s became %s: %v", target, code, err)
			continue
		}
		var one, two string
		s.must(el.Call(s.ctx, "keep", &one))
		s.must(back.Call(s.ctx, "keep", &two))
		if one != two {
			t.Errorf("%s became %s, which is another element", target, code)
		}
	}
}

func TestRefs(t *testing.T) {
	s := open(t, counter+`<button onclick=hit()>Go</button><iframe src="{other}/frame"></iframe>`)
	s.page("/frame", `<input aria-label="Note">`)
	s.visit("/")
	ref := func(text string) string {
		t.Helper()
		snap, err := s.view.Snapshot(s.ctx, page.Options{})
		s.must(err)
		for line := range strings.Lines(snap.Text) {
			if m := regexp.MustCompile(`\[ref=(\w+)\]`).FindStringSubmatch(line); m != nil && strings.Contains(line, text) {
				return m[1]
			}
		}
		t.Fatalf("no %q in\n%s", text, snap.Text)
		return ""
	}
	button, note := ref("Go"), ref("Note")
	s.must(s.Click(s.ctx, button, action.ClickOptions{}))
	s.want("n", "1")
	s.must(s.Fill(s.ctx, note, "from a ref"))
	if text := ref("Note"); text != note {
		t.Errorf("the ref changed from %s to %s", note, text)
	}
	s.js("document.querySelector('button').remove()")
	s.fails(s.Click(s.ctx, button, action.ClickOptions{}), "not found in the current page snapshot")
	s.fails(s.Click(s.ctx, "e9999", action.ClickOptions{}), "Ref e9999 not found in the current page snapshot")
	s.visit("/")
	s.fails(s.Click(s.ctx, button, action.ClickOptions{}), "navigated")
}
