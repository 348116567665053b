package browser

import (
	"context"
	"slices"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Input of a person is passed on as it comes, without waiting for the page: it
// has its own order and its own time. What it holds down is kept in mind, so that
// [Tab.ReleaseInput] lets go of it.

// maxRelayed is how much of it a page may leave unanswered; a page that hangs
// does. Beyond it only what lets go of something passes.
const maxRelayed = 256

// What a page gets to take in what a person did last: longer than any handler that
// a person would put up with, and than most pages take to load.
const (
	takeInBound = time.Second
	loadInBound = 5 * time.Second
)

// relay sends one event; urgent ones are sent however many are on their way.
func relay[P any](t *Tab, c pcdp.Command[P, pcdp.Empty], params P, urgent bool) {
	if t.relayed.Add(1) > maxRelayed && !urgent {
		t.relayed.Add(-1)
		return
	}
	cdp.Then(t.session, c, params, func(_ pcdp.Empty, err error) {
		if t.relayed.Add(-1) == 0 {
			t.b.mu.Lock()
			t.b.touch()
			t.b.mu.Unlock()
		}
		if err != nil && !cdp.IsGone(err) {
			t.b.log.Warn("a person's input did not reach the page", "method", c.Method)
		}
	})
}

// TakeIn waits until the page has taken a person's input that is on its way, and
// has loaded what that asked for, or until it has had enough time for it. Errors:
// what ended the tab, or the cause of the context's end.
func (t *Tab) TakeIn(ctx context.Context) error {
	for _, w := range []struct {
		bound time.Duration
		done  func() bool
	}{
		{takeInBound, func() bool { return t.relayed.Load() <= 0 }},
		{loadInBound, func() bool { return !t.main.loading }},
	} {
		short, cancel := context.WithTimeout(ctx, w.bound)
		err := t.wait(short, w.done)
		late := short.Err() != nil && ctx.Err() == nil
		cancel()
		if err != nil && !late {
			return err
		}
	}
	return nil
}

// RelayMouse passes a mouse event on. Its Buttons are filled in.
func (t *Tab) RelayMouse(p input.DispatchMouseEventParams) {
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	in.x, in.y = p.X, p.Y
	b := Button(p.Button)
	switch p.Type {
	case input.DispatchMouseEventTypeMousePressed:
		in.buttons |= b.bit()
		in.last = b
	case input.DispatchMouseEventTypeMouseReleased:
		in.buttons &^= b.bit()
	case input.DispatchMouseEventTypeMouseWheel:
		relay(t, pcdp.Command[wheel, pcdp.Empty](input.DispatchMouseEvent), wheel{
			Type: p.Type, X: p.X, Y: p.Y, DeltaX: p.DeltaX, DeltaY: p.DeltaY, Modifiers: p.Modifiers, Buttons: in.buttons,
		}, false)
		return
	}
	p.Buttons = in.buttons
	relay(t, input.DispatchMouseEvent, p, p.Type == input.DispatchMouseEventTypeMouseReleased)
}

// RelayKey passes a key event on.
func (t *Tab) RelayKey(p input.DispatchKeyEventParams) {
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	k := key{code: p.Code, vk: p.WindowsVirtualKeyCode, name: p.Key, location: p.Location}
	if k.code == "" {
		k.code = p.Key
	}
	up := p.Type == input.DispatchKeyEventTypeKeyUp
	switch {
	case up:
		in.letGo(k.code)
	case in.holds(k.code):
		p.AutoRepeat = ptr(true)
	case len(in.held) < maxHeld:
		in.held = append(in.held, k)
	}
	relay(t, input.DispatchKeyEvent, p, up)
}

// maxHeld is more keys than anybody has fingers for.
const maxHeld = 32

// RelayTouch tells which fingers are down now, and where; the same finger has the
// same ID. None, when some were, lifts the last ones; cancel takes back what they
// began.
func (t *Tab) RelayTouch(down []*input.TouchPoint, modifiers int64, cancel bool) {
	in := &t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	p := input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchMove, TouchPoints: down, Modifiers: modifiers}
	fewer := len(down) < len(in.touches)
	switch {
	case cancel:
		down, p.Type, p.TouchPoints = nil, input.DispatchTouchEventTypeTouchCancel, []*input.TouchPoint{}
	case len(down) == 0:
		p.Type, p.TouchPoints = input.DispatchTouchEventTypeTouchEnd, []*input.TouchPoint{}
	case slices.ContainsFunc(down, func(p *input.TouchPoint) bool {
		return !slices.ContainsFunc(in.touches, func(o *input.TouchPoint) bool { return *o.ID == *p.ID })
	}):
		p.Type = input.DispatchTouchEventTypeTouchStart
	}
	if len(in.touches) == 0 && len(down) == 0 {
		return
	}
	in.touches = down
	relay(t, input.DispatchTouchEvent, p, fewer || cancel)
}

// RelayText puts text at the caret, as a paste or an input method does.
func (t *Tab) RelayText(text string) {
	relay(t, input.InsertText, input.InsertTextParams{Text: text}, false)
}

// Loading says whether the tab's document is on its way.
func (t *Tab) Loading() bool {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.main.loading
}

// Reload loads the tab's document again, and does not wait for it.
func (t *Tab) Reload(ctx context.Context) error {
	_, err := pcdp.Call(ctx, t.session, page.Reload, page.ReloadParams{})
	return err
}
