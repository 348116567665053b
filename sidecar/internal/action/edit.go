package action

import (
	"context"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// editing is the page's answer to "fill", "focus" and "choose".
type editing struct {
	readiness
	Insert   bool // the text is to come as input now
	Keys     bool // the editor selects by itself, on its keys
	Slide    bool // a number that is reached by keys
	Done     bool
	Error    string
	Selected []string
}

// wish is what the page is asked for in an editing.
type wish struct {
	Text   string   `json:"text"`
	Values []string `json:"values"`
	Budget int64    `json:"budget"` // ms
}

// Fill puts text into an editable element in place of what is there, in one go
// and without key events, as a paste would. It does not wait for what the page
// makes of it.
func (a *Actor) Fill(ctx context.Context, target, text string) error {
	return a.perform(ctx, "fill", true, func(s *scene) error { return s.fill(s.mark(target), text) })
}

func (s *scene) fill(m mark, text string) error {
	return s.retry(m, func(el *page.Element) error {
		if err := s.dispatch(el); err != nil {
			return err
		}
		e, err := s.edit(m, el, "visible, enabled and editable", "fill", wish{Text: text, Budget: s.left()})
		if err != nil || e.Done {
			return err
		}
		if e.Slide {
			return s.slide(m, el, text)
		}
		if e.Keys {
			return s.replaceOwn(el, text)
		}
		return s.tab.Keyboard().Insert(s.ctx, text)
	})
}

// replaceOwn replaces the text of an editor that has the focus and keeps its text
// and its selection to itself.
func (s *scene) replaceOwn(el *page.Element, text string) error {
	k := s.tab.Keyboard()
	if err := k.Press(s.ctx, "ControlOrMeta+a"); err != nil {
		return err
	}
	if text == "" {
		return k.Press(s.ctx, "Delete")
	}
	var pasted editing
	if err := s.call(el, "paste", &pasted, text); err != nil || pasted.Done {
		return err
	}
	return k.Insert(s.ctx, text)
}

// edit asks the page for one step of an editing.
func (s *scene) edit(m mark, el *page.Element, waiting, fn string, w wish) (editing, error) {
	var e editing
	if err := s.call(el, fn, &e, w); err != nil {
		return e, err
	}
	if err := s.ended(m, el, waiting, e.readiness); err != nil {
		return e, err
	}
	if e.Error != "" {
		return e, &RefusedError{e.Error, s.preview(el)}
	}
	return e, nil
}

// FillAndSubmit fills and presses Enter, and waits for what the page makes of
// it.
func (a *Actor) FillAndSubmit(ctx context.Context, target, text string) error {
	return a.perform(ctx, "fill", false, func(s *scene) error {
		if err := s.fill(s.mark(target), text); err != nil {
			return err
		}
		return s.tab.Keyboard().Press(s.ctx, "Enter")
	})
}

// PressSequentially types text key by key at the element's caret, after what is
// there, with Enter at the end when submit is set.
func (a *Actor) PressSequentially(ctx context.Context, target, text string, submit bool) error {
	return a.perform(ctx, "type", false, func(s *scene) error {
		m := s.mark(target)
		return s.retry(m, func(el *page.Element) error {
			if err := s.dispatch(el); err != nil {
				return err
			}
			if _, err := s.edit(m, el, "visible and enabled", "focus", wish{Budget: s.left()}); err != nil {
				return err
			}
			k := s.tab.Keyboard()
			if err := k.Type(s.ctx, text); err != nil {
				return err
			}
			if submit {
				return k.Press(s.ctx, "Enter")
			}
			return nil
		})
	})
}

// SelectOption selects the options of a <select> that have one of the values or
// labels, and no others. It waits for options that are not there yet, and
// returns the values that are selected then.
func (a *Actor) SelectOption(ctx context.Context, target string, values []string) (selected []string, err error) {
	err = a.perform(ctx, "select option", false, func(s *scene) error {
		m := s.mark(target)
		return s.retry(m, func(el *page.Element) error {
			if err := s.dispatch(el); err != nil {
				return err
			}
			e, err := s.edit(m, el, "visible and enabled, with the options", "choose", wish{Values: nonNil(values), Budget: s.left()})
			selected = e.Selected
			return err
		})
	})
	return selected, err
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Reveal scrolls the element into view, waits until it is visible and still, and
// returns its box in the tab's viewport.
func (a *Actor) Reveal(ctx context.Context, target string) (box Box, err error) {
	err = a.perform(ctx, "screenshot", true, func(s *scene) error {
		n := need{States: []string{"visible"}, Stable: true, Scroll: true}
		_, _, box, err = s.aim(s.mark(target), n)
		return err
	})
	return box, err
}
