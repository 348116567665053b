package action_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// The controls here are made as component kits make theirs.

// TestHiddenControls presses controls that are there for readers alone: what is
// painted in their place takes the press.
func TestHiddenControls(t *testing.T) {
	const hidden = `<style>.hidden{position:absolute;width:1px;height:1px;margin:-1px;clip:rect(0 0 0 0);overflow:hidden}.box{position:relative;display:block;width:60px;height:30px;margin:40px;border:1px solid}
		.clip{position:absolute;inset:0;width:100%;height:100%;clip-path:inset(50%)}</style><script>let pressed = ''; addEventListener('mousedown', e => pressed += e.target.id, true)</script>`
	for _, tc := range []struct{ name, body, want string }{
		{"its label", `<span style="position:relative"><label id=l1 for=r1 class=box>1</label><input id=r1 name=r type=radio class=hidden><label id=l2 for=f class=box>2</label><input id=f name=r type=radio class=hidden></span>`, "l2 true"},
		{"the box around it", `<span id=thumb class=box tabindex=-1><input id=f type=checkbox class=clip></span><script>thumb.onclick = () => f.checked = true</script>`, "thumb true"},
		{"a row of its own", `<div id=row class=box onclick="f.checked = true"><input id=f type=checkbox class=hidden> Row</div>`, "row true"},
		{"itself where it can be reached", `<label id=l for=f class=box>L</label><input id=f type=checkbox style="opacity:0">`, "f true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, hidden+tc.body)
			s.must(s.Click(s.ctx, "#f", action.ClickOptions{}))
			s.want("pressed + ' ' + document.querySelector('#f').checked", fmt.Sprintf("%q", tc.want))
		})
	}
	t.Run("not what holds other controls", func(t *testing.T) {
		s := open(t, hidden+`<div class=box><button>Other</button><input id=f type=checkbox class=hidden></div>`, action.WithTimeout(500*time.Millisecond))
		s.fails(s.Click(s.ctx, "#f", action.ClickOptions{}), "TimeoutError:")
		s.want("pressed", `""`)
	})
}

// TestSlide fills sliders that are boxes with a role.
func TestSlide(t *testing.T) {
	const slider = `<div id=f role=slider tabindex=0 aria-valuemin=%v aria-valuemax=%v aria-valuenow=%v>x</div><script>
let keys = 0;
f.onkeydown = e => { keys++; const now = +f.getAttribute('aria-valuenow'), min = +f.getAttribute('aria-valuemin'), max = +f.getAttribute('aria-valuemax');
  const to = { %s }[e.key]; if (to === undefined) return; const set = () => f.setAttribute('aria-valuenow', Math.min(max, Math.max(min, to))); %s };</script>`
	const usual = `ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, PageUp: now + 10, PageDown: now - 10, Home: min, End: max`
	for _, tc := range []struct {
		name          string
		min, max, now float64
		keys, set     string
		text, want    string
		most          int // keys
	}{
		{"up", 0, 100, 30, usual, "set()", "34", "34", 6},
		{"down", 0, 100, 30, usual, "set()", "27", "27", 5},
		{"far", 0, 100, 30, usual, "set()", "95", "95", 16},
		{"to its ends", 0, 100, 30, usual, "set()", "100", "100", 1},
		{"nowhere", 0, 100, 30, usual, "set()", "30", "30", 0},
		{"in a frame", 0, 10, 5, usual, "requestAnimationFrame(set)", "8", "8", 5},
		{"mirrored", 0, 10, 5, "ArrowLeft: now + 1, ArrowRight: now - 1", "set()", "7", "7", 6},
		{"upright", -10, 10, 0, "ArrowUp: now + 2, ArrowDown: now - 2", "set()", "-6", "-6", 6},
		{"in fractions", 0, 1, 0, "ArrowRight: now + 0.1, ArrowLeft: now - 0.1", "set()", "0.3", "0.30000000000000004", 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, fmt.Sprintf(slider, tc.min, tc.max, tc.now, tc.keys, tc.set))
			s.must(s.Fill(s.ctx, "#f", tc.text))
			s.want("f.getAttribute('aria-valuenow')", fmt.Sprintf("%q", tc.want))
			s.want(fmt.Sprintf("keys <= %d || keys", tc.most), "true")
		})
	}
	for _, tc := range []struct{ name, keys, text, word string }{
		{"no number", usual, "loud", "takes a number from 0 to 100"},
		{"beyond its end", usual, "101", "takes a number from 0 to 100"},
		{"between its steps", "ArrowRight: now + 5, ArrowLeft: now - 5", "42", "no key brings it to 42"},
		{"no keys", "", "42", "stands at 30 and no key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, fmt.Sprintf(slider, 0, 100, 30, tc.keys, "set()"))
			s.fails(s.Fill(s.ctx, "#f", tc.text), tc.word)
		})
	}
}

