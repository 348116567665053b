package browser

import (
	"context"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// hiddenPages are pages of our own that are in no list and load nothing from
// the network. Guarded by the browser's lock.
//
// A target may be attached before or after the answer that tells its id, and a
// page may open one of its own in between. So while an answer is awaited, pages
// that are attached are set aside, and the answer sorts them.
type hiddenPages struct {
	asking int
	aside  []*cdp.Session
	wanted map[target.ID]chan *cdp.Session
}

// take reports whether the page is, or may turn out to be, one of ours.
func (h *hiddenPages) take(s *cdp.Session, info *target.Info) bool {
	if ready := h.wanted[info.TargetID]; ready != nil {
		delete(h.wanted, info.TargetID)
		ready <- s
		return true
	}
	if h.asking > 0 && info.OpenerID == "" {
		h.aside = append(h.aside, s)
		return true
	}
	return false
}

// openHidden creates a page outside of the model and returns its session, still
// paused, and how to close it.
func (b *Browser) openHidden(ctx context.Context) (*cdp.Session, func(), error) {
	ready := make(chan *cdp.Session, 1)
	failed := make(chan error, 1)
	b.mu.Lock()
	b.hidden.asking++
	b.mu.Unlock()
	params := target.CreateTargetParams{URL: "about:blank", Background: ptr(true)}
	cdp.Then(b.conn.Root(), target.CreateTarget, params, func(r target.CreateTargetResult, err error) {
		b.mu.Lock()
		b.hidden.asking--
		aside := b.hidden.aside
		b.hidden.aside = nil
		if err == nil {
			b.hidden.wanted[r.TargetID] = ready
		}
		b.mu.Unlock()
		for _, s := range aside {
			info := s.TargetInfo()
			b.attachedPage(s, &info)
		}
		if err != nil {
			failed <- err
		}
	})
	select {
	case s := <-ready:
		id := s.TargetInfo().TargetID
		return s, func() {
			cdp.Start(b.conn.Root(), target.CloseTarget, target.CloseTargetParams{TargetID: id})
		}, nil
	case err := <-failed:
		return nil, nil, err
	case <-b.conn.Done():
		return nil, nil, errGone
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// hiddenStorage works on the localStorage of origin in a hidden page, whose
// requests are answered with an empty document.
func (b *Browser) hiddenStorage(ctx context.Context, origin string, set []proto.NameValue) ([]proto.NameValue, error) {
	s, done, err := b.openHidden(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	cdp.On(s, fetch.RequestPaused, func(ev fetch.EventRequestPaused) {
		cdp.Start(s, fetch.FulfillRequest, fetch.FulfillRequestParams{
			RequestID: ev.RequestID, ResponseCode: 200,
			ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
		})
	})
	cdp.Start(s, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}})
	cdp.Start(s, page.Enable, page.EnableParams{})
	resume(s)
	nav, err := pcdp.Call(ctx, s, page.Navigate, page.NavigateParams{URL: origin + "/"})
	if err != nil {
		return nil, err
	}
	if nav.ErrorText != "" {
		return nil, &NavigationError{Text: nav.ErrorText, URL: origin}
	}
	world, err := pcdp.Call(ctx, s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: nav.FrameID, WorldName: WorldName})
	if err != nil {
		return nil, err
	}
	return callStorage(ctx, s, world.ExecutionContextID, set)
}
