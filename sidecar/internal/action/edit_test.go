package action_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
)

func TestFill(t *testing.T) {
	const value = "document.querySelector('#f').value ?? document.querySelector('#f').textContent"
	for _, tc := range []struct{ name, body, text, want, events string }{
		{"a text box", `<input id=f value=old>`, "new", "new", "focus f, input f"},
		{"with nothing", `<input id=f value=old>`, "", "", "focus f, input f"},
		{"a text box without a type of ours", `<input id=f type=madeup value=old>`, "new", "new", "focus f, input f"},
		{"a password", `<input id=f type=password>`, "p4ss", "p4ss", "focus f, input f"},
		{"an e-mail", `<input id=f type=email value=a@b>`, "c@d", "c@d", "focus f, input f"},
		{"a number", `<input id=f type=number value=1>`, "42.5", "42.5", "focus f, input f"},
		{"a text area", `<textarea id=f>old</textarea>`, "one\ntwo", "one\ntwo", "focus f, input f, input f, input f"},
		{"other writing", `<input id=f>`, "日本語 שלום 👍🏽", "日本語 שלום 👍🏽", "focus f, input f"},
		{"a date", `<input id=f type=date>`, "2026-02-03", "2026-02-03", "focus f, input f fake, change f fake"},
		{"a time", `<input id=f type=time>`, "13:45", "13:45", "focus f, input f fake, change f fake"},
		{"a date and time", `<input id=f type=datetime-local>`, "2026-02-03T13:45", "2026-02-03T13:45", "focus f, input f fake, change f fake"},
		{"a month", `<input id=f type=month>`, "2026-02", "2026-02", "focus f, input f fake, change f fake"},
		{"a week", `<input id=f type=week>`, "2026-W06", "2026-W06", "focus f, input f fake, change f fake"},
		{"a colour", `<input id=f type=color>`, "#FF8800", "#ff8800", "focus f, input f fake, change f fake"},
		{"a range", `<input id=f type=range min=0 max=10>`, "7", "7", "focus f, input f fake, change f fake"},
		{"rich text", `<div id=f contenteditable>old <b>text</b></div>`, "new", "new", "focus f, input f"},
		{"rich text with nothing", `<div id=f contenteditable>old</div>`, "", "", "focus f, input f"},
		{"a label's control", `<label id=f>Name <input value=old></label><script>Object.defineProperty(f, 'value', { get: () => f.control.value })</script>`, "new", "new", "focus, input"},
		{"a control in a shadow tree", `<x-y id=f></x-y><script>f.attachShadow({mode:'open'}).innerHTML = '<input>'; Object.defineProperty(f, 'value', { get: () => f.shadowRoot.querySelector('input').value })</script>`, "new", "new", "focus f, input f"},
		{"what can be edited in a moment", `<input id=f readonly><script>setTimeout(() => f.readOnly = false, 300)</script>`, "new", "new", "focus f, input f"},
		{"what redraws itself", `<div id=d></div><script>setTimeout(() => d.innerHTML = '<input id=f>', 10); setTimeout(() => d.innerHTML = '<input id=f disabled>', 200); setTimeout(() => d.innerHTML = '<input id=f>', 400)</script><input hidden>`, "new", "new", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, logger+tc.body)
			if tc.name == "what redraws itself" {
				s.js("new Promise(r => setTimeout(r, 250))")
			}
			s.must(s.Fill(s.ctx, "#f", tc.text))
			s.want(value, fmt.Sprintf("%q", tc.want))
			if tc.events != "" {
				s.want("seen('focus','keydown','input','change')", fmt.Sprintf("%q", tc.events))
			}
		})
	}
}

func TestFillTellsOfChange(t *testing.T) {
	s := open(t, logger+`<input id=f><input id=g>`)
	s.must(s.Fill(s.ctx, "#f", "x"))
	s.must(s.Fill(s.ctx, "#g", "y"))
	s.want("seen('change')", `"change f"`)
}

// A framework that keeps an input's value in its own setter must notice.
func TestFillControlled(t *testing.T) {
	s := open(t, `<input id=f><input id=d type=date><script>
const state = {};
for (const e of [f, d]) {
  const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  let tracked = '';
  Object.defineProperty(e, 'value', { get() { return own.get.call(this) }, set(v) { tracked = v; own.set.call(this, v) } });
  e.addEventListener('input', () => { if (own.get.call(e) !== tracked) { tracked = own.get.call(e); state[e.id] = tracked } });
}</script>`)
	s.must(s.Fill(s.ctx, "#f", "typed"))
	s.must(s.Fill(s.ctx, "#d", "2026-02-03"))
	s.want("state", `{"d":"2026-02-03","f":"typed"}`)
}

