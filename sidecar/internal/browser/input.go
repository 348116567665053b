package browser

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Button is a mouse button.
type Button string

// The buttons that a page can tell apart.
const (
	Left   Button = "left"
	Middle Button = "middle"
	Right  Button = "right"
)

func (b Button) bit() int64 {
	switch b {
	case Left:
		return 1
	case Right:
		return 2
	case Middle:
		return 4
	}
	return 0
}

// inputState is what is held down on a tab, and where its pointer is. The zero
// value is an idle mouse in the corner and no key.
type inputState struct {
	mu      sync.Mutex
	x, y    float64
	buttons int64 // bits of the buttons that are down
	last    Button
	held    []key               // in the order of pressing
	touches []*input.TouchPoint // of fingers that are down
}

func (in *inputState) holds(code string) bool {
	return slices.ContainsFunc(in.held, func(k key) bool { return k.code == code })
}

func (in *inputState) letGo(code string) {
	in.held = slices.DeleteFunc(in.held, func(k key) bool { return k.code == code })
}

func (in *inputState) modifiers() int64 {
	var bits int64
	for _, k := range in.held {
		bits |= modifierBit(k.name)
	}
	return bits
}

func (t *Tab) modifiers() int64 {
	t.input.mu.Lock()
	defer t.input.mu.Unlock()
	return t.input.modifiers()
}

// mayInput refuses to send input that could only wait: behind a dialog, to a
// crashed page, for a caller who is gone.
func (t *Tab) mayInput(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.Crashed():
		return ErrCrashed
	case <-t.Closed():
		return ErrTabClosed
	case <-t.Modal():
		return ErrModal
	default:
		return nil
	}
}

// awaitInput waits until the page has handled the events. A dialog or file
// chooser ends the wait with [ErrModal]: the page answers only after it. When
// the caller goes away everything held is let go.
func (t *Tab) awaitInput(ctx context.Context, sent ...*cdp.Pending) error {
	for _, p := range sent {
		select {
		case <-p.Done():
			if err := p.Wait(ctx, nil); err != nil {
				return err
			}
		case <-ctx.Done():
			t.ReleaseInput()
			return context.Cause(ctx)
		case <-t.Crashed():
			return ErrCrashed
		case <-t.Closed():
			return ErrTabClosed
		case <-t.Modal():
			return ErrModal
		}
	}
	return nil
}

// ReleaseInput lets go of every button and key that is held, and lifts the fingers
// without a tap, all without waiting.
func (t *Tab) ReleaseInput() {
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.touches) > 0 {
		in.touches = nil
		cdp.Start(t.session, input.DispatchTouchEvent, input.DispatchTouchEventParams{
			Type: input.DispatchTouchEventTypeTouchCancel, TouchPoints: []*input.TouchPoint{},
		})
	}
	for _, b := range []Button{Left, Middle, Right} {
		if in.buttons&b.bit() != 0 {
			in.buttons &^= b.bit()
			cdp.Start(t.session, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: input.DispatchMouseEventTypeMouseReleased, X: in.x, Y: in.y,
				Button: input.MouseButton(b), Buttons: in.buttons, Modifiers: in.modifiers(), ClickCount: 1,
			})
		}
	}
	for len(in.held) > 0 {
		k := in.held[len(in.held)-1]
		in.letGo(k.code)
		cdp.Start(t.session, input.DispatchKeyEvent, keyUp(stroke{key: k}, in.modifiers()))
	}
}

// Mouse sends real pointer events to a tab. Coordinates are CSS pixels from the
// top left corner of the page area.
type Mouse struct{ t *Tab }

// Mouse is the tab's mouse.
func (t *Tab) Mouse() *Mouse { return &Mouse{t} }

// Position is where the pointer is.
func (m *Mouse) Position() (x, y float64) {
	m.t.input.mu.Lock()
	defer m.t.input.mu.Unlock()
	return m.t.input.x, m.t.input.y
}

// Move moves the pointer. It returns after the page has seen it, which can take
// a frame: Chromium gives pages one move a frame.
func (m *Mouse) Move(ctx context.Context, x, y float64) error {
	if err := m.t.mayInput(ctx); err != nil {
		return err
	}
	return m.t.awaitInput(ctx, m.move(x, y))
}

