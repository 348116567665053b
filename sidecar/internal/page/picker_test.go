package page_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

const pickers = `<style>* { font: 16px monospace } select, input { position: absolute; left: 10px; width: 200px; height: 30px; margin: 0; padding: 0; border: 0 }</style>
<select aria-label=Fruit style="top: 0"><option>Apple<optgroup label=Rare><option disabled>Kiwi<option value=p>Pear</optgroup></select>
<input type=date aria-label=Birthday min=2020-01-01 style="top: 40px"><input type=color aria-label=Paint value="#ff0000" style="top: 80px">
<input type=time aria-label=Hour style="top: 120px"><input aria-label=Plain style="top: 160px">
<div id=host style="position: absolute; top: 200px"></div>
<iframe src="{other}/frame" style="position: absolute; top: 240px; left: 0; border: 0"></iframe>
<script>
const log = []; for (const e of ['input', 'change']) addEventListener(e, ev => log.push(e + ' ' + ev.composedPath()[0].value), true);
host.attachShadow({ mode: 'open' }).innerHTML = '<select style="position:absolute;left:10px;width:200px;height:30px"><option>Inside<option>Outside</select>';
</script>`

// TestPickers opens what Chromium draws in windows of its own, as a person does.
func TestPickers(t *testing.T) {
	s := newStage(t)
	s.serve("/frame", `<style>select { position: absolute; left: 10px; top: 0; width: 200px; height: 30px }</style><select><option>Near<option>Far</select>`)
	s.serve("/{$}", pickers)
	s.visit("/")
	if err := s.tab.Activate(s.ctx); err != nil {
		t.Fatal(err)
	}
	opens := func(x, y float64) (p *page.Picker) {
		t.Helper()
		if err := s.tab.Mouse().Click(s.ctx, browser.Press{X: x, Y: y}); err != nil {
			t.Fatal(err)
		}
		apptest.Await(t, "a picker", func() bool {
			var err error
			if p, err = page.OpenPicker(s.ctx, s.tab); err != nil {
				t.Fatal(err)
			}
			return p != nil
		})
		return p
	}
	closes := func(p *page.Picker, c page.Choice, complaint string) {
		t.Helper()
		if err := p.Close(s.ctx, c); complaint == "" && err != nil || complaint != "" && (err == nil || !strings.Contains(err.Error(), complaint)) {
			t.Errorf("close %s: %v, want %q", p.Label, err, complaint)
		}
		if again, err := page.OpenPicker(s.ctx, s.tab); err != nil || again != nil {
			t.Errorf("still open: %+v %v", again, err)
		}
	}
	heard := func(want string) {
		t.Helper()
		var got string
		_ = json.Unmarshal([]byte(browsertest.Eval(t, s.tab.MainFrame(), "log.splice(0).join()")), &got)
		if got != want {
			t.Errorf("the page heard %q, want %q", got, want)
		}
	}

	fruit := opens(50, 15)
	if got, _ := json.Marshal(fruit.Options); string(got) != `[{"label":"Apple"},{"label":"Kiwi","group":"Rare","disabled":true},{"label":"Pear","group":"Rare"}]` ||
		fruit.Kind != "select" || fruit.Label != "Fruit" || fruit.Selected != 0 {
		t.Errorf("%+v", fruit)
	}
	if again, _ := page.OpenPicker(s.ctx, s.tab); !again.Is(fruit) {
		t.Errorf("another one: %+v", again)
	}
	// What was chosen is chosen, though the list had been moved by a key.
	if err := s.tab.Keyboard().Press(s.ctx, "ArrowDown"); err != nil {
		t.Fatal(err)
	}
	closes(fruit, page.Choice{Index: new(2)}, "")
	heard("input p,change p")
	next := opens(50, 15)
	if next.Is(fruit) || next.Selected != 2 {
		t.Errorf("the next: %+v", next)
	}
	if err := fruit.Close(s.ctx, page.Choice{Index: new(0)}); err != nil { // which is over
		t.Error(err)
	}
	closes(next, page.Choice{Index: new(1)}, "can’t be chosen")
	closes(opens(50, 15), page.Choice{}, "")
	heard("")

	date := opens(200, 55)
	if date.Kind != "date" || date.Label != "Birthday" || date.Min != "2020-01-01" || date.Value != "" {
		t.Errorf("%+v", date)
	}
	closes(date, page.Choice{Value: new("2024-02-29")}, "")
	heard("input 2024-02-29,change 2024-02-29")
	closes(opens(200, 55), page.Choice{Value: new("never")}, "Malformed value")
	closes(opens(50, 95), page.Choice{Value: new("#00ff00")}, "")
	heard("input #00ff00,change #00ff00")
	hour := opens(200, 135)
	if hour.Kind != "time" {
		t.Errorf("%+v", hour)
	}
	closes(hour, page.Choice{Value: new("13:45")}, "")

	closes(opens(50, 215), page.Choice{Index: new(1)}, "") // in a shadow tree
	far := opens(50, 255)                                  // in a frame of another site
	if len(far.Options) != 2 || far.Options[1].Label != "Far" {
		t.Errorf("%+v", far)
	}
	closes(far, page.Choice{Index: new(1)}, "")
	if err := s.tab.Mouse().Click(s.ctx, browser.Press{X: 50, Y: 175}); err != nil {
		t.Fatal(err)
	}
	if p, err := page.OpenPicker(s.ctx, s.tab); p != nil || err != nil {
		t.Errorf("a text field opened %+v %v", p, err)
	}
}

func TestSelection(t *testing.T) {
	s := newStage(t)
	s.serve("/frame", `<p id=p>in the frame</p>`)
	s.serve("/{$}", `<p id=p>some words</p><input id=text value="a field"><input id=secret type=password value=hunter2><iframe src="{other}/frame"></iframe>`)
	s.visit("/")
	for script, want := range map[string]string{
		"0":                                   "",
		"getSelection().selectAllChildren(p)": "some words",
		"text.focus(), text.setSelectionRange(2, 7)":      "field",
		"secret.focus(), secret.select()":                 "",
		"secret.blur(), getSelection().removeAllRanges()": "",
	} {
		browsertest.Eval(t, s.tab.MainFrame(), script)
		if got, err := page.Selection(s.ctx, s.tab); err != nil || got != want {
			t.Errorf("after %s: %q %v", script, got, err)
		}
	}
	frame := s.tab.MainFrame().Children()[0]
	browsertest.Eval(t, frame, "focus(), getSelection().selectAllChildren(p)")
	apptest.Await(t, "the frame's selection", func() bool {
		got, err := page.Selection(s.ctx, s.tab)
		return err == nil && got == "in the frame"
	})
}
