package tools_test

import (
	"fmt"
	"strings"
	"testing"
)

const formPage = `<label>Name <input id=name value=Ann></label><input id=secret type=password value=hunter2 aria-label=Secret>
	<label><input type=checkbox id=yes checked>Yes</label><input type=checkbox id=no aria-label=No><input type=radio name=r id=r1 checked aria-label=R1><input type=radio name=r id=r2 aria-label=R2>
	<div role=checkbox aria-checked=mixed id=mixed aria-label=Mixed tabindex=0></div><select id=size aria-label=Size><option value=S>small<option value=L selected>large</select>
	<input type=range id=range value=30 aria-label=Range><div role=slider id=aria aria-valuenow=7 aria-label=Aria tabindex=0></div><textarea id=area aria-label=Area>long
text</textarea><div contenteditable id=edit aria-label=Edit>edited</div><p id=none>none</p>
	<ul id=list><li>First <b>item</b></li><li style="display:none">Hidden</li><li><span>Second</span></li></ul>
	<button style="display:none">Gone</button><button id=go>Go <i>now</i></button><iframe srcdoc="<h1>In a frame</h1><button>Framed</button>"></iframe>`

func TestVerifying(t *testing.T) {
	w := open(t)
	w.show(formPage)
	for _, c := range []struct {
		typ, target, value, want string
	}{
		{"textbox", "#name", "Ann", ""}, {"textbox", "text=Name", "Ann", ""}, {"textbox", "#name", "Bob", `Expected value "Bob", but got "Ann"`},
		{"textbox", "#secret", "hunter2", ""}, {"textbox", "#secret", "x", `Expected value "x", but got another one, which is a secret`},
		{"checkbox", "#yes", "true", ""}, {"checkbox", "text=Yes", "true", ""}, {"checkbox", "#yes", "false", `Expected value "false", but got "true"`},
		{"checkbox", "#no", "false", ""}, {"checkbox", "#no", "anything", ""}, {"checkbox", "#mixed", "true", `Expected value "true", but got "mixed"`},
		{"radio", "#r1", "true", ""}, {"radio", "#r2", "true", `Expected value "true", but got "false"`},
		{"combobox", "#size", "L", ""}, {"combobox", "#size", "large", `Expected value "large", but got "L"`},
		{"slider", "#range", "30", ""}, {"slider", "#aria", "7", ""}, {"textbox", "#area", "long\ntext", ""}, {"textbox", "#area", "x", `Expected value "x", but got "long text"`},
		{"textbox", "#edit", "edited", ""}, {"textbox", "#none", "x", "Node is not an <input>, <textarea> or <select> element"},
		{"checkbox", "#none", "true", "Not a checkbox or radio button"},
	} {
		a := args{"type": c.typ, "element": "x", "target": c.target, "value": c.value}
		if c.want == "" {
			w.same(w.ok("browser_verify_value", a), "### Result\nDone")
		} else {
			w.lacks(w.fails("browser_verify_value", a, "### Error\n", c.want), "hunter2")
		}
	}
	for _, text := range []string{"Go now", "first ITEM", "In a frame", "Framed"} {
		w.same(w.ok("browser_verify_text_visible", args{"text": text}), "### Result\nDone")
	}
	for _, text := range []string{"Hidden", "Gone", "nowhere"} {
		w.same(w.fails("browser_verify_text_visible", args{"text": text}), "### Error\nText not found")
	}
	for _, c := range []struct{ role, name, want string }{
		{"button", "go NOW", ""}, {"button", "o n", ""}, {"button", "Framed", ""}, {"heading", "in a", ""}, {"checkbox", "Yes", ""},
		{"link", "Go", `Element with role "link" and accessible name "Go" not found`}, {"button", "Gone", `and accessible name "Gone" not found`}, {"nonsense", "", "not found"},
	} {
		a := args{"role": c.role, "accessibleName": c.name}
		if c.want == "" {
			w.same(w.ok("browser_verify_element_visible", a), "### Result\nDone")
		} else {
			w.fails("browser_verify_element_visible", a, c.want)
		}
	}
	list := func(items ...string) args { return args{"element": "x", "target": "#list", "items": items} }
	w.same(w.ok("browser_verify_list_visible", list("first item", "Second")), "### Result\nDone")
	w.same(w.fails("browser_verify_list_visible", list("first", "Third", "Hidden")), "### Error\nItem \"Third\" not found\nItem \"Hidden\" not found")
	w.same(w.ok("browser_verify_list_visible", args{"element": "x", "target": "#go", "items": []string{"Go"}}), "### Result\nDone")
	w.js("() => { document.body.insertAdjacentHTML('beforeend', '<select id=pick><option>Large<option hidden>Never</select>') }")
	pick := args{"element": "x", "target": "#pick", "items": []string{"Large"}}
	w.same(w.ok("browser_verify_list_visible", pick), "### Result\nDone")
	pick["items"] = []string{"Large", "Never"}
	w.same(w.fails("browser_verify_list_visible", pick), "### Error\nItem \"Never\" not found")

	// The expression that is printed finds the element again, from anywhere.
	snap := w.snapshot()
	for _, element := range []string{`button "Go now"`, `button "Framed"`, `checkbox "Yes"`, `slider "Range"`} {
		code := strings.TrimPrefix(w.ok("browser_generate_locator", args{"target": w.ref(snap, element)}), "### Result\n")
		if again := strings.TrimPrefix(w.ok("browser_generate_locator", args{"target": code}), "### Result\n"); again != code {
			t.Errorf("%s is %s, and that is %s", element, code, again)
		}
	}
}

