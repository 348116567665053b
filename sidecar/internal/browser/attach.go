package browser

import (
	"context"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// OnScreen is the number of the tab that people are shown; 0 when none is open.
func (b *Browser) OnScreen() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.screen == nil {
		return 0
	}
	return b.screen.id
}

// Attach opens a further session with the tab's page, for what may be on once in a
// session. It is of no use to the model. detach ends it, and what it had switched
// on.
func (t *Tab) Attach(ctx context.Context) (s *cdp.Session, detach func(), err error) {
	yes := true
	// The event that makes the session comes before the answer.
	res, err := pcdp.Call(ctx, t.b.conn.Root(), target.AttachToTarget, target.AttachToTargetParams{TargetID: t.target, Flatten: &yes})
	if err != nil {
		return nil, nil, err
	}
	if s = t.b.conn.Session(res.SessionID); s == nil {
		return nil, nil, cdp.ErrDetached
	}
	return s, func() {
		cdp.Start(t.b.conn.Root(), target.DetachFromTarget, target.DetachFromTargetParams(res))
	}, nil
}
