package tools_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"testing"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/tools"
)

// targetRow is a tool that works on an element.
type targetRow struct {
	tool    string
	element string            // in a snapshot, after the dash
	html    string            // %s takes "disabled" or nothing
	args    func(string) args // for a target
	proof   string            // what window.proof of the page is afterwards; "" = nothing
	says    string            // in the answer
	covered string            // words of the error when something lies over it; "" = all the same
	off     string            // words of the error when it is disabled; "" = all the same
}

const intercepts = "<div id=\"cover\">Cookies?</div> intercepts pointer events"

func targetRows() []targetRow {
	target := func(more ...any) func(string) args {
		return func(t string) args {
			a := args{"target": t}
			for i := 0; i < len(more); i += 2 {
				a[more[i].(string)] = more[i+1]
			}
			return a
		}
	}
	box := `<div id=x role=button aria-label=Box style="width:80px;height:40px" `
	return []targetRow{
		{"browser_click", `button "Go"`, `<button id=x onclick="top.proof='clicked'" %s>Go</button>`, target(), "clicked", "```yaml", intercepts, "element is not enabled"},
		{"browser_hover", `button "Go"`, `<button id=x onmousemove="top.proof='hovered'" %s>Go</button>`, target(), "hovered", "```yaml", intercepts, ""},
		{"browser_type", `textbox "Name"`, `<input id=x aria-label=Name value=old oninput="top.proof=value" %s>`, target("text", "Ann"), "Ann", "", "", "element is not enabled"},
		{"browser_fill_form", `textbox "Name"`, `<input id=x aria-label=Name value=old oninput="top.proof=value" %s>`, func(t string) args {
			return args{"fields": []args{{"target": t, "name": "Name", "type": "textbox", "value": "Bob"}}}
		}, "Bob", "", "", "element is not enabled"},
		{"browser_select_option", `combobox "Size"`, `<select id=x aria-label=Size onchange="top.proof=value" %s><option>small<option value=L>large</select>`, target("values", []string{"large"}), "L", "```yaml", "", "element is not enabled"},
		{"browser_drag", `button "Box"`, box + `draggable=true ondragstart="event.dataTransfer.setData('text','x')" %s>box</div>
			<div role=button id=goal style="width:90px;height:90px" ondragover="event.preventDefault()" ondrop="event.preventDefault();top.proof='dropped'">goal</div>`,
			func(t string) args { return args{"startTarget": t, "endTarget": goalOf(t)} }, "dropped", "```yaml", intercepts, ""},
		{"browser_drop", `button "Box"`, box + `ondragover="event.preventDefault()" ondrop="event.preventDefault();top.proof=event.dataTransfer.getData('text/plain')" %s>box</div>`,
			target("data", args{"text/plain": "hello"}), "hello", "```yaml", intercepts, ""},
		{"browser_evaluate", `button "Go"`, `<button id=x %s>Go</button>`, target("function", "(e) => top.proof = e.textContent"), "Go", `"Go"`, "", ""},
		{"browser_take_screenshot", `button "Box"`, box + `%s>box</div>`, target(), "", "80 x 40 pixels", "", ""},
		{"browser_snapshot", `button "Go"`, `<button id=x %s>Go</button><p>Elsewhere</p>`, target(), "", `button "Go"`, "", ""},
		{"browser_generate_locator", `button "Go"`, `<button id=x %s>Go</button>`, target(), "", "getByRole('button', { name: 'Go' })", "", ""},
		{"browser_verify_value", `textbox "Name"`, `<input id=x aria-label=Name value=old %s>`, target("type", "textbox", "element", "it", "value", "old"), "", "### Result\nDone", "", ""},
		{"browser_verify_list_visible", `list`, `<ul id=x %s><li>One<li>Two</ul>`, target("element", "it", "items", []string{"one", "Two"}), "", "### Result\nDone", "", ""},
	}
}

