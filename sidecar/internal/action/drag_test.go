package action_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
)

func TestDrag(t *testing.T) {
	const boxes = `<style>.box{width:120px;height:60px;border:1px solid}</style>`
	t.Run("HTML drag and drop", func(t *testing.T) {
		s := open(t, boxes+`<div id=a class=box draggable=true>A</div><div style="height:300px"></div><div id=z class=box>Z</div><script>
const log = [];
for (const n of ['dragstart','dragenter','dragover','dragleave','drop','dragend','mouseup','click']) addEventListener(n, e => { if (log.at(-1) !== n + ' ' + e.target.id) log.push(n + ' ' + e.target.id + (e.isTrusted ? '' : ' fake')) }, true);
a.ondragstart = e => e.dataTransfer.setData('text/plain', 'payload');
z.ondragover = e => e.preventDefault();
z.ondrop = e => { z.textContent = e.dataTransfer.getData('text/plain') }</script>`)
		s.must(s.Drag(s.ctx, "#a", "#z"))
		s.want("z.textContent", `"payload"`)
		s.want("log[0] + '|' + log.filter(l => /drop|dragend|mouseup|click/.test(l))", `"dragstart a|drop z,dragend a"`)
		// Nothing is left held down.
		s.js("log.length = 0; document.body.onmousemove = e => { buttons = e.buttons }")
		s.must(s.Hover(s.ctx, "#a"))
		s.want("buttons", "0")
	})
	t.Run("by the pointer", func(t *testing.T) {
		s := open(t, boxes+`<div id=a class=box style="position:absolute;left:20px;top:20px;user-select:none">A</div><div id=z class=box style="position:absolute;left:500px;top:300px">Z</div><script>
let moves = 0, held = false;
a.onpointerdown = e => { held = true; a.setPointerCapture(e.pointerId) };
a.onpointermove = e => { if (held) { moves++; a.style.left = e.clientX - 60 + 'px'; a.style.top = e.clientY - 30 + 'px' } };
a.onpointerup = e => { held = false; out = [e.clientX, e.clientY] + '' }</script>`)
		s.must(s.Drag(s.ctx, "#a", "#z"))
		s.want("out + ' ' + (moves >= 5) + ' ' + held", `"561,331 true false"`)
	})
	t.Run("a page that refuses its own drag", func(t *testing.T) {
		s := open(t, boxes+`<div id=a class=box draggable=true ondragstart="event.preventDefault()" onmousedown="down = 1">A</div><div id=z class=box onmouseup="up = 1">Z</div>`)
		s.must(s.Drag(s.ctx, "#a", "#z"))
		s.want("down + up", "2")
	})
	t.Run("what is out of view", func(t *testing.T) {
		s := open(t, boxes+`<div id=a class=box draggable=true>A</div><div style="height:3000px"></div><div id=z class=box ondragover="event.preventDefault()" ondrop="z.textContent = 'dropped'">Z</div>`)
		s.must(s.Drag(s.ctx, "#a", "#z"))
		s.want("z.textContent", `"dropped"`)
	})
	t.Run("fails", func(t *testing.T) {
		s := open(t, boxes+`<div id=a class=box>A</div><div id=z class=box style="display:none">Z</div>`, action.WithTimeout(400*time.Millisecond))
		s.fails(s.Drag(s.ctx, "#a", "#z"), "TimeoutError:", "element is not visible")
	})
}

func TestDrop(t *testing.T) {
	const zone = `<div id=z style="width:200px;height:100px;border:1px solid">Z</div><script>
z.ondragover = e => e.preventDefault();
z.ondrop = async e => { e.preventDefault(); const f = [...e.dataTransfer.files]; z.textContent = [e.isTrusted, e.dataTransfer.getData('text/plain'), e.dataTransfer.getData('text/x-own'), ...f.map(x => x.name)].join(' '); if (f[0]) z.title = await f[0].text() }</script>`
	t.Run("data", func(t *testing.T) {
		s := open(t, zone)
		s.must(s.Drop(s.ctx, "#z", action.Payload{Data: map[string]string{"text/plain": "hello", "text/x-own": "mine"}}))
		s.want("z.textContent", `"true hello mine"`)
	})
	t.Run("files", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a b.txt")
		if err := os.WriteFile(path, []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
		for dir := filepath.Dir(path); dir != os.TempDir(); dir = filepath.Dir(dir) {
			os.Chmod(dir, 0o755)
		}
		s := open(t, zone)
		s.must(s.Drop(s.ctx, "#z", action.Payload{Files: []string{path}}))
		s.want("z.textContent.trim() + ':' + z.title", `"true   a b.txt:content"`)
	})
	t.Run("refused", func(t *testing.T) {
		s := open(t, `<div id=z>Z</div>`)
		s.fails(s.Drop(s.ctx, "#z", action.Payload{Data: map[string]string{"text/plain": "x"}}), "takes no drop")
	})
}

func TestHover(t *testing.T) {
	s := open(t, `<style>#m{display:none}#h:hover #m{display:block}</style><div id=h style="width:100px">Menu<ul id=m><li id=i onclick="picked = true">Item</ul></div>
<div id=tip style="display:none">tip</div><button id=b onmouseenter="setTimeout(() => tip.style.display = 'block', 200)">With a tip</button>`)
	s.must(s.Hover(s.ctx, "#h"))
	s.want("getComputedStyle(m).display", `"block"`)
	s.must(s.Click(s.ctx, "#i", action.ClickOptions{}))
	s.want("picked", "true")
	s.must(s.Hover(s.ctx, "#b"))
	s.want("getComputedStyle(tip).display", `"block"`)
}

func TestReveal(t *testing.T) {
	s := open(t, `<div style="height:3000px"></div><div id=b style="margin-left:50px;width:120px;height:40px">Box</div><div style="height:3000px"></div>`)
	box, err := s.Reveal(s.ctx, "#b")
	s.must(err)
	if box.Width != 120 || box.Height != 40 || box.X != 58 || box.Y < 0 || box.Y > 680 {
		t.Errorf("it is at %+v", box)
	}
}

func TestWaitText(t *testing.T) {
	s := open(t, `<p id=p hidden>Arrived   here</p><p id=q>Loading</p><script>setTimeout(() => { p.hidden = false; q.remove() }, 300)</script>`, action.WithTimeout(3*time.Second))
	s.must(s.WaitText(s.ctx, "arrived here", false))
	s.must(s.WaitText(s.ctx, "Loading", true))
	s.want("p.hidden", "false")
	quick := action.New(s.tab, s.view, action.WithTimeout(200*time.Millisecond))
	s.fails(quick.WaitText(s.ctx, "Never", false), "TimeoutError:", `"Never" to appear`)
	s.fails(quick.WaitText(s.ctx, "Arrived", true), "TimeoutError:", `"Arrived" to go away`)
}