func TestTheMouse(t *testing.T) {
	w := open(t)
	w.show(`<style>body{margin:0;height:3000px}</style><div id=pad style="width:400px;height:300px;background:#eee"></div>
		<div id=from draggable=true style="position:absolute;left:10px;top:320px;width:50px;height:50px;background:red"></div>
		<div id=to style="position:absolute;left:200px;top:320px;width:80px;height:80px;background:blue" ondragover="event.preventDefault()" ondrop="log.push('drop')"></div>
		<script>var log = []; for (const t of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick'])
			pad.addEventListener(t, (e) => { e.preventDefault(); log.push(t + ' ' + e.clientX + ',' + e.clientY + ' ' + e.button + e.buttons + e.detail + e.isTrusted); });
			var at = 0; pad.addEventListener('mousedown', (e) => at = e.timeStamp); pad.addEventListener('mouseup', (e) => log.held = e.timeStamp - at);</script>`)
	for _, c := range []struct {
		tool string
		args args
		want string
		snap bool
	}{
		{"browser_mouse_move_xy", args{"x": 10, "y": 20.5}, "mousemove 10,20 000true", false},
		{"browser_mouse_down", nil, "mousedown 10,20 011true", false},
		{"browser_mouse_move_xy", args{"x": 30, "y": 40}, "mousemove 30,40 010true", false},
		{"browser_mouse_up", args{"button": "left"}, "mouseup 30,40 001true; click 30,40 001true", false},
		{"browser_mouse_click_xy", args{"x": 50, "y": 60}, "mousemove 50,60 000true; mousedown 50,60 011true; mouseup 50,60 001true; click 50,60 001true", true},
		{"browser_mouse_click_xy", args{"x": 50, "y": 60, "button": "right"}, "mousedown 50,60 221true; contextmenu 50,60 220true; mouseup 50,60 201true; auxclick 50,60 201true", true},
		{"browser_mouse_click_xy", args{"x": 70, "y": 60, "clickCount": 2}, "mousemove 70,60 000true; mousedown 70,60 011true; mouseup 70,60 001true; click 70,60 001true; mousedown 70,60 012true; mouseup 70,60 002true; click 70,60 002true; dblclick 70,60 002true", true},
		{"browser_mouse_click_xy", args{"x": 90, "y": 60, "delay": 120}, "mousemove 90,60 000true; mousedown 90,60 011true; mouseup 90,60 001true; click 90,60 001true", true},
		{"browser_mouse_drag_xy", args{"startX": 30, "startY": 340, "endX": 240, "endY": 360}, "drop", true},
		{"browser_mouse_wheel", args{"deltaY": 250}, "", false},
	} {
		w.js("() => { log.length = 0 }")
		text := w.ok(c.tool, c.args)
		if strings.Contains(text, "### Snapshot") != c.snap {
			t.Errorf("%s: %s", c.tool, text)
		}
		want := fmt.Sprintf("%q", c.want)
		await(t, c.tool+": "+c.want, func() bool {
			got := w.js("() => log.filter((l, i) => i === 0 || l !== log[i - 1] || !l.startsWith('mousemove')).join('; ')")
			return got == want || !t.Failed() && strings.HasSuffix(got, c.want+`"`)
		})
	}
	if got := w.js("() => log.held >= 100"); got != "true" {
		t.Error("the delay is no delay")
	}
	if got := w.js("() => scrollY"); got != "250" {
		t.Errorf("right after the wheel: scrolled to %s", got)
	}
}
