package page_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

func TestQuoting(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	plain := []string{
		"word", "two words", "a:b", "a#b", "it's", `say "hi"`, `back\slash`, "1,5", "12:30", "2020-01-01", "yess", "nulls", "~", "=", "a - b",
		"a, b", "a]", "x!", "50%", "é", "日本", "🚀", "(x)", "/path", "$1.00", "0x", "1e", "+", ".", "…", "https://a.test/x?y=1&z#f",
	}
	for _, text := range plain {
		s.quotes(text, text, text)
	}
	for _, tt := range [][3]string{
		{"", `""`, "''"},
		{" lead", `" lead"`, "' lead'"},
		{"trail ", `"trail "`, "'trail '"},
		{"a: b", `"a: b"`, "'a: b'"},
		{"ends:", `"ends:"`, "'ends:'"},
		{"a # b", `"a # b"`, "'a # b'"},
		{"- dash", `"- dash"`, "'- dash'"},
		{"-1", `"-1"`, "'-1'"},
		{"'q'", `"'q'"`, "'''q'''"},
		{`"q"`, `"\"q\""`, `'"q"'`},
		{"{x", `"{x"`, "'{x'"},
		{"x}", `"x}"`, "'x}'"},
		{"a`b", "\"a`b\"", "'a`b'"},
		{"[x]", `"[x]"`, "'[x]'"},
		{"&x", `"&x"`, "'&x'"}, {"*x", `"*x"`, "'*x'"}, {"!x", `"!x"`, "'!x'"}, {"|x", `"|x"`, "'|x'"}, {">x", `">x"`, "'>x'"},
		{"%x", `"%x"`, "'%x'"}, {"@x", `"@x"`, "'@x'"}, {"#x", `"#x"`, "'#x'"}, {"?x", `"?x"`, "'?x'"}, {",x", `",x"`, "',x'"}, {"]x", `"]x"`, "']x'"},
		{"123", `"123"`, "'123'"}, {"1.5", `"1.5"`, "'1.5'"}, {".5", `".5"`, "'.5'"}, {"1e3", `"1e3"`, "'1e3'"}, {"0x1F", `"0x1F"`, "'0x1F'"},
		{"+1", `"+1"`, "'+1'"}, {"Infinity", `"Infinity"`, "'Infinity'"},
		{"true", `"true"`, "'true'"}, {"YES", `"YES"`, "'YES'"}, {"n", `"n"`, "'n'"}, {"Off", `"Off"`, "'Off'"}, {"null", `"null"`, "'null'"},
		{"a\nb", `"a\nb"`, "'a\nb'"}, // keys have no breaks, values may
		{"a\tb:\tc", `"a\tb:\tc"`, "'a\tb:\tc'"},
		{"bell\a", `"bell\x07"`, "'bell\a'"},
		{"del\x7f", `"del\x7f"`, "'del\x7f'"},
		{"nel\u0085x", `"nel\x85x"`, "'nel\u0085x'"},
		{"ls\u2028ps\u2029", `"ls\u2028ps\u2029"`, "'ls\u2028ps\u2029'"},
		{`\ :`, `"\\ :"`, `'\ :'`},
	} {
		s.quotes(tt[0], tt[1], tt[2])
	}
}

func (s *stage) quotes(text, value, key string) {
	s.t.Helper()
	var got [2]string
	if err := page.Call(s.ctx, s.tab.MainFrame(), "yaml", &got, text); err != nil {
		s.t.Fatal(err)
	}
	if got != [2]string{value, key} {
		s.t.Errorf("%q: got %q, want %q", text, got, [2]string{value, key})
	}
}

func TestSecretsStayInThePage(t *testing.T) {
	t.Parallel()
	s := open(t, `<label>Pass <input id=p type=password value=hunter2></label><input id=q type=text autocomplete="section-a new-password" value=hunter2 aria-label=New>
		<input type=password aria-label=Empty><label for=c>with <input type=password value=hunter2 aria-label=In></label><input id=c type=checkbox>
		<input type=search role=combobox autocomplete=new-password value=Lisbon aria-label=City>`)
	check := func() {
		t.Helper()
		got := hideRefs(s.snapshot())
		if strings.Contains(got, "hunter2") || !strings.Contains(got, `combobox "City": Lisbon`) || !strings.Contains(got, `textbox "Pass": ••••••••`) || !strings.Contains(got, "textbox \"Empty\"\n") {
			t.Errorf("the page is\n%s", got)
		}
	}
	check()
	s.js(`p.type = 'text'`) // "show password"
	check()
	s.js(`document.querySelector('form, label').append(p)`)
	check()
}

func TestClosedShadowRoots(t *testing.T) {
	t.Parallel()
	s := open(t, `<div id=plain></div><x-card>slotted text<b slot=t>Title</b><i>more</i></x-card><div id=full>hidden light</div><div style="height:30px;width:5px"></div>
		<div id=outer></div><p id=late></p><script>
		const close = (e, html) => { const r = e.attachShadow({mode: 'closed'}); r.innerHTML = html; return r };
		close(plain, '<button>In plain</button>');
		customElements.define('x-card', class extends HTMLElement { constructor() { super(); close(this, '<h2><slot name=t></slot></h2><p><slot></slot></p>') } });
		close(full, '<p>shown instead</p>');
		const inner = close(outer, '<div id=in></div>').querySelector('div');
		close(inner, '<button aria-labelledby=n>x</button><span id=n>Named inside</span>');
		</script>`)
	got := hideRefs(s.snapshot())
	s.want(got,
		"- generic [active]:",
		`  - button "In plain"`,
		"  - generic:",
		`    - heading "Title" [level=2]`,
		"    - paragraph:",
		"      - generic: slotted textmore",
		"  - paragraph: shown instead",
		"  - generic:",
		`    - button "Named inside": x`,
		"    - text: Named inside",
		"  - paragraph")
	s.resolves(refOf(t, s.snapshot(), "In plain"), "In plain")

	// One that comes later is found when it comes.
	s.js(`close(late, '<em>came later</em>')`)
	if got := s.snapshot(); !strings.Contains(got, "came later") {
		t.Errorf("the page is\n%s", got)
	}
}

