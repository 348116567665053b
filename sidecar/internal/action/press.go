package action

import (
	"context"
	"errors"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// ClickOptions says how to click; the zero value is one left click in the
// element's middle.
type ClickOptions struct {
	Button    browser.Button
	Double    bool
	Modifiers []string // Alt, Control, ControlOrMeta, Meta, Shift
	At        *Point   // from the element's top left corner
}

// Click presses the element that target names and lets go.
func (a *Actor) Click(ctx context.Context, target string, o ClickOptions) error {
	name := "click"
	p := browser.Press{Button: o.Button, Modifiers: o.Modifiers, Clicks: 1}
	if o.Double {
		name, p.Clicks = "double click", 2
	}
	return a.perform(ctx, name, false, func(s *scene) error {
		n := pressable()
		n.At = o.At
		return s.press(s.mark(target), n, p)
	})
}

func pressable() need {
	return need{States: []string{"visible", "enabled"}, Stable: true, Scroll: true, Hit: true, Guard: "press"}
}

// press aims and clicks until a click reaches its element.
func (s *scene) press(m mark, n need, p browser.Press) error {
	return s.strike(m, n, func(at Point) error {
		p.X, p.Y = at.X, at.Y
		return s.tab.Mouse().Click(s.ctx, p)
	})
}

// strike aims and sends input until the input reaches its element. What went
// elsewhere was kept from the page, so trying again does no harm.
func (s *scene) strike(m mark, n need, send func(Point) error) error {
	var log []string
	for {
		el, at, _, err := s.aim(m, n)
		var late *TimeoutError
		if errors.As(err, &late) {
			late.Log = append(log, late.Log...)
		}
		if err != nil {
			return err
		}
		err = s.dispatch(el)
		if err == nil {
			err = send(at)
		}
		if err != nil {
			// The page would go on watching for our press and could take
			// somebody else's for it.
			if !errors.Is(err, browser.ErrModal) {
				s.callOff(el.Frame())
			}
			return err
		}
		verdict, err := s.verdict(el)
		if err != nil || verdict == "" {
			return err
		}
		log = addLine(log, verdict)
		n.Tries++
		if s.left() == 0 {
			return s.late(m, el, n.String(), log)
		}
		if err := sleep(s.ctx, frameRetry); err != nil {
			return err
		}
	}
}

// verdict lets the element's frame settle and asks where the input went; empty
// when it went where it should. A document that is gone by now, or that kept the
// input to itself, took it.
func (s *scene) verdict(el *page.Element) (string, error) {
	var r struct{ Verdict string }
	err := s.quiet(func(ctx context.Context) error {
		return page.Call(ctx, el.Frame(), "settlePress", &r, domBound.Milliseconds())
	})
	if err != nil {
		return "", err
	}
	switch r.Verdict {
	case "gone":
		return "element left the page under the pointer", nil
	case "missed":
		// Chromium knows of where frames are by what it drew last; after a scroll
		// a press may go past one.
		if el.Frame() != s.tab.MainFrame() {
			return "the press did not reach the frame", nil
		}
	case "hit", "":
	default:
		return r.Verdict, nil
	}
	s.rested = el.Frame()
	s.heard[s.rested] = true
	return "", nil
}

// Hover moves the pointer over the element and leaves it there.
func (a *Actor) Hover(ctx context.Context, target string) error {
	return a.perform(ctx, "hover", false, func(s *scene) error {
		n := need{States: []string{"visible"}, Stable: true, Scroll: true, Hit: true, Guard: "move"}
		return s.strike(s.mark(target), n, func(at Point) error { return s.tab.Mouse().Move(s.ctx, at.X, at.Y) })
	})
}

// SetChecked checks or unchecks a checkbox, radio button or switch by clicking
// it, unless it is so already.
func (a *Actor) SetChecked(ctx context.Context, target string, checked bool) error {
	name := "check"
	if !checked {
		name = "uncheck"
	}
	return a.perform(ctx, name, false, func(s *scene) error {
		m := s.mark(target)
		el, err := m.find()
		if err != nil {
			return err
		}
		is, err := s.checkState(el)
		switch {
		case err != nil:
			return err
		case is.Checked == checked:
			return nil
		case !checked && is.Radio:
			return &RefusedError{"Cannot uncheck radio button: choosing another one of its group unchecks it", s.preview(el)}
		}
		// A box that a kit hides behind a painted label is pressed there.
		var label string
		if err := s.call(el, "standIn", &label); err != nil {
			return err
		}
		if label != "" {
			m.find = func() (*page.Element, error) { return page.Kept(el.Frame(), label), nil }
		}
		if err := s.press(m, pressable(), browser.Press{}); err != nil {
			return err
		}
		return s.confirmChecked(el, checked)
	})
}

// confirmChecked makes sure that the click did what it was for.
func (s *scene) confirmChecked(el *page.Element, checked bool) error {
	is, err := s.checkState(el)
	if err != nil {
		if page.IsGone(err) {
			return nil // the page went on to something else
		}
		return err
	}
	if is.Checked != checked {
		return &RefusedError{"Clicking the checkbox did not change its state", s.preview(el)}
	}
	return nil
}

type checkState struct {
	Checked any // true, false or "mixed"
	Radio   bool
	Error   string
}

func (s *scene) checkState(el *page.Element) (checkState, error) {
	var c checkState
	if err := s.call(el, "checkState", &c); err != nil {
		return c, err
	}
	if c.Error != "" {
		return c, &RefusedError{c.Error, s.preview(el)}
	}
	return c, nil
}

// Press presses a key or chord ("Enter", "Control+a") on the focused element.
func (a *Actor) Press(ctx context.Context, chord string) error {
	return a.perform(ctx, "press "+strings.TrimSpace(chord), false, func(s *scene) error {
		if err := s.dispatch(nil); err != nil {
			return err
		}
		return s.tab.Keyboard().Press(s.ctx, chord)
	})
}