func TestFillFails(t *testing.T) {
	for _, tc := range []struct {
		name, body, text string
		words            []string
	}{
		{"read-only", `<input id=f readonly>`, "x", []string{"TimeoutError:", "Timeout 500ms exceeded", "element is not editable"}},
		{"disabled", `<input id=f disabled>`, "x", []string{"element is not enabled"}},
		{"a checkbox", `<input id=f type=checkbox>`, "x", []string{`Input of type "checkbox" cannot be filled`}},
		{"a file", `<input id=f type=file>`, "x", []string{`Input of type "file" cannot be filled`}},
		{"a select", `<select id=f><option>a</select>`, "x", []string{"browser_select_option"}},
		{"a paragraph", `<p id=f>x</p>`, "x", []string{"Element is not an <input>, <textarea>, <select> or [contenteditable]", `<p id="f">x</p>`}},
		{"words as a number", `<input id=f type=number>`, "two", []string{"Cannot type text into input[type=number]"}},
		{"no date", `<input id=f type=date value=2026-01-01>`, "tomorrow", []string{"Malformed value", "2026-01-31"}},
		{"beyond a range", `<input id=f type=range min=1 max=5>`, "9", []string{"Malformed value", "from 1 to 5"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, tc.body, action.WithTimeout(500*time.Millisecond))
			s.fails(s.Fill(s.ctx, "#f", tc.text), tc.words...)
		})
	}
}

func TestFillAndSubmit(t *testing.T) {
	s := open(t, logger+`<form action=/sent><input id=f name=q></form>`)
	s.page("/sent", `<p id=out>sent</p>`)
	s.must(s.FillAndSubmit(s.ctx, "#f", "x y"))
	s.want("document.getElementById('out').textContent + location.search", `"sent?q=x+y"`)
}

func TestPressSequentially(t *testing.T) {
	t.Run("has keys and goes on after what is there", func(t *testing.T) {
		s := open(t, logger+`<input id=f value=ab>`)
		s.must(s.PressSequentially(s.ctx, "#f", "cD", false))
		s.want("f.value", `"abcD"`)
		s.want("seen('keydown','keypress','input','keyup')", `"keydown f, keypress f, input f, keyup f, keydown f, keypress f, input f, keyup f"`)
	})
	t.Run("all printable characters", func(t *testing.T) {
		var all strings.Builder
		for r := ' '; r <= '~'; r++ {
			all.WriteRune(r)
		}
		all.WriteString("éß日👍")
		s := open(t, `<input id=f>`)
		s.must(s.PressSequentially(s.ctx, "#f", all.String(), false))
		if got := s.js("f.value"); got != jsonText(all.String()) {
			t.Errorf("typed %s", got)
		}
	})
	t.Run("over lines", func(t *testing.T) {
		s := open(t, `<textarea id=f></textarea>`)
		s.must(s.PressSequentially(s.ctx, "#f", "a\nb", false))
		s.want("f.value", `"a\nb"`)
	})
	t.Run("in rich text", func(t *testing.T) {
		s := open(t, `<div id=f contenteditable>ab</div>`)
		s.must(s.PressSequentially(s.ctx, "#f", "c", false))
		s.want("f.textContent", `"abc"`)
	})
	t.Run("and sends", func(t *testing.T) {
		s := open(t, logger+`<form onsubmit="event.preventDefault()"><input id=f></form>`)
		s.must(s.PressSequentially(s.ctx, "#f", "a", true))
		s.want("f.value + seen('submit').slice(0, 6)", `"asubmit"`)
	})
}

func jsonText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestPress(t *testing.T) {
	for _, tc := range []struct{ chord, want string }{
		{"Enter", "Enter Enter 0"},
		{"a", "a KeyA 0"},
		{"A", "A KeyA 0"},
		{"Shift+a", "Shift ShiftLeft 8,A KeyA 8"},
		{"Control+Shift+ArrowLeft", "Control ControlLeft 2,Shift ShiftLeft 10,ArrowLeft ArrowLeft 10"},
		{"esc", "Escape Escape 0"},
		{"F5", "F5 F5 0"},
		{"é", "é  0"},
		{"Numpad1", "End Numpad1 0"},
	} {
		t.Run(tc.chord, func(t *testing.T) {
			s := open(t, `<input id=f><script>const keys = [];
addEventListener('keydown', e => { keys.push([e.key, e.code, e.altKey * 1 + e.ctrlKey * 2 + e.metaKey * 4 + e.shiftKey * 8].join(' ')); if (e.key === 'F5') e.preventDefault() })</script>`)
			s.js("f.focus()")
			s.must(s.Press(s.ctx, tc.chord))
			s.want("keys.join(',')", fmt.Sprintf("%q", tc.want))
		})
	}
	t.Run("selects all", func(t *testing.T) {
		s := open(t, `<input id=f value=abc>`)
		s.js("f.focus()")
		s.must(s.Press(s.ctx, "ControlOrMeta+A"))
		s.must(s.Press(s.ctx, "Delete"))
		s.want("f.value", `""`)
	})
	t.Run("moves on", func(t *testing.T) {
		s := open(t, `<input id=f><input id=g>`)
		s.js("f.focus()")
		s.must(s.Press(s.ctx, "Tab"))
		s.want("document.activeElement.id", `"g"`)
		s.must(s.Press(s.ctx, "Shift+Tab"))
		s.want("document.activeElement.id", `"f"`)
	})
	t.Run("what no key is called", func(t *testing.T) {
		s := open(t, `<p>x</p>`)
		s.fails(s.Press(s.ctx, "Contrl+a"), `Unknown key: "Contrl"`)
	})
}