// goalOf is the second element of a drag: by the ref that comes after the first
// one's box, or by its id.
func goalOf(target string) string {
	if target == "#x" {
		return "#goal"
	}
	if i := strings.LastIndexByte(target, 'e'); i >= 0 {
		var n int
		if _, err := fmt.Sscanf(target[i+1:], "%d", &n); err == nil && n < 9000 {
			return fmt.Sprintf("%se%d", target[:i], n+1)
		}
	}
	return target
}

const cover = `<div id=cover style="position:fixed;inset:0;background:#ffff">Cookies?</div>`

func inFrame(body string) string {
	return `<iframe style="width:400px;height:300px" srcdoc="` + html.EscapeString("<!doctype html>"+body) + `"></iframe>`
}

func inShadow(body string) string {
	quoted, _ := json.Marshal(body)
	return `<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML=` + strings.ReplaceAll(string(quoted), "</", `<\/`) + `</script>`
}

func TestToolsOnElements(t *testing.T) {
	w := open(t)
	for _, row := range targetRows() {
		for _, ref := range []string{"e3", "f2e3"} {
			w.fails(row.tool, row.args(ref), " not found in the current page snapshot", "The browser was restarted since then")
		}
	}
	for _, row := range targetRows() {
		t.Run(row.tool, func(t *testing.T) {
			t.Parallel() // most of the time goes into waiting
			w := w.agent(t)
			on, off := fmt.Sprintf(row.html, ""), fmt.Sprintf(row.html, "disabled")
			good := func(name, text, target string) {
				t.Helper()
				w.js("() => { window.proof = undefined }")
				r := w.call(row.tool, row.args(target))
				if r.isError {
					t.Errorf("%s: %s", name, r.text)
					return
				}
				w.has(r.text, row.says)
				if got := w.js("() => window.proof"); row.proof != "" && got != fmt.Sprintf("%q", row.proof) {
					t.Errorf("%s: the page has %s", name, got)
				}
			}
			text := w.show(on)
			good("by ref", text, w.ref(text, row.element))
			w.show(on)
			good("by selector", text, "#x")
			text = w.show(inFrame(on))
			good("in a frame", text, w.ref(text, row.element))
			text = w.show(inShadow(on))
			good("in a shadow root", text, w.ref(text, row.element))

			text = w.show(on + cover)
			if target := w.ref(text, row.element); row.covered == "" {
				good("covered", text, target)
			} else {
				w.fails(row.tool, row.args(target), "TimeoutError: ", "Timeout 5000ms exceeded", row.covered)
			}
			text = w.show(off)
			if target := w.ref(text, row.element); row.off == "" {
				good("disabled", text, target)
			} else {
				w.fails(row.tool, row.args(target), "TimeoutError: ", "Timeout 5000ms exceeded", row.off)
			}
			w.fails(row.tool, row.args("e9999"), "### Error\nError: Ref e9999 not found in the current page snapshot. Try capturing new snapshot.")
			w.fails(row.tool, row.args("#nosuch"), "### Error\nError: ", `"#nosuch" does not match any elements.`)
			w.fails(row.tool, row.args("html, body"), "strict mode violation")

			text = w.show(on)
			ref := w.ref(text, row.element)
			w.js("() => document.body.replaceChildren()")
			w.fails(row.tool, row.args(ref), " not found in the current page snapshot", "Its element is gone")
			w.show(on)
			w.fails(row.tool, row.args(ref), " not found in the current page snapshot", "The page navigated")
		})
	}
}

// goodArgs is a call of each tool that is right by its schema.
func goodArgs() map[string]args {
	all := map[string]args{
		"browser_close": {}, "browser_resize": {"width": 800, "height": 600}, "browser_console_messages": {},
		"browser_handle_dialog": {"accept": true}, "browser_emulate_media": {"colorScheme": "dark"}, "browser_file_upload": {},
		"browser_find": {"text": "x"}, "browser_press_key": {"key": "a"},
		"browser_mouse_move_xy": {"x": 1, "y": 1}, "browser_mouse_click_xy": {"x": 1, "y": 1},
		"browser_mouse_drag_xy": {"startX": 1, "startY": 1, "endX": 2, "endY": 2}, "browser_mouse_down": {}, "browser_mouse_up": {},
		"browser_mouse_wheel": {"deltaY": 5}, "browser_navigate": {"url": "about:blank"}, "browser_navigate_back": {},
		"browser_network_requests": {}, "browser_network_request": {"index": 1}, "browser_pdf_save": {},
		"browser_tabs": {"action": "list"}, "browser_verify_element_visible": {"role": "button", "accessibleName": "x"},
		"browser_verify_text_visible": {"text": "x"}, "browser_wait_for": {"time": 0.01},
	}
	for _, row := range targetRows() {
		all[row.tool] = row.args("#x")
	}
	return all
}

