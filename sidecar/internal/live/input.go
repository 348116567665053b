package live

import (
	"encoding/json"
	"math"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// fields are a message's, by their exact names.
type fields map[string]json.RawMessage

// text reads a string; false for anything else.
func (f fields) text(key string) (s string, ok bool) {
	raw := f[key]
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// number reads a number; false for anything else.
func (f fields) number(key string) (n float64, ok bool) {
	raw := f[key]
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') || json.Unmarshal(raw, &n) != nil {
		return 0, false
	}
	return n, true
}

// whole reads a whole number of a range; false for anything else.
func (f fields) whole(key string, low, high float64) (int64, bool) {
	n, ok := f.number(key)
	if !ok || n != math.Trunc(n) || n < low || n > high {
		return 0, false
	}
	return int64(n), true
}

// flag says whether a field is exactly true.
func (f fields) flag(key string) bool { return string(f[key]) == "true" }

// area is the page area that the last picture showed, in CSS pixels.
type area struct{ width, height, top float64 }

// Bounds of input.
const (
	maxClicks    = 3
	maxModifiers = 15
	maxKeyChars  = 32
	maxTextChars = 2000
	maxWheel     = 10_000
	maxFingers   = 5
	modCtrl      = 2
	modMeta      = 4
)

// point turns a place in the picture, from 0 to 1 in both directions, into the
// page's pixels.
func (f fields) point(a *area) (x, y float64, ok bool) {
	x, okX := f.number("x")
	y, okY := f.number("y")
	if a == nil || !okX || !okY || x < 0 || x > 1 || y < 0 || y > 1 || !(a.width > 0) || !(a.height > 0) {
		return 0, 0, false
	}
	// Halves go up, as in a viewer's own arithmetic.
	return math.Floor(x*a.width + 0.5), math.Floor(y*a.height + a.top + 0.5), true
}

func (f fields) modifiers() int64 {
	m, _ := f.whole("modifiers", 0, maxModifiers)
	return m
}

// mouse reads a mouse message.
func (f fields) mouse(a *area) (p input.DispatchMouseEventParams, ok bool) {
	action, _ := f.text("action")
	button := browser.Left
	switch action {
	case "move":
		p.Type, button = input.DispatchMouseEventTypeMouseMoved, "none"
	case "down":
		p.Type = input.DispatchMouseEventTypeMousePressed
	case "up":
		p.Type = input.DispatchMouseEventTypeMouseReleased
	default:
		return p, false
	}
	switch b, _ := f.text("button"); b {
	case "none", "left", "middle", "right":
		button = browser.Button(b)
	}
	p.Button = input.MouseButton(button)
	if action != "move" {
		p.ClickCount = 1
		if n, ok := f.whole("clickCount", 0, maxClicks); ok {
			p.ClickCount = n
		}
	}
	p.Modifiers = f.modifiers()
	p.X, p.Y, ok = f.point(a)
	return p, ok
}

// wheel reads a wheel message.
func (f fields) wheel(a *area) (p input.DispatchMouseEventParams, ok bool) {
	delta := func(key string) float64 {
		d, _ := f.number(key)
		return min(max(d, -maxWheel), maxWheel)
	}
	p = input.DispatchMouseEventParams{
		Type: input.DispatchMouseEventTypeMouseWheel, DeltaX: delta("deltaX"), DeltaY: delta("deltaY"), Modifiers: f.modifiers(),
	}
	p.X, p.Y, ok = f.point(a)
	return p, ok
}

// touch reads a touch message: every finger that is down.
func (f fields) touch(a *area) (down []*input.TouchPoint, ok bool) {
	var points []fields
	if json.Unmarshal(f["points"], &points) != nil || points == nil || len(points) > maxFingers {
		return nil, false
	}
	seen := map[int64]bool{}
	for _, p := range points {
		id, known := p.whole("id", 0, maxFingers-1)
		x, y, inside := p.point(a)
		if !known || !inside || seen[id] {
			return nil, false
		}
		seen[id] = true
		down = append(down, &input.TouchPoint{X: x, Y: y, ID: new(float64(id))})
	}
	return down, true
}

// key reads a key message. On a viewer's Mac the command key means what Control
// means to the page.
func (f fields) key(mac bool) (p input.DispatchKeyEventParams, ok bool) {
	action, _ := f.text("action")
	p.Key, ok = f.text("key")
	if n := chars(p.Key); !ok || n < 1 || n > maxKeyChars {
		return p, false
	}
	if code, ok := f.text("code"); ok && chars(code) <= maxKeyChars {
		p.Code = code
	}
	if code, ok := f.whole("keyCode", 1, 255); ok {
		p.WindowsVirtualKeyCode = code
	} else {
		p.WindowsVirtualKeyCode = browser.VirtualKeyCode(p.Key)
	}
	p.Modifiers = f.modifiers()
	if mac {
		commandToControl(&p)
	}
	switch action {
	case "up":
		p.Type = input.DispatchKeyEventTypeKeyUp
	case "down":
		p.Type = input.DispatchKeyEventTypeRawKeyDown
		if text := typed(p.Key, p.Modifiers); text != "" {
			p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, text, text
		}
	default:
		return p, false
	}
	return p, true
}

func commandToControl(p *input.DispatchKeyEventParams) {
	if p.Modifiers&modMeta != 0 {
		p.Modifiers = p.Modifiers&^modMeta | modCtrl
	}
	if p.Key == "Meta" {
		p.Key, p.WindowsVirtualKeyCode = "Control", browser.VirtualKeyCode("Control")
		switch p.Code {
		case "MetaRight", "OSRight":
			p.Code = "ControlRight"
		default:
			p.Code = "ControlLeft"
		}
	}
}

// typed is what a key types.
func typed(key string, modifiers int64) string {
	switch {
	case modifiers&(modCtrl|modMeta) != 0:
		return ""
	case key == "Enter":
		return "\r"
	case utf8.RuneCountInString(key) == 1:
		return key
	}
	return ""
}

// inserted reads a text message.
func (f fields) inserted() (string, bool) {
	text, ok := f.text("text")
	n := chars(text)
	return text, ok && n >= 1 && n <= maxTextChars
}

// chars counts as a viewer's page does, in UTF-16.
func chars(s string) (n int) {
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}