// TestEditorWithTextElsewhere types into an editor that keeps its text and its
// selection to itself, and indents what is typed.
func TestEditorWithTextElsewhere(t *testing.T) {
	const editor = `<div id=view style="height:60px;border:1px solid;position:relative"><div id=f role=textbox aria-label=Source tabindex=0 style="position:absolute;left:40px;top:0;width:0;height:18px"></div><pre id=out aria-hidden=true>old</pre></div><script>
const context = f.editContext = new EditContext();
let all = false, text = 'old';
const put = (t) => { text = all ? t : text + t; all = false; out.textContent = text };
f.onkeydown = e => { if (e.key === 'a' && (e.ctrlKey || e.metaKey)) { all = true; e.preventDefault() } if (e.key === 'Delete' && all) put('') };
context.ontextupdate = e => put(e.text.replace(/\n/g, '\n\t'));
f.onpaste = e => { e.preventDefault(); put(e.clipboardData.getData('text/plain')) }</script>`
	s := open(t, editor)
	snap, err := s.view.Snapshot(s.ctx, page.Options{})
	s.must(err)
	if !strings.Contains(snap.Text, `textbox "Source" [ref=`) {
		t.Errorf("the editor has no ref:\n%s", snap.Text)
	}
	s.must(s.Fill(s.ctx, "#f", "a {\n  b\n"))
	s.want("text", `"a {\n  b\n"`)
	s.must(s.PressSequentially(s.ctx, "#f", "cd", false))
	s.want("text", `"a {\n  b\ncd"`)
	s.must(s.Fill(s.ctx, "#f", ""))
	s.want("text", `""`)
	s.must(s.Click(s.ctx, "#f", action.ClickOptions{}))
	s.js("f.onpaste = null")
	s.must(s.Fill(s.ctx, "#f", "x"))
	s.want("text", `"x"`)
}

// TestMotion presses a button that lets something come or go, and looks at once.
func TestMotion(t *testing.T) {
	const style = `<style>.menu{width:120px;background:#eee;transform-origin:top}.start{transform:scale(0)}.active{animation:grow .2s}.held{animation:grow .2s paused;pointer-events:none}
@keyframes grow{from{transform:scale(0)}} .drawer{position:fixed;right:0;top:0;width:200px;height:100%%;background:#eee;transition:transform .3s}.out{transform:translateX(100%%)}</style>
<button id=b onclick="go()">Go</button><div id=at></div><script>
const frames = async (n) => { while (n--) await new Promise(requestAnimationFrame) };
%s</script>`
	const menu = `<div id=m class="menu start"><div role=menuitem tabindex=-1>Item</div></div>`
	for _, tc := range []struct{ name, script, want string }{
		{"a menu that grows in steps", `async function go() { at.innerHTML = '` + menu + `'; await frames(3); m.className = 'menu active' }`, `menuitem "Item" [ref=`},
		{"one that a timer opens", `function go() { setTimeout(async () => { at.innerHTML = '` + menu + `'; await frames(3); m.className = 'menu active' }, 100) }`, `menuitem "Item" [ref=`},
		{"one whose animation is held for some frames", `async function go() { at.innerHTML = '` + menu + `'; m.className = 'menu held'; await frames(4); m.className = 'menu active' }`, `menuitem "Item" [ref=`},
		{"a drawer that slides out", `at.innerHTML = '<div id=d class=drawer role=dialog><p>Basket</p></div>'; function go() { d.ontransitionend = () => d.remove(); d.className = 'drawer out' }`, "!Basket"},
		{"a drawer that is removed by a timer", `at.innerHTML = '<div id=d class=drawer role=dialog><p>Basket</p></div>'; function go() { setTimeout(() => setTimeout(() => d.remove(), 470), 0); d.className = 'drawer out' }`, "!Basket"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, fmt.Sprintf(style, tc.script))
			s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
			snap, err := s.view.Snapshot(s.ctx, page.Options{})
			s.must(err)
			word, absent := strings.CutPrefix(tc.want, "!")
			if strings.Contains(snap.Text, word) == absent {
				t.Errorf("want %q in the page as it is shown:\n%s", tc.want, snap.Text)
			}
		})
	}
}

// TestDragHold drags in a list that decides where an entry goes when it has drawn
// the last move, some frames later.
func TestDragHold(t *testing.T) {
	s := open(t, `<div id=a style="width:100px;height:40px;user-select:none">A</div><div style="height:200px"></div><div id=z style="width:100px;height:40px">Z</div><script>
let over = '', dropped = '';
a.onpointerdown = () => { onpointermove = (e) => requestAnimationFrame(() => setTimeout(() => over = document.elementFromPoint(e.clientX, e.clientY).id)); onpointerup = () => { dropped = over; onpointermove = null } }</script>`)
	s.must(s.Drag(s.ctx, "#a", "#z"))
	s.want("dropped", `"z"`)
}

// TestArrive reads pages whose scripts render after the page has loaded.
func TestArrive(t *testing.T) {
	for _, tc := range []struct{ name, script string }{
		{"in a task", `onload = () => { const c = new MessageChannel(); c.port1.onmessage = () => document.body.append('rendered'); c.port2.postMessage(0) }`},
		{"in frames", `onload = () => requestAnimationFrame(() => document.body.append('rendered'))`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, `<p>shell</p><script>`+tc.script+`</script>`)
			s.must(s.Arrive(s.ctx))
			s.want("document.body.textContent.includes('rendered')", "true")
		})
	}
	s := open(t, `<p id=p>still</p><script>setInterval(() => p.append('.'), 5)</script>`)
	s.must(s.Arrive(s.ctx))
}
