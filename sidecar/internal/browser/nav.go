package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Bounds of a navigation. Callers give up after 60 s; an answer that says what
// there is so far must reach them before.
const (
	// domTimeout is how long a navigation may take to DOMContentLoaded.
	domTimeout = 45 * time.Second
	// loadTimeout is how long it may then take to load; a page with an image that
	// never ends is reported as it is.
	loadTimeout = 5 * time.Second
	// abortedRetries is how often a navigation is tried again that another
	// one, begun by the page at the same moment, pushed aside.
	abortedRetries = 1
)

// Navigation is how a navigation of a tool ended.
type Navigation struct {
	Download bool   // the address turned out to be a file
	Loaded   bool   // the load event fired; false: still loading, or Broken
	Broken   string // net::ERR_…: the document's body ended early
}

// NavigationError says that the network or the page refused: net::ERR_….
type NavigationError struct{ Text, URL string }

func (e *NavigationError) Error() string { return e.Text + " at " + e.URL }

// Navigate opens url in the tab and waits until its document is there:
// DOMContentLoaded, then load for a short while. The caller has judged url; the
// guard judges each hop. It returns ErrModal as soon as a dialog opens.
func (t *Tab) Navigate(ctx context.Context, url string) (Navigation, error) {
	t.clearLogs()
	for try := 0; ; try++ {
		mark := t.b.Mark()
		nav, err := t.navigate(ctx, url)
		var ne *NavigationError
		if errors.As(err, &ne) && ne.Text == "net::ERR_ABORTED" && try < abortedRetries && len(t.b.EscapesSince(mark, t)) == 0 {
			continue
		}
		return nav, err
	}
}

func (t *Tab) navigate(ctx context.Context, url string) (Navigation, error) {
	modal := t.Modal()
	p := cdp.Start(t.session, page.Navigate, page.NavigateParams{URL: url, TransitionType: page.TransitionTypeTyped})
	var res page.NavigateResult
	if err := t.await(ctx, p, modal, &res); err != nil {
		return Navigation{}, err
	}
	switch {
	case res.IsDownload:
		return Navigation{Download: true}, nil
	case res.ErrorText != "":
		return Navigation{}, &NavigationError{Text: res.ErrorText, URL: url}
	case res.LoaderID == "":
		return Navigation{Loaded: true}, nil // within the document
	}
	return t.awaitDocument(ctx, modal, func(f *Frame) bool { return f.loader == res.LoaderID })
}

// awaitDocument waits for the milestones of the main frame's document once
// committed holds.
func (t *Tab) awaitDocument(ctx context.Context, modal <-chan struct{}, committed func(*Frame) bool) (Navigation, error) {
	dom, cancel := context.WithTimeout(ctx, domTimeout)
	defer cancel()
	broken := ""
	err := t.waitModal(dom, modal, func() bool {
		if !committed(t.main) {
			return false
		}
		broken = t.main.milestone.broken
		return t.main.milestone.dom || broken != ""
	})
	if broken != "" && err == nil {
		return Navigation{Broken: broken}, nil
	}
	if err != nil {
		if ctx.Err() == nil && dom.Err() != nil {
			return Navigation{}, nil // still loading: the caller shows what there is
		}
		return Navigation{}, err
	}
	load, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	err = t.waitModal(load, modal, func() bool { return t.main.milestone.load })
	if err != nil && ctx.Err() == nil && load.Err() != nil {
		return Navigation{}, nil
	}
	return Navigation{Loaded: err == nil}, err
}

// ErrNoHistory says that there is no page to go back or forward to.
const ErrNoHistory Error = "there is no page to go to in this tab's history"

// Back goes to the previous page of the tab's history.
func (t *Tab) Back(ctx context.Context) (Navigation, error) { return t.history(ctx, -1) }

// Forward goes to the next page of the tab's history.
func (t *Tab) Forward(ctx context.Context) (Navigation, error) { return t.history(ctx, +1) }

func (t *Tab) history(ctx context.Context, step int64) (Navigation, error) {
	h, err := t.entries(ctx)
	if err != nil {
		return Navigation{}, fmt.Errorf("read the history: %w", err)
	}
	i := h.CurrentIndex + step
	if i < 0 || i >= int64(len(h.Entries)) {
		return Navigation{}, ErrNoHistory
	}
	t.clearLogs()
	modal := t.Modal()
	t.b.mu.Lock()
	committed, url := t.committed, t.main.url
	t.b.mu.Unlock()
	if _, err := pcdp.Call(ctx, t.session, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: h.Entries[i].ID}); err != nil {
		return Navigation{}, fmt.Errorf("go through the history: %w", err)
	}
	commit, cancel := context.WithTimeout(ctx, domTimeout)
	defer cancel()
	if err := t.waitModal(commit, modal, func() bool { return t.committed > committed || t.main.url != url }); err != nil {
		return Navigation{}, err
	}
	return t.awaitDocument(ctx, modal, func(*Frame) bool { return true })
}

// The browser's list of entries can lag behind the page by a message: so long it is
// asked again, and so often.
const (
	historyLag  = 200 * time.Millisecond
	historyStep = 10 * time.Millisecond
)

// entries is the tab's history once its current entry is the document that is shown.
// An error page never is, and costs the lag.
func (t *Tab) entries(ctx context.Context) (page.GetNavigationHistoryResult, error) {
	for by := time.Now().Add(historyLag); ; {
		h, err := pcdp.Call(ctx, t.session, page.GetNavigationHistory, pcdp.Empty{})
		if err != nil || time.Now().After(by) {
			return h, err
		}
		if i := h.CurrentIndex; i >= 0 && i < int64(len(h.Entries)) && h.Entries[i].URL == t.URL() {
			return h, nil
		}
		select {
		case <-time.After(historyStep):
		case <-ctx.Done():
			return h, context.Cause(ctx)
		}
	}
}

// await waits for an answer that a dialog, a crash or the tab's end may cut off.
func (t *Tab) await(ctx context.Context, p *cdp.Pending, modal <-chan struct{}, result any) error {
	select {
	case <-p.Done():
		return p.Wait(ctx, result)
	case <-modal:
		return ErrModal
	case <-t.crashed:
		return ErrCrashed
	case <-t.closed:
		return ErrTabClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// waitModal is wait that ends with ErrModal when a dialog opens.
func (t *Tab) waitModal(ctx context.Context, modal <-chan struct{}, cond func() bool) error {
	open := false
	err := t.wait(ctx, func() bool {
		select {
		case <-modal:
			open = true
			return true
		default:
			return cond()
		}
	})
	if err == nil && open {
		err = ErrModal
	}
	return err
}

// PublicURL is what of a URL may be told: origin and path of http and https,
// about:blank as it is, nothing of any other.
func PublicURL(url string) string {
	if url == "about:blank" {
		return url
	}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return ""
	}
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return url
}
