package browser

import (
	"context"
	"fmt"
	"math"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Shot says what a screenshot shows.
type Shot struct {
	Format   string // "png", "jpeg" or "webp"
	FullPage bool
	Clip     *Rect // in CSS pixels of the viewport; nil = the viewport
	MaxEdge  int   // scale down to so many pixels on the longer side; 0 = never
}

// Rect is a rectangle in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// enclosing is the smallest rectangle of whole pixels around r. Layout leaves
// crumbs of a pixel that are not worth a row.
func (r Rect) enclosing() Rect {
	const crumb = 1e-3
	x, y := math.Floor(r.X+crumb), math.Floor(r.Y+crumb)
	return Rect{x, y, math.Ceil(r.X+r.Width-crumb) - x, math.Ceil(r.Y+r.Height-crumb) - y}
}

// Picture is a screenshot.
type Picture struct {
	Data          []byte
	Width, Height int  // of what it shows, in CSS pixels
	Scaled        bool // it has fewer pixels than that
}

// jpegQuality keeps small text readable; webp is asked for the same.
const jpegQuality = 90

// Screenshot captures the tab. In full Chromium a tab in the background does
// not draw: bring it to the front first. It fails with ErrModal when a dialog
// opens, since a page that waits for an answer does not draw either.
func (t *Tab) Screenshot(ctx context.Context, shot Shot) (Picture, error) {
	modal := t.Modal()
	var m page.GetLayoutMetricsResult
	if err := t.await(ctx, cdp.Start(t.session, page.GetLayoutMetrics, pcdp.Empty{}), modal, &m); err != nil {
		return Picture{}, fmt.Errorf("measure the page: %w", err)
	}
	if m.CSSLayoutViewport == nil || m.CSSContentSize == nil {
		return Picture{}, fmt.Errorf("measure the page: it has no size")
	}
	// The protocol counts from the document's corner.
	left, top := float64(m.CSSLayoutViewport.PageX), float64(m.CSSLayoutViewport.PageY)
	view := Rect{left, top, float64(m.CSSLayoutViewport.ClientWidth), float64(m.CSSLayoutViewport.ClientHeight)}
	area := view
	switch {
	case shot.Clip != nil:
		area = shot.Clip.enclosing()
		area.X, area.Y = area.X+left, area.Y+top
	case shot.FullPage:
		area = Rect{0, 0, math.Max(m.CSSContentSize.Width, 1), math.Max(m.CSSContentSize.Height, 1)}
	}
	if area.Width < 1 || area.Height < 1 {
		return Picture{}, fmt.Errorf("take the screenshot: there is nothing to see, it is %v x %v pixels", area.Width, area.Height)
	}
	pic := Picture{Width: int(area.Width), Height: int(area.Height)}
	scale := 1.0
	if longer := math.Max(area.Width, area.Height); shot.MaxEdge > 0 && longer > float64(shot.MaxEdge) {
		scale, pic.Scaled = float64(shot.MaxEdge)/longer, true
	}
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(shot.Format), OptimizeForSpeed: ptr(true)}
	if shot.Format != "png" {
		p.Quality = ptr(int64(jpegQuality))
	}
	if area != view || scale != 1 {
		p.Clip = &page.Viewport{X: area.X, Y: area.Y, Width: area.Width, Height: area.Height, Scale: scale}
		p.CaptureBeyondViewport = ptr(!within(area, view))
	}
	var res page.CaptureScreenshotResult
	if err := t.await(ctx, cdp.Start(t.session, page.CaptureScreenshot, p), modal, &res); err != nil {
		return Picture{}, fmt.Errorf("take the screenshot: %w", err)
	}
	pic.Data = res.Data
	return pic, nil
}

func within(inner, outer Rect) bool {
	return inner.X >= outer.X && inner.Y >= outer.Y &&
		inner.X+inner.Width <= outer.X+outer.Width && inner.Y+inner.Height <= outer.Y+outer.Height
}
