package tools

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Bounds of what a click at a point is asked for.
const (
	maxClicks = 10
	maxDelay  = 10 * time.Second // a long press is one second
)

func mouseClick(ctx context.Context, c *call) error {
	var args struct {
		X, Y       float64
		Button     browser.Button
		ClickCount *float64
		Delay      float64
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	clicks := 1
	if n := args.ClickCount; n != nil {
		if *n != math.Trunc(*n) || *n < 1 || *n > maxClicks {
			return toolError(fmt.Sprintf("Error: clickCount must be a whole number from 1 to %d", maxClicks))
		}
		clicks = int(*n)
	}
	delay := time.Duration(args.Delay * float64(time.Millisecond))
	if delay < 0 || delay > maxDelay {
		return toolError(fmt.Sprintf("Error: delay must be from 0 to %d milliseconds", maxDelay.Milliseconds()))
	}
	c.show = true
	c.opens = args.Button == browser.Middle
	if delay == 0 {
		return c.actor().ClickAt(ctx, browser.Press{X: args.X, Y: args.Y, Button: args.Button, Clicks: clicks})
	}
	return c.actor().Answered(ctx, "click", func(ctx context.Context) error {
		m := c.tab.Mouse()
		if err := m.Move(ctx, args.X, args.Y); err != nil {
			return err
		}
		for n := 1; n <= clicks; n++ {
			if err := m.Down(ctx, args.Button, n); err != nil {
				return err
			}
			select {
			case <-time.After(delay):
			case <-ctx.Done():
				c.tab.ReleaseInput()
				return context.Cause(ctx)
			}
			if err := m.Up(ctx, args.Button, n); err != nil {
				return err
			}
		}
		return nil
	})
}

func mouseDrag(ctx context.Context, c *call) error {
	var args struct{ StartX, StartY, EndX, EndY float64 }
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = true
	return c.actor().DragAt(ctx, action.Point{X: args.StartX, Y: args.StartY}, action.Point{X: args.EndX, Y: args.EndY})
}

func mouseMove(ctx context.Context, c *call) error {
	var args struct{ X, Y float64 }
	if err := c.decode(&args); err != nil {
		return err
	}
	return c.actor().Pointer(ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Move(ctx, args.X, args.Y) })
}

func mouseDown(ctx context.Context, c *call) error {
	var args struct{ Button browser.Button }
	if err := c.decode(&args); err != nil {
		return err
	}
	return c.actor().Pointer(ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Down(ctx, args.Button, 1) })
}

func mouseUp(ctx context.Context, c *call) error {
	var args struct{ Button browser.Button }
	if err := c.decode(&args); err != nil {
		return err
	}
	return c.actor().Pointer(ctx, func(ctx context.Context, m *browser.Mouse) error { return m.Up(ctx, args.Button, 1) })
}

func mouseWheel(ctx context.Context, c *call) error {
	var args struct{ DeltaX, DeltaY float64 }
	if err := c.decode(&args); err != nil {
		return err
	}
	return c.actor().Wheel(ctx, args.DeltaX, args.DeltaY)
}