// Down presses a button and holds it; clicks is 1, or 2 for the second press of
// a double click.
func (m *Mouse) Down(ctx context.Context, b Button, clicks int) error {
	if err := m.t.mayInput(ctx); err != nil {
		return err
	}
	return m.t.awaitInput(ctx, m.down(b, clicks))
}

// Up lets go of a button.
func (m *Mouse) Up(ctx context.Context, b Button, clicks int) error {
	return m.t.awaitInput(ctx, m.up(b, clicks))
}

// Wheel turns the wheel by so many CSS pixels; positive is right and down.
func (m *Mouse) Wheel(ctx context.Context, dx, dy float64) error {
	if err := m.t.mayInput(ctx); err != nil {
		return err
	}
	in := &m.t.input
	in.mu.Lock()
	p := m.t.session.Start(input.DispatchMouseEvent.Method, wheel{
		Type: input.DispatchMouseEventTypeMouseWheel, X: in.x, Y: in.y, DeltaX: dx, DeltaY: dy, Modifiers: in.modifiers(), Buttons: in.buttons,
	})
	in.mu.Unlock()
	return m.t.awaitInput(ctx, p)
}

// wheel are the parameters of a turn of the wheel. The protocol wants both
// deltas, and cdproto's type leaves out a zero.
type wheel struct {
	Type      input.DispatchMouseEventType `json:"type"`
	X         float64                      `json:"x"`
	Y         float64                      `json:"y"`
	DeltaX    float64                      `json:"deltaX"`
	DeltaY    float64                      `json:"deltaY"`
	Modifiers int64                        `json:"modifiers"`
	Buttons   int64                        `json:"buttons"`
}

// Press is one use of a mouse button at a point.
type Press struct {
	X, Y      float64
	Button    Button   // Left when empty
	Clicks    int      // 2 is a double click; 1 when 0
	Modifiers []string // keys held meanwhile: Alt, Control, ControlOrMeta, Meta, Shift
}

// Click moves to the point, presses and lets go. All its events are sent at
// once, so the page can't move anything in between but from its own handlers.
func (m *Mouse) Click(ctx context.Context, p Press) error {
	k := m.t.Keyboard()
	for _, name := range p.Modifiers {
		if s, ok := findStroke(name); !ok || modifierBit(s.name) == 0 {
			return &UnknownKeyError{Key: name, Chord: name}
		}
	}
	if err := m.t.mayInput(ctx); err != nil {
		return err
	}
	var sent []*cdp.Pending
	for _, name := range p.Modifiers {
		sent = append(sent, k.down(name))
	}
	sent = append(sent, m.move(p.X, p.Y))
	for n := 1; n <= max(p.Clicks, 1); n++ {
		sent = append(sent, m.down(p.Button, n), m.up(p.Button, n))
	}
	for i := len(p.Modifiers) - 1; i >= 0; i-- {
		sent = append(sent, k.up(p.Modifiers[i]))
	}
	return m.t.awaitInput(ctx, sent...)
}

func (m *Mouse) move(x, y float64) *cdp.Pending {
	in := &m.t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	if !finite(x) || !finite(y) {
		x, y = in.x, in.y
	}
	in.x, in.y = x, y
	p := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Buttons: in.buttons, Modifiers: in.modifiers()}
	if in.buttons != 0 {
		p.Button = input.MouseButton(in.last)
	}
	return cdp.Start(m.t.session, input.DispatchMouseEvent, p)
}

func (m *Mouse) down(b Button, clicks int) *cdp.Pending {
	return m.button(input.DispatchMouseEventTypeMousePressed, b, clicks)
}

func (m *Mouse) up(b Button, clicks int) *cdp.Pending {
	return m.button(input.DispatchMouseEventTypeMouseReleased, b, clicks)
}

func (m *Mouse) button(typ input.DispatchMouseEventType, b Button, clicks int) *cdp.Pending {
	if b == "" {
		b = Left
	}
	in := &m.t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	if typ == input.DispatchMouseEventTypeMousePressed {
		in.buttons |= b.bit()
		in.last = b
	} else {
		in.buttons &^= b.bit()
	}
	return cdp.Start(m.t.session, input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: typ, X: in.x, Y: in.y, Button: input.MouseButton(b), Buttons: in.buttons,
		ClickCount: int64(max(clicks, 1)), Modifiers: in.modifiers(),
	})
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
