package action

import (
	"context"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
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
		return s.tab.Mouse().Drag(s.ctx, func() (float64, float64, error) { return to.X, to.Y, nil }, func() (bool, error) {
			state, err := s.dragState(s.tab.MainFrame(), false)
			return state.Started, err
		})
	})
}

// Pointer does something with the mouse that is no whole gesture: a move, a
// press without a release, a turn of the wheel. It does not wait for what the
// page makes of it.
func (a *Actor) Pointer(ctx context.Context, do func(context.Context, *browser.Mouse) error) error {
	return a.perform(ctx, "mouse", true, func(s *scene) error {
		if err := s.gate(s.ctx); err != nil {
			return err
		}
		return do(s.ctx, s.tab.Mouse())
	})
}

// Watched runs a call that may set off anything on the page, such as a script of
// the agent's, and waits for what it set off: for the DOM to come to rest only
// if there were requests or a navigation, as most scripts just look.
func (a *Actor) Watched(ctx context.Context, name string, do func(context.Context) error) error {
	return a.perform(ctx, name, true, func(s *scene) error {
		if err := s.gate(s.ctx); err != nil {
			return err
		}
		if err := do(s.ctx); err != nil {
			return err
		}
		// A navigation that the script asked for begins in the page's next task.
		if err := s.quiet(func(ctx context.Context) error { return page.Call(ctx, s.tab.MainFrame(), "nextTask", nil) }); err != nil {
			return err
		}
		if s.tally() == (tally{}) && !s.navigating() {
			return nil
		}
		return s.settle()
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
