package live

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/google/go-cmp/cmp"
)

// relayed is what a message makes of itself for the page, as the protocol's
// parameters; "" when it is dropped.
func relayed(t testing.TB, message string, a *area, mac bool) string {
	t.Helper()
	typ, f := readMessage(1, []byte(message))
	var p any
	var ok bool
	switch typ {
	case "mouse":
		p, ok = f.mouse(a)
	case "wheel":
		var w input.DispatchMouseEventParams
		if w, ok = f.wheel(a); ok {
			return fmt.Sprintf("wheel %v,%v by %v,%v mod %d", w.X, w.Y, w.DeltaX, w.DeltaY, w.Modifiers)
		}
	case "key":
		p, ok = f.key(mac)
	case "touch":
		if p, ok = f.touch(a); ok {
			b, _ := json.Marshal(p)
			return "touch " + string(b)
		}
	case "text":
		p, ok = f.inserted()
	}
	if !ok {
		return ""
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInput(t *testing.T) {
	ordinary := &area{1280, 800, 0}
	long := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'x'
		}
		return string(b)
	}
	for _, c := range []struct {
		message string
		area    *area
		want    string
	}{
		// Points.
		{`{"type":"mouse","action":"move","x":0.5,"y":0.25}`, ordinary, `{"type":"mouseMoved","x":640,"y":200,"button":"none"}`},
		{`{"type":"mouse","action":"move","x":1,"y":1}`, &area{1280, 800, 10}, `{"type":"mouseMoved","x":1280,"y":810,"button":"none"}`},
		{`{"type":"mouse","action":"move","x":0.5,"y":0.25}`, nil, ``},
		{`{"type":"mouse","action":"move","x":1.5,"y":0.25}`, ordinary, ``},
		{`{"type":"mouse","action":"move","x":"0.5","y":0.25}`, ordinary, ``},
		{`{"type":"mouse","action":"move","x":0.5,"y":0.25}`, &area{0, 800, 0}, ``},
		{`{"type":"mouse","action":"move","x":-0.1,"y":0.25}`, ordinary, ``},
		{`{"type":"mouse","action":"move","x":null,"y":0.25}`, ordinary, ``},
		{`{"type":"mouse","action":"move","X":0.5,"y":0.25}`, ordinary, ``},
		{`{"type":"mouse","action":"move","x":1e999,"y":0.25}`, ordinary, ``},
		{`{"type":"mouse","action":"move","x":0.5,"y":0.5}`, &area{3, 5, 0}, `{"type":"mouseMoved","x":2,"y":3,"button":"none"}`}, // halves go up
		// Buttons.
		{`{"type":"mouse","action":"down","x":0.25,"y":0.5,"button":"left","clickCount":1,"modifiers":8}`, ordinary, `{"type":"mousePressed","x":320,"y":400,"modifiers":8,"button":"left","clickCount":1}`},
		{`{"type":"mouse","action":"up","x":0.25,"y":0.5,"button":"right","clickCount":2}`, ordinary, `{"type":"mouseReleased","x":320,"y":400,"button":"right","clickCount":2}`},
		{`{"type":"mouse","action":"move","x":0,"y":0,"clickCount":2}`, ordinary, `{"type":"mouseMoved","x":0,"y":0,"button":"none"}`},
		{`{"type":"mouse","action":"move","x":0,"y":0,"button":"left"}`, ordinary, `{"type":"mouseMoved","x":0,"y":0,"button":"left"}`},
		{`{"type":"mouse","action":"drag","x":0,"y":0}`, ordinary, ``},
		{`{"type":"mouse","x":0,"y":0}`, ordinary, ``},
		{`{"type":"mouse","action":"down","x":0,"y":0,"button":"back","modifiers":99}`, ordinary, `{"type":"mousePressed","x":0,"y":0,"button":"left","clickCount":1}`},
		{`{"type":"mouse","action":"down","x":0,"y":0,"clickCount":4,"modifiers":1.5}`, ordinary, `{"type":"mousePressed","x":0,"y":0,"button":"left","clickCount":1}`},
		{`{"type":"mouse","action":"down","x":0,"y":0,"clickCount":3.0,"modifiers":1.5e1}`, ordinary, `{"type":"mousePressed","x":0,"y":0,"modifiers":15,"button":"left","clickCount":3}`},
		{`{"type":"mouse","action":"down","x":0,"y":0,"clickCount":"2"}`, ordinary, `{"type":"mousePressed","x":0,"y":0,"button":"left","clickCount":1}`},
		// The wheel.
		{`{"type":"wheel","x":0.5,"y":0.5,"deltaY":120}`, ordinary, `wheel 640,400 by 0,120 mod 0`},
		{`{"type":"wheel","x":0.5,"y":0.5,"deltaY":1e9,"deltaX":-1e9,"modifiers":2}`, ordinary, `wheel 640,400 by -10000,10000 mod 2`},
		{`{"type":"wheel","x":0.5,"y":0.5,"deltaY":"far"}`, ordinary, `wheel 640,400 by 0,0 mod 0`},
		{`{"type":"wheel","x":0.5,"deltaY":1}`, ordinary, ``},
		// Fingers.
		{`{"type":"touch","points":[{"id":0,"x":0.5,"y":0.25}]}`, ordinary, `touch [{"x":640,"y":200,"id":0}]`},
		{`{"type":"touch","points":[{"id":1,"x":0,"y":0},{"id":0,"x":1,"y":1}]}`, ordinary, `touch [{"x":0,"y":0,"id":1},{"x":1280,"y":800,"id":0}]`},
		{`{"type":"touch","points":[]}`, ordinary, `touch null`},
		{`{"type":"touch","points":[]}`, nil, `touch null`},
		{`{"type":"touch","points":null}`, ordinary, ``},
		{`{"type":"touch"}`, ordinary, ``},
		{`{"type":"touch","points":[{"id":0,"x":0.5,"y":0.25}]}`, nil, ``},
		{`{"type":"touch","points":[{"id":0,"x":0.5,"y":1.25}]}`, ordinary, ``},
		{`{"type":"touch","points":[{"id":5,"x":0.5,"y":0.25}]}`, ordinary, ``},
		{`{"type":"touch","points":[{"x":0.5,"y":0.25}]}`, ordinary, ``},
		{`{"type":"touch","points":[{"id":1,"x":0,"y":0},{"id":1,"x":1,"y":1}]}`, ordinary, ``},
		{`{"type":"touch","points":[{"id":0,"x":0,"y":0},null]}`, ordinary, ``},
		// Keys.
		{`{"type":"key","action":"down","key":"a"}`, nil, `{"type":"keyDown","text":"a","unmodifiedText":"a","key":"a","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"down","key":"a","modifiers":4}`, nil, `{"type":"rawKeyDown","modifiers":4,"key":"a","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"down","key":"a","modifiers":2}`, nil, `{"type":"rawKeyDown","modifiers":2,"key":"a","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"down","key":"A","modifiers":8,"code":"KeyA"}`, nil, `{"type":"keyDown","modifiers":8,"text":"A","unmodifiedText":"A","code":"KeyA","key":"A","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"up","key":"a"}`, nil, `{"type":"keyUp","key":"a","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"down","key":"Enter"}`, nil, `{"type":"keyDown","text":"\r","unmodifiedText":"\r","key":"Enter","windowsVirtualKeyCode":13}`},
		{`{"type":"key","action":"down","key":"Backspace"}`, nil, `{"type":"rawKeyDown","key":"Backspace","windowsVirtualKeyCode":8}`},
		{`{"type":"key","action":"down","key":"ArrowDown","keyCode":40}`, nil, `{"type":"rawKeyDown","key":"ArrowDown","windowsVirtualKeyCode":40}`},
		{`{"type":"key","action":"down","key":"Dead"}`, nil, `{"type":"rawKeyDown","key":"Dead"}`},
		{`{"type":"key","action":"down","key":"é"}`, nil, `{"type":"keyDown","text":"é","unmodifiedText":"é","key":"é"}`},
		{`{"type":"key","action":"down","key":"🙂"}`, nil, `{"type":"keyDown","text":"🙂","unmodifiedText":"🙂","key":"🙂"}`},
		{`{"type":"key","action":"down","key":" "}`, nil, `{"type":"keyDown","text":" ","unmodifiedText":" ","key":" ","windowsVirtualKeyCode":32}`},
		{`{"type":"key","action":"down","key":"a","keyCode":0,"code":"` + long(33) + `"}`, nil, `{"type":"keyDown","text":"a","unmodifiedText":"a","key":"a","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"down","key":"a","keyCode":256}`, nil, `{"type":"keyDown","text":"a","unmodifiedText":"a","key":"a","windowsVirtualKeyCode":65}`},
		{`{"type":"key","action":"press","key":"a"}`, nil, ``},
		{`{"type":"key","action":"down","key":""}`, nil, ``},
		{`{"type":"key","action":"down","key":"` + long(40) + `"}`, nil, ``},
		{`{"type":"key","action":"down","key":7}`, nil, ``},
		// Text.
		{`{"type":"text","text":"héllo wörld"}`, nil, `"héllo wörld"`},
		{`{"type":"text","text":""}`, nil, ``},
		{`{"type":"text","text":"` + long(2000) + `"}`, nil, `"` + long(2000) + `"`},
		{`{"type":"text","text":"` + long(2001) + `"}`, nil, ``},
		{`{"type":"text","text":42}`, nil, ``},
		{`null`, nil, ``},
		{`{}`, nil, ``},
		{`{"type":"script","text":"x"}`, nil, ``},
	} {
		if d := cmp.Diff(c.want, relayed(t, c.message, c.area, false)); d != "" {
			t.Errorf("%.120s (-want +got):\n%s", c.message, d)
		}
	}
}