func TestSelectOption(t *testing.T) {
	const single = `<select id=f><option value=v1>One</option><option value=v2> Two  x </option><optgroup label=G disabled><option>Off</option></optgroup></select>`
	const multiple = `<select id=f multiple><option>a<option>b<option selected>c</select>`
	for _, tc := range []struct {
		name, body string
		values     []string
		want       []string
		events     string
	}{
		{"by value", single, []string{"v2"}, []string{"v2"}, "input f fake, change f fake"},
		{"by label", single, []string{"Two x"}, []string{"v2"}, "input f fake, change f fake"},
		{"by a label in another case", single, []string{"two x"}, []string{"v2"}, "input f fake, change f fake"},
		{"what is selected already", single, []string{"One"}, []string{"v1"}, ""},
		{"several", multiple, []string{"a", "b"}, []string{"a", "b"}, "input f fake, change f fake"},
		{"none", multiple, nil, []string{}, "input f fake, change f fake"},
		{"an option that comes late", `<select id=f></select><script>setTimeout(() => f.innerHTML = '<option>x<option>y', 300)</script>`, []string{"y"}, []string{"y"}, "input f fake, change f fake"},
		{"by the label of the list", `<label for=f>List</label>` + single, []string{"v2"}, []string{"v2"}, "input f fake, change f fake"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, logger+tc.body)
			got, err := s.SelectOption(s.ctx, "#f", tc.values)
			s.must(err)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			s.want("seen('input','change')", fmt.Sprintf("%q", tc.events))
		})
	}
	for _, tc := range []struct {
		name, body string
		values     []string
		words      []string
	}{
		{"no such option", single, []string{"Three"}, []string{"TimeoutError:", "did not find some options", `"Three"`, `"One", "Two x"`}},
		{"a disabled option", single, []string{"Off"}, []string{"TimeoutError:", "option being selected is not enabled"}},
		{"no select", `<div id=f role=listbox>x</div>`, []string{"x"}, []string{"Element is not a <select> element"}},
		{"two in a list for one", single, []string{"v1", "v2"}, []string{"takes one option"}},
		{"a disabled list", `<select id=f disabled><option>a</select>`, []string{"a"}, []string{"element is not enabled"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, tc.body, action.WithTimeout(500*time.Millisecond))
			_, err := s.SelectOption(s.ctx, "#f", tc.values)
			s.fails(err, tc.words...)
		})
	}
}

func TestSelectLoadsTheRest(t *testing.T) {
	s := blank(t)
	s.page("/{$}", `<select id=f onchange="fill()"><option>a<option>b</select><p id=out></p><script>async function fill() { out.textContent = await (await fetch('/data?ms=80')).text() }</script>`)
	s.serveData()
	s.visit("/")
	_, err := s.SelectOption(s.ctx, "#f", []string{"b"})
	s.must(err)
	s.want("out.textContent", `"data"`)
}

func TestSetChecked(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		checked    bool
		want       string // of the expression below
	}{
		{"a checkbox", `<input id=f type=checkbox>`, true, "true 1"},
		{"a checked one", `<input id=f type=checkbox checked>`, true, "true 0"},
		{"off", `<input id=f type=checkbox checked>`, false, "false 1"},
		{"a radio button", `<input id=f type=radio name=r><input type=radio name=r checked>`, true, "true 1"},
		{"a label", `<label for=f id=l>L</label><input id=f type=checkbox>`, true, "true 1"},
		{"a switch of its own kind", `<div id=f role=switch aria-checked=false tabindex=0 onclick="this.setAttribute('aria-checked', 'true'); this.checked = true">S</div>`, true, "true 1"},
		{"one hidden behind its label", `<style>#f{position:absolute;opacity:0;width:0;height:0;pointer-events:none}</style><label>L <input id=f type=checkbox></label>`, true, "true 1"},
		{"one not displayed", `<label for=f>L</label><input id=f type=checkbox style="display:none">`, true, "true 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, `<script>let presses = 0; addEventListener('mousedown', () => presses++, true)</script>`+tc.body)
			s.must(s.SetChecked(s.ctx, "#f", tc.checked))
			s.want("document.querySelector('#f').checked + ' ' + presses", fmt.Sprintf("%q", tc.want))
		})
	}
	t.Run("fails", func(t *testing.T) {
		s := open(t, `<input id=r type=radio checked><p id=p>x</p><input id=c type=checkbox onclick="event.preventDefault()">`)
		s.fails(s.SetChecked(s.ctx, "#r", false), "Cannot uncheck radio button")
		s.fails(s.SetChecked(s.ctx, "#p", true), "Not a checkbox or radio button")
		s.fails(s.SetChecked(s.ctx, "#c", true), "Clicking the checkbox did not change its state")
	})
}
