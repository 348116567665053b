package browser

import (
	"context"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

const (
	// dragSteps is how many moves a drag is made of: pages that sort lists look
	// at what is passed on the way.
	dragSteps = 5
	// dragThreshold is how far a pressed pointer must go before Chromium takes it
	// for a drag.
	dragThreshold = 8
	// dragStartWait is how long Chromium may take to hand over a drag that the
	// page has begun.
	dragStartWait = 2 * time.Second
)

// DragSteps are what a drag asks on its way.
type DragSteps struct {
	// To tells where to go, once the button is down.
	To func() (x, y float64, err error)
	// Native tells whether the page has begun a drag of its own (HTML drag and
	// drop); Chromium then hands the drag over, and the page gets its events from
	// here on.
	Native func() (bool, error)
	// Hold waits before the button is let go: a page that sorts a list decides
	// where the goal is when it has drawn the last move, and not before.
	Hold func() error
}

// Drag presses the left button where the pointer is, carries what is there to a
// point, and lets go.
func (m *Mouse) Drag(ctx context.Context, way DragSteps) error {
	s := m.t.session
	taken := make(chan *input.DragData, 1)
	off := cdp.On(s, input.DragIntercepted, func(ev input.EventDragIntercepted) {
		select {
		case taken <- ev.Data:
		default:
		}
	})
	defer off()
	cdp.Start(s, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true})
	defer cdp.Start(s, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})

	x0, y0 := m.Position()
	if err := m.Down(ctx, Left, 1); err != nil {
		return err
	}
	data, err := m.beginDrag(ctx, x0, y0, way.Native, taken)
	if err != nil {
		m.t.ReleaseInput()
		return err
	}
	// Only now, as looking for the goal may scroll the page.
	x, y, err := way.To()
	if err != nil {
		m.t.ReleaseInput()
		cdp.Start(s, input.CancelDragging, pcdp.Empty{})
		return err
	}
	if data == nil {
		for i := 1; i <= dragSteps; i++ {
			f := float64(i) / dragSteps
			if err := m.Move(ctx, x0+(x-x0)*f, y0+(y-y0)*f); err != nil {
				m.t.ReleaseInput()
				return err
			}
		}
		if err := way.Hold(); err != nil {
			m.t.ReleaseInput()
			return err
		}
		return m.Up(ctx, Left, 1)
	}
	// Chromium has taken the press for the drag: the page hears of no release.
	m.letGo(x, y)
	if err := m.carry(ctx, data, x0, y0, x, y, dragSteps); err != nil {
		cdp.Start(s, input.CancelDragging, pcdp.Empty{})
		return err
	}
	return nil
}

// beginDrag moves just far enough for a drag to begin; nil data means that the
// page follows the pointer itself.
func (m *Mouse) beginDrag(ctx context.Context, x, y float64, native func() (bool, error), taken <-chan *input.DragData) (*input.DragData, error) {
	for _, d := range []float64{dragThreshold / 2, dragThreshold} {
		if err := m.Move(ctx, x+d, y+d); err != nil {
			return nil, err
		}
	}
	started, err := native()
	if err != nil || !started {
		return nil, err
	}
	wait := time.NewTimer(dragStartWait)
	defer wait.Stop()
	select {
	case data := <-taken:
		return data, nil
	case <-wait.C:
		return nil, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (m *Mouse) letGo(x, y float64) {
	m.t.input.mu.Lock()
	defer m.t.input.mu.Unlock()
	m.t.input.x, m.t.input.y = x, y
	m.t.input.buttons &^= Left.bit()
}

// Drop brings data from outside of the page to a point and drops it there.
func (m *Mouse) Drop(ctx context.Context, data *input.DragData, x, y float64) error {
	if err := m.t.mayInput(ctx); err != nil {
		return err
	}
	return m.carry(ctx, data, x, y, x, y, 1)
}

// carry is a drag's way over the page and its drop.
func (m *Mouse) carry(ctx context.Context, data *input.DragData, x0, y0, x, y float64, steps int) error {
	send := func(typ input.DispatchDragEventType, x, y float64) error {
		return m.t.awaitInput(ctx, cdp.Start(m.t.session, input.DispatchDragEvent, input.DispatchDragEventParams{
			Type: typ, X: x, Y: y, Data: data, Modifiers: m.t.modifiers(),
		}))
	}
	if err := send(input.DispatchDragEventTypeDragEnter, x0, y0); err != nil {
		return err
	}
	for i := 1; i <= steps; i++ {
		f := float64(i) / float64(steps)
		if err := send(input.DispatchDragEventTypeDragOver, x0+(x-x0)*f, y0+(y-y0)*f); err != nil {
			return err
		}
	}
	// A second look at the same place: some pages accept on the way only.
	if err := send(input.DispatchDragEventTypeDragOver, x, y); err != nil {
		return err
	}
	return send(input.DispatchDragEventTypeDrop, x, y)
}
