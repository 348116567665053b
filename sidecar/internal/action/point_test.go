package action_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

func TestPoints(t *testing.T) {
	s := open(t, logger+`<style>body{margin:0}canvas{border:0}</style><canvas id=c width=400 height=300></canvas><script>
const at = []; c.onmousedown = e => at.push('down ' + e.clientX + ',' + e.clientY + ' ' + e.button); c.onmouseup = e => at.push('up ' + e.clientX + ',' + e.clientY);
c.ondblclick = () => at.push('double'); let turned = 0; c.onwheel = e => { turned += e.deltaY }</script>`)
	s.must(s.ClickAt(s.ctx, browser.Press{X: 40, Y: 20, Clicks: 2}))
	s.want("at + ''", `"down 40,20 0,up 40,20,down 40,20 0,up 40,20,double"`)
	s.js("at.length = 0")
	s.must(s.DragAt(s.ctx, action.Point{X: 10, Y: 10}, action.Point{X: 300, Y: 200}))
	s.want("at + ''", `"down 10,10 0,up 300,200"`)
	s.js("at.length = 0")
	s.must(s.Pointer(s.ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Move(ctx, 50, 60) }))
	s.must(s.Pointer(s.ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Down(ctx, browser.Right, 1) }))
	s.must(s.Pointer(s.ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Up(ctx, browser.Right, 1) }))
	s.must(s.Wheel(s.ctx, 0, 120))
	s.want("at + ' ' + turned", `"down 50,60 2,up 50,60 120"`)
}

// TestHeldInputIsLetGo: when a caller goes away in the middle of a drag, no
// button stays down.
func TestHeldInputIsLetGo(t *testing.T) {
	s := open(t, `<div id=a style="width:100px;height:100px">A</div><div id=z hidden>Z</div><script>let down = 0; addEventListener('mousedown', () => down++); addEventListener('mouseup', () => down--)</script>`)
	ctx, cancel := context.WithCancel(s.ctx)
	s.must(s.Pointer(ctx, func(ctx context.Context, m *browser.Mouse) error {
		if err := m.Move(ctx, 50, 50); err != nil {
			return err
		}
		return m.Down(ctx, browser.Left, 1)
	}))
	s.want("down", "1")
	cancel()
	err := s.Pointer(ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Move(ctx, 60, 60) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s.until("down", "0")
}

func TestFileChooser(t *testing.T) {
	path := filepath.Join(os.TempDir(), "pillion-chooser.txt")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(path) })
	s := blank(t)
	s.page("/{$}", `<label>File <input id=f type=file onchange="load()"></label><p id=out></p><script>async function load() { out.textContent = f.files[0].name + (await (await fetch('/data?ms=80')).text()) }</script>`)
	s.serveData()
	s.visit("/")
	if err := s.Click(s.ctx, "#f", action.ClickOptions{}); !errors.Is(err, browser.ErrModal) || s.tab.Chooser() == nil {
		t.Fatalf("got %v, want an open file chooser", err)
	}
	s.must(s.Answered(s.ctx, "choose files", func(ctx context.Context) error { return s.tab.ChooseFiles(ctx, []string{path}) }))
	s.want("out.textContent", `"pillion-chooser.txtdata"`)
}

func TestAnsweredDialog(t *testing.T) {
	s := blank(t)
	s.page("/{$}", `<button id=b onclick="go()">Go</button><p id=out></p><script>async function go() { if (confirm('Sure?')) out.textContent = await (await fetch('/data?ms=80')).text(); else if (confirm('Really not?')) out.textContent = 'no' }</script>`)
	s.serveData()
	s.visit("/")
	for _, tc := range []struct {
		accept bool
		want   string
	}{{true, "data"}, {false, "data"}} {
		if err := s.Click(s.ctx, "#b", action.ClickOptions{}); !errors.Is(err, browser.ErrModal) {
			t.Fatalf("got %v, want a dialog", err)
		}
		err := s.Answered(s.ctx, "answer", func(ctx context.Context) error { return s.tab.HandleDialog(ctx, tc.accept, "") })
		if tc.accept {
			s.must(err)
			s.want("out.textContent", `"`+tc.want+`"`)
		} else if !errors.Is(err, browser.ErrModal) {
			t.Errorf("got %v, want the next dialog", err)
		}
	}
	s.must(s.Answered(s.ctx, "answer", func(ctx context.Context) error { return s.tab.HandleDialog(ctx, true, "") }))
	s.want("out.textContent", `"no"`)
}

func TestEvaluateSettles(t *testing.T) {
	s := blank(t)
	s.page("/{$}", `<p id=out>old</p>`)
	s.serveData()
	s.visit("/")
	v, err := s.Evaluate(s.ctx, "", "() => 1 + 1")
	s.must(err)
	if string(v) != "2" {
		t.Errorf("got %s", v)
	}
	_, err = s.Evaluate(s.ctx, "", "() => { fetch('/data?ms=80').then(r => r.text()).then(t => { out.textContent = t }) }")
	s.must(err)
	s.want("out.textContent", `"data"`)
	_, err = s.Evaluate(s.ctx, "#out", "(e) => { location.href = '/next?ms=80' }")
	s.must(err)
	s.want("document.getElementById('out').textContent", `"next"`)
}

func TestSocketReply(t *testing.T) {
	s := blank(t)
	s.page("/{$}", `<button id=b onclick="w.send('x')">Go</button><p id=out>old</p><script>const w = new WebSocket('ws://' + location.host + '/ws'); w.onmessage = e => { out.textContent = e.data }; const ready = new Promise(r => w.onopen = r)</script>`)
	s.mux.HandleFunc("/ws", echoSlowly(80*time.Millisecond))
	s.visit("/")
	s.js("ready.then(() => 1)")
	s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
	s.want("out.textContent", `"x"`)
}