func TestCommandKeyOfAMac(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{`{"type":"key","action":"down","key":"c","modifiers":4,"code":"KeyC"}`, `{"type":"rawKeyDown","modifiers":2,"code":"KeyC","key":"c","windowsVirtualKeyCode":67}`},
		{`{"type":"key","action":"down","key":"Meta","code":"MetaRight","keyCode":93,"modifiers":4}`, `{"type":"rawKeyDown","modifiers":2,"code":"ControlRight","key":"Control","windowsVirtualKeyCode":17}`},
		{`{"type":"key","action":"up","key":"Meta","code":"MetaLeft","keyCode":91}`, `{"type":"keyUp","code":"ControlLeft","key":"Control","windowsVirtualKeyCode":17}`},
		{`{"type":"key","action":"down","key":"c","modifiers":1}`, `{"type":"keyDown","modifiers":1,"text":"c","unmodifiedText":"c","key":"c","windowsVirtualKeyCode":67}`},
	} {
		if d := cmp.Diff(c.want, relayed(t, c.message, nil, true)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.message, d)
		}
	}
}

// FuzzInput reads any message as input: what is passed on is in bounds.
func FuzzInput(f *testing.F) {
	for _, s := range []string{
		`{"type":"mouse","action":"down","x":0.25,"y":0.5,"button":"left","clickCount":1,"modifiers":8}`,
		`{"type":"wheel","x":0.5,"y":0.5,"deltaY":1e9}`, `{"type":"key","action":"down","key":"\ud800"}`,
		`{"type":"touch","points":[{"id":0,"x":0.5,"y":0.25},{"id":4,"x":0,"y":1}],"cancel":true}`,
		`{"type":"text","text":"\u0000"}`, `[]`, `{"type":"mouse","x":-0,"y":1e-400}`, "{\"type\":\"text\",\"text\":\"\xff\"}",
	} {
		f.Add(s)
	}
	a := &area{1280, 800, 20}
	f.Fuzz(func(t *testing.T, message string) {
		typ, m := readMessage(1, []byte(message))
		if typ == "" {
			return
		}
		if p, ok := m.mouse(a); ok && (p.X < 0 || p.X > 1280 || p.Y < 0 || p.Y > 820 || p.Modifiers < 0 || p.Modifiers > 15 || p.ClickCount > 3) {
			t.Errorf("mouse %+v", p)
		}
		if p, ok := m.wheel(a); ok && (p.DeltaX < -1e4 || p.DeltaX > 1e4 || p.DeltaY < -1e4 || p.DeltaY > 1e4 || p.X != p.X) {
			t.Errorf("wheel %+v", p)
		}
		if down, ok := m.touch(a); ok && len(down) > maxFingers {
			t.Errorf("touch %d", len(down))
		}
		if p, ok := m.key(false); ok && (p.Key == "" || len(p.Key) > 200 || p.WindowsVirtualKeyCode > 255) {
			t.Errorf("key %+v", p)
		}
		if text, ok := m.inserted(); ok && text == "" {
			t.Error("no text")
		}
		m.key(true)
		readWants(m)
	})
}
