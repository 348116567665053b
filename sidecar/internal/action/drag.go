package action

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// Drag carries one element to another with the left mouse button held.
func (a *Actor) Drag(ctx context.Context, from, to string) error {
	return a.perform(ctx, "drag", false, func(s *scene) error {
		held := need{States: []string{"visible"}, Stable: true, Scroll: true, Hit: true}
		// Both ends once before the button goes down: that brings them into view
		// and fails early.
		goal := s.mark(to)
		if _, _, _, err := s.aim(goal, held); err != nil {
			return err
		}
		el, at, _, err := s.aim(s.mark(from), held)
		if err != nil {
			return err
		}
		if err := s.watchDrag(el.Frame()); err != nil {
			return err
		}
		if err := s.dispatch(el); err != nil {
			return err
		}
		if err := s.tab.Mouse().Move(s.ctx, at.X, at.Y); err != nil {
			return err
		}
		// With the button down the page may lay something over itself, so where
		// the goal is, counts, not what is on top of it.
		there := need{States: []string{"visible"}, Scroll: true}
		return s.tab.Mouse().Drag(s.ctx, s.dragSteps(el.Frame(), func() (float64, float64, error) {
			_, at, _, err := s.aim(goal, there)
			return at.X, at.Y, err
		}))
	})
}

// holdBound is how long a drag keeps still before the button is let go.
const holdBound = 150 * time.Millisecond

// dragSteps carries something of f to where to says.
func (s *scene) dragSteps(f *browser.Frame, to func() (float64, float64, error)) browser.DragSteps {
	return browser.DragSteps{
		To: to,
		Native: func() (bool, error) {
			state, err := s.dragState(f, false)
			return state.Started, err
		},
		Hold: func() error {
			return s.quiet(func(ctx context.Context) error {
				return page.Call(ctx, f, "settle", nil, holdBound.Milliseconds(), false)
			})
		},
	}
}

type dragState struct{ Started, Over, Dropped bool }

func (s *scene) watchDrag(f *browser.Frame) error { return page.Call(s.ctx, f, "watchDrag", nil) }

func (s *scene) dragState(f *browser.Frame, end bool) (d dragState, err error) {
	err = page.Call(s.ctx, f, "dragState", &d, end)
	return d, err
}

// Payload is what is dropped on a page from outside.
type Payload struct {
	Files []string          // absolute paths that Chromium's user may read
	Data  map[string]string // text by MIME type
}

// dropCopies is the operation that a drop from outside allows: copy.
const dropCopies = 1

// Drop drops files or data on the element.
func (a *Actor) Drop(ctx context.Context, target string, p Payload) error {
	return a.perform(ctx, "drop", false, func(s *scene) error {
		el, at, _, err := s.aim(s.mark(target), need{States: []string{"visible"}, Stable: true, Scroll: true, Hit: true})
		if err != nil {
			return err
		}
		if err := s.watchDrag(el.Frame()); err != nil {
			return err
		}
		data := &input.DragData{Items: []*input.DragDataItem{}, Files: p.Files, DragOperationsMask: dropCopies}
		for mime, text := range p.Data {
			data.Items = append(data.Items, &input.DragDataItem{MimeType: mime, Data: text})
		}
		if err := s.dispatch(el); err != nil {
			return err
		}
		if err := s.tab.Mouse().Drop(s.ctx, data, at.X, at.Y); err != nil {
			return err
		}
		state, err := s.dragState(el.Frame(), true)
		if err != nil {
			return nil // the drop took the page elsewhere
		}
		if !state.Dropped {
			return &RefusedError{"The element takes no drop of this kind: nothing on the page accepted the drag over it", s.preview(el)}
		}
		return nil
	})
}