// Each tool that takes an element has a row.
func TestAllToolsOnElementsAreInTheTable(t *testing.T) {
	k, err := tools.New(tools.Options{Capabilities: []string{"testing", "vision", "pdf"}})
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, row := range targetRows() {
		have = append(have, row.tool)
	}
	for _, tool := range k.List() {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(string(schema)), `target":{`) {
			want = append(want, tool.Name)
		}
		if _, known := goodArgs()[tool.Name]; !known {
			t.Errorf("no call of %s is known", tool.Name)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("the table has %q, the tools that take an element are %q", have, want)
	}
}

// schemaOf reads a tool's schema.
type schema struct {
	Properties map[string]struct {
		Type  string
		Enum  []string
		AnyOf []any
	}
	Required []string
}

func (w *bench) schemas() map[string]schema {
	all := map[string]schema{}
	for _, tool := range w.set.Tools() {
		raw, err := json.Marshal(tool.InputSchema)
		w.must(err)
		var s schema
		w.must(json.Unmarshal(raw, &s))
		all[tool.Name] = s
	}
	return all
}

func TestToolsCheckTheirArguments(t *testing.T) {
	w := open(t)
	w.show("<button id=x>Go</button>")
	before := w.js("() => performance.timeOrigin")
	for tool, s := range w.schemas() {
		good := goodArgs()[tool]
		if good == nil && tool != "browser_close" {
			t.Fatalf("no call of %s is known", tool)
		}
		for name, p := range s.Properties {
			a := maps.Clone(good)
			if a == nil {
				a = args{}
			}
			a[name] = 5
			expected := "expected " + p.Type + ", received number"
			switch {
			case p.Type == "number", p.Type == "integer":
				a[name] = "5"
				expected = "expected number, received string"
			case len(p.Enum) > 0:
				a[name] = "nonsense"
				expected = `✖ Invalid option: expected one of "` + strings.Join(p.Enum, `"|"`) + `"`
			case len(p.AnyOf) > 0:
				expected = "✖ Invalid option: expected one of "
			}
			w.fails(tool, a, "### Error\nInvalid arguments for tool \""+tool+"\":\n✖ ", expected, "\n  → at "+name)
		}
		for _, name := range s.Required {
			a := maps.Clone(good)
			delete(a, name)
			w.fails(tool, a, "### Error\nInvalid arguments for tool \""+tool+"\":\n✖ Invalid ", "\n  → at "+name)
			a[name] = nil
			w.fails(tool, a, "Invalid arguments for tool", "\n  → at "+name)
		}
		for _, raw := range []string{"5", `"x"`, "[]", "true"} {
			if r := read(t, w.set.Call(w.within(patience), tool, json.RawMessage(raw))); !strings.Contains(r.text, "expected object, received ") {
				t.Errorf("%s with %s: %s", tool, raw, r.text)
			}
		}
	}
	w.fails("browser_fill_form", args{"fields": []args{{"target": "#x", "type": "textbox"}, {"target": 5, "name": "n", "type": "text", "value": "v"}}},
		"→ at fields[0].name", "→ at fields[0].value", "→ at fields[1].target", "→ at fields[1].type", `expected one of "textbox"|`)
	w.fails("browser_network_request", args{"index": 0}, "Too small: expected number to be >=1")
	w.fails("browser_network_request", args{"index": 1.5}, "expected int, received number")
	w.fails("browser_drop", args{"target": "#x", "data": args{"text/plain": 5}}, "→ at data.text/plain")
	for _, name := range []string{"browser_run_code_unsafe", "browser_nosuch", "", "Browser_Click"} {
		w.fails(name, args{}, "### Error\nTool \""+name+"\" not found")
	}
	if after := w.js("() => performance.timeOrigin"); after != before {
		t.Error("a call with wrong arguments did something")
	}
}

