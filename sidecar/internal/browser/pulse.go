package browser

import (
	"context"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Pulse returns when the tab's page has answered something that costs it nothing:
// at once, unless a script keeps its main thread busy or a dialog holds it. Any
// answer is one. The error is the context's end, or that of the tab.
func (t *Tab) Pulse(ctx context.Context) error {
	p := cdp.Start(t.session, runtime.Evaluate, runtime.EvaluateParams{Expression: "0", Silent: ptr(true)})
	select {
	case <-p.Done():
		return nil
	case <-t.crashed:
		return ErrCrashed
	case <-t.closed:
		return ErrTabClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// StopScripts ends whatever script keeps the tab's page busy, for a caller who is
// about to leave the page. The page's later events run as before.
func (t *Tab) StopScripts(ctx context.Context) error {
	cdp.Start(t.session, runtime.TerminateExecution, pcdp.Empty{})
	return t.Pulse(ctx)
}
