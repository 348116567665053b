package action

import (
	"context"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// ClickAt presses a button at a point of the viewport and lets go,
// whatever is there.
func (a *Actor) ClickAt(ctx context.Context, p browser.Press) error {
	return a.perform(ctx, "click", false, func(s *scene) error {
		if err := s.dispatch(nil); err != nil {
			return err
		}
		return s.tab.Mouse().Click(s.ctx, p)
	})
}

// DragAt presses the left button at one point, moves to another and lets go.
func (a *Actor) DragAt(ctx context.Context, from, to Point) error {
	return a.perform(ctx, "drag", false, func(s *scene) error {
		if err := s.watchDrag(s.tab.MainFrame()); err != nil {
			return err
		}
		if err := s.dispatch(nil); err != nil {
			return err
		}
		if err := s.tab.Mouse().Move(s.ctx, from.X, from.Y); err != nil {
			return err
		}
		return s.tab.Mouse().Drag(s.ctx, s.dragSteps(s.tab.MainFrame(), func() (float64, float64, error) { return to.X, to.Y, nil }))
	})
}

// Wheel turns the wheel where the mouse is. What scrolls has scrolled then, and
// what the page brings for it is there.
func (a *Actor) Wheel(ctx context.Context, deltaX, deltaY float64) error {
	return a.perform(ctx, "wheel", false, func(s *scene) error {
		if err := s.dispatch(nil); err != nil {
			return err
		}
		return s.tab.Mouse().Wheel(s.ctx, deltaX, deltaY)
	})
}

// Pointer does something with the mouse that is no whole gesture: a move, a
// press without a release. It does not wait for what the page makes of it.
func (a *Actor) Pointer(ctx context.Context, do func(context.Context, *browser.Mouse) error) error {
	return a.perform(ctx, "mouse", true, func(s *scene) error {
		if err := s.gate(s.ctx); err != nil {
			return err
		}
		return do(s.ctx, s.tab.Mouse())
	})
}

// Answered runs a call that lets a page go on which waited for an answer: to a
// dialog, or to a file chooser. It waits for what the page does then; the next
// dialog ends the wait with ErrModal.
func (a *Actor) Answered(ctx context.Context, name string, answer func(context.Context) error) error {
	if err := a.gate(ctx); err != nil {
		return err
	}
	s := a.newScene(ctx, name)
	defer s.end()
	if err := answer(ctx); err != nil {
		return err
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	s.ctx = ctx
	return s.settle()
}