func TestOldNamesAndStrangeKeysAreTaken(t *testing.T) {
	w := open(t)
	text := w.show(`<button onclick="proof='clicked'">Go</button><input aria-label=Name>`)
	w.ok("browser_click", args{"ref": w.ref(text, "button"), "element": "Go", "nonsense": 5, "snapshot": nil})
	if got := w.js("() => proof"); got != `"clicked"` {
		t.Errorf("by the old name: %s", got)
	}
	w.ok("browser_fill_form", args{"fields": []args{{"ref": w.ref(text, "textbox"), "name": "Name", "type": "textbox", "value": "v"}}})
	if got := w.js("() => document.querySelector('input').value"); got != `"v"` {
		t.Errorf("a field by the old name: %s", got)
	}
	text = w.show(fmt.Sprintf(targetRows()[5].html, ""))
	from := w.ref(text, `button "Box"`)
	w.ok("browser_drag", args{"startRef": from, "endRef": goalOf(from)})
	if got := w.js("() => proof"); got != `"dropped"` {
		t.Errorf("a drag by the old names: %s", got)
	}
}

func TestToolsDuringADialog(t *testing.T) {
	w := open(t)
	alert := `<button id=x onclick="alert('Full')">Go</button>`
	modal := "### Modal state\n- [\"alert\" dialog with message \"Full\"]: can be handled by browser_handle_dialog"
	w.show(alert)
	w.has(w.ok("browser_click", args{"target": "#x"}), modal)
	for tool, a := range goodArgs() {
		switch tool {
		case "browser_handle_dialog", "browser_close":
		case "browser_tabs":
			w.has(w.ok(tool, a), "### Result\n- 0: (current) [T](", modal)
		case "browser_wait_for":
			w.has(w.ok(tool, a), "Waited for 0.01 seconds", modal)
			w.fails(tool, args{"text": "Go"}, "does not handle the modal state", modal)
		case "browser_file_upload":
			w.fails(tool, a, `Error: The tool "browser_file_upload" can only be used when there is related modal state present.`)
		default:
			if got, want := w.fails(tool, a), "### Error\nError: Tool \""+tool+"\" does not handle the modal state.\n"+modal; got != want {
				t.Errorf("%s:\n%s", tool, got)
			}
		}
	}
	w.ok("browser_handle_dialog", args{"accept": true})
	w.fails("browser_handle_dialog", args{"accept": true}, `Error: The tool "browser_handle_dialog" can only be used when there is related modal state present.`)
	w.ok("browser_click", args{"target": "#x"})
	w.ok("browser_close", nil)
	w.lacks(w.visit("/login"), "### Modal state")
}

func TestToolsOnACrashedPage(t *testing.T) {
	w := open(t)
	tools := slices.Sorted(maps.Keys(goodArgs()))
	for _, tool := range tools {
		w.show("<button id=x>Go</button>")
		tabs := w.b.Tabs()
		tab := tabs[len(tabs)-1]
		go func() { _, _ = pcdp.Call(w.within(patience), tab.Session(), page.Crash, pcdp.Empty{}) }()
		<-tab.Crashed()
		r := w.call(tool, goodArgs()[tool])
		if !r.isError || !strings.HasPrefix(r.text, "### Error\nError: Target crashed: the page at "+w.url+"/page/") {
			t.Errorf("%s: %s", tool, r.text)
		}
		if got := w.b.Tabs(); len(got) != 1 || got[0].URL() != "about:blank" || got[0].IsCrashed() {
			t.Errorf("%s: %d tabs afterwards", tool, len(got))
		}
	}
}