func TestWhatScriptsThrowAndReturn(t *testing.T) {
	t.Parallel()
	s := open(t, `<button>B</button>`)
	f := s.tab.MainFrame()
	var thrown *page.ScriptError
	if err := page.Call(s.ctx, f, "no such function", nil); !errors.As(err, &thrown) {
		t.Errorf("an unknown function: %v", err)
	}
	if err := page.Call(s.ctx, f, "yaml", nil, 5); !errors.As(err, &thrown) || thrown.Function != "yaml" {
		t.Errorf("an exception: %v", err)
	}
	// A lone half of a pair of surrogates is no text, but must not cost the rest.
	s.js(`document.querySelector('button').textContent = 'half \ud800 pair'`)
	if got := s.snapshot(); !strings.Contains(got, "half") || !strings.Contains(got, "pair") {
		t.Errorf("the page is %s", got)
	}
	s.js(`document.querySelector('button').title = '\ud800'`)
	s.snapshot()
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	s := open(t, `<button id=x>Text</button><a href=/a class="c d">Li
	nk <b>b</b></a><input type=checkbox name=n><div></div><p id="`+strings.Repeat("long", 50)+`">`+strings.Repeat("text ", 500)+`</p><x-el title='say "hi" <b>'>e</x-el><form id=f><input name=id></form>`)
	for _, tt := range [][2]string{
		{"button", `<button id="x">Text</button>`},
		{"a", `<a href="/a" class="c d">Li nk b</a>`},
		{"input", `<input type="checkbox" name="n">`},
		{"div", `<div>`},
		{"x-el", `<x-el title="say 'hi' <b>">e</x-el>`},
		{"form", `<form id="f">`},
	} {
		el, err := s.view.Locate(s.ctx, tt[0]+" >> nth=0")
		if err != nil {
			t.Error(err)
			continue
		}
		var got string
		if err := el.Call(s.ctx, "describe", &got); err != nil || got != tt[1] {
			t.Errorf("%s: got %s, %v, want %s", tt[0], got, err, tt[1])
		}
	}
	el, err := s.view.Locate(s.ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := el.Call(s.ctx, "describe", &got); err != nil || len([]rune(got)) > 80 || !strings.HasPrefix(got, `<p id="long`) {
		t.Errorf("got %s (%d), %v", got, len([]rune(got)), err)
	}
}

// TestWalksAreNotQuadratic tries pages on which a careless walk takes time in
// proportion to the square of their size: minutes instead of a second.
func TestWalksAreNotQuadratic(t *testing.T) {
	if testing.Short() {
		t.Skip("large pages")
	}
	const n = 4000
	for name, body := range map[string]string{
		"labels":          strings.Repeat("<label><input type=checkbox>x</label>", n),
		"labels by id":    numbered(n, "<label for=i%d>l</label><input id=i%d>"),
		"labelledby":      numbered(n, "<b id=b%d>t</b><button aria-labelledby=b%d></button>"),
		"owned":           numbered(n, "<div role=group aria-owns=o%d></div><p id=o%d>t</p>"),
		"nested names":    strings.Repeat("<div role=button>", 400) + strings.Repeat("<b>x</b>", n) + strings.Repeat("</div>", 400),
		"one wide name":   "<button>" + strings.Repeat("<span>x <i>y</i></span>", n) + "</button>",
		"radio fieldsets": strings.Repeat("<fieldset disabled><legend>l</legend><input type=radio name=r></fieldset>", n/4),
		"contents":        strings.Repeat("<div style=display:contents><b>x</b> y</div>", n),
		"pseudo":          "<style>.a::before{content:'x'} .b:not(.c)>i::after{content:attr(k)}</style>" + strings.Repeat("<p class=a><b class=b><i k=v>t</i></b></p>", n),
		"shadow":          strings.Repeat("<x-y><template shadowrootmode=open><p><slot></slot></p></template>t</x-y>", n/2),
		"slots":           "<x-z><template shadowrootmode=open><slot></slot></template>" + strings.Repeat("<p>t</p>", n) + "</x-z>",
		"hidden":          strings.Repeat("<div hidden><p>x<b>y</b></p></div>", n),
		"disabled":        "<div aria-disabled=true>" + strings.Repeat("<div>", 300) + strings.Repeat("<button>b</button>", n) + strings.Repeat("</div>", 301),
		"options":         "<select>" + strings.Repeat("<optgroup disabled><option>o</optgroup>", n) + "</select>",
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, body)
			s.js(`document.body.offsetHeight`)
			begin := time.Now()
			text := s.snapshot()
			took := time.Since(begin)
			t.Logf("%v for %d bytes", took, len(text))
			// No measure of speed: the square would be a hundred times that.
			if took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(format, "%d", "%[1]d"), i)
	}
	return b.String()
}
