package browser

import (
	"context"
	"fmt"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// Shot says what a screenshot shows.
type Shot struct {
	Format   string // "png", "jpeg" or "webp"
	FullPage bool
	Clip     *Rect // in CSS pixels of the viewport; nil = the viewport
}

// Rect is a rectangle in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// jpegQuality keeps small text readable; webp is asked for the same.
const jpegQuality = 90

// Screenshot captures the tab. In full Chromium a tab in the background does
// not draw: bring it to the front first.
func (t *Tab) Screenshot(ctx context.Context, shot Shot) ([]byte, error) {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormat(shot.Format), OptimizeForSpeed: ptr(true)}
	if shot.Format != "png" {
		p.Quality = ptr(int64(jpegQuality))
	}
	if shot.FullPage || shot.Clip != nil {
		m, err := pcdp.Call(ctx, t.session, page.GetLayoutMetrics, pcdp.Empty{})
		if err != nil {
			return nil, fmt.Errorf("measure the page: %w", err)
		}
		switch {
		case shot.Clip != nil && m.CSSLayoutViewport != nil:
			// The clip of the protocol counts from the document's corner.
			p.Clip = &page.Viewport{
				X: shot.Clip.X + float64(m.CSSLayoutViewport.PageX), Y: shot.Clip.Y + float64(m.CSSLayoutViewport.PageY),
				Width: shot.Clip.Width, Height: shot.Clip.Height, Scale: 1,
			}
		case m.CSSContentSize != nil:
			p.Clip = &page.Viewport{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height, Scale: 1}
		}
		p.CaptureBeyondViewport = ptr(true)
	}
	res, err := pcdp.Call(ctx, t.session, page.CaptureScreenshot, p)
	if err != nil {
		return nil, fmt.Errorf("take the screenshot: %w", err)
	}
	return res.Data, nil
}
