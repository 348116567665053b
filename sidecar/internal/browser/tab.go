package browser

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Tab is one page of the browser.
type Tab struct {
	b       *Browser
	id      int
	target  target.ID
	session *cdp.Session
	main    *Frame
	opener  *Tab
	popup   bool // a page opened it; its opener may be unknown all the same

	// openedFor is the other site whose frame opened it, and may have it in its
	// hands while it shows no document of the app; "" for none.
	openedFor string

	act chan struct{} // holds one token while an action runs

	closed  chan struct{}
	crashed chan struct{}

	// Guarded by the browser's lock.
	ready     bool
	gone      bool
	left      bool // it showed what is not the app's, and is being closed
	isCrashed bool
	title     string
	committed int  // documents of the main frame so far
	litter    int  // documents that were left since the renderer was tidied
	tidying   bool // … which is going to be
	requested bool // a document of the app was asked for
	asked     int  // navigations of the main frame that the page asked for so far
	mime      string
	status    *Status
	statuses  map[pcdp.LoaderID]*Status // of documents that are not committed yet
	viewport  proto.Viewport
	media     Media
	modal     chan struct{} // closed while a dialog or chooser is open
	dialog    *Dialog
	chooser   *Chooser
	console   consoleLog
	network   networkLog
	watches   []*Watch
	input     inputState

	relayed atomic.Int64 // input of people that the page has not answered
}

// Status is the HTTP answer of a main document.
type Status struct {
	Code int
	Text string
}

// ID is the tab's number: 1 and up in the order of opening, never reused.
func (t *Tab) ID() int { return t.id }

// Browser is the browser of the tab.
func (t *Tab) Browser() *Browser { return t.b }

// Session is the session of the tab's page.
func (t *Tab) Session() *cdp.Session { return t.session }

// MainFrame is the tab's top frame; it stays the same over navigations.
func (t *Tab) MainFrame() *Frame { return t.main }

// Frames are all frames of the tab, the main one first, parents before children.
func (t *Tab) Frames() []*Frame {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	var all []*Frame
	var walk func(*Frame)
	walk = func(f *Frame) {
		all = append(all, f)
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(t.main)
	return all
}

// URL is the address that the tab shows.
func (t *Tab) URL() string { return t.main.URL() }

// Title is the document's title as the browser last told it, without asking the
// page.
func (t *Tab) Title() string {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.title
}

// Status is the HTTP answer of the document that the tab shows; nil when there
// was none (about:blank, a failed load).
func (t *Tab) Status() *Status {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.status
}

// Opener is the tab that opened this one; nil when nobody did.
func (t *Tab) Opener() *Tab { return t.opener }

// Closed is closed when the tab is gone.
func (t *Tab) Closed() <-chan struct{} { return t.closed }

// Crashed is closed when the tab's page has crashed. A crashed tab answers no
// call; close it and open another.
func (t *Tab) Crashed() <-chan struct{} { return t.crashed }

// IsCrashed says whether the page has crashed.
func (t *Tab) IsCrashed() bool {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.isCrashed
}

// Lock makes the caller the only one who acts on the tab, until unlock.
// Reading calls need no lock. After [Browser.Halt] nobody gets it any more.
func (t *Tab) Lock(ctx context.Context) (unlock func(), err error) {
	select {
	case <-t.b.halted: // also where the tab is free
		return nil, errHalted()
	default:
	}
	select {
	case t.act <- struct{}{}:
		return func() { <-t.act }, nil
	case <-t.b.halted:
		return nil, errHalted()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the action that runs on this tab: %w", context.Cause(ctx))
	}
}

// errHalted is for an action that a stop came before.
func errHalted() error {
	return &proto.Error{Code: proto.CodeStopping, Message: "The browser is stopping", Hint: "Nothing was done."}
}

// Activate brings the tab to the front, and before people's eyes.
func (t *Tab) Activate(ctx context.Context) error {
	t.b.mu.Lock()
	if !t.gone {
		t.b.screen = t
		t.b.touch()
	}
	t.b.mu.Unlock()
	_, err := pcdp.Call(ctx, t.session, page.BringToFront, pcdp.Empty{})
	return err
}

// Close closes the tab without asking its beforeunload handlers, and returns
// when it is gone.
func (t *Tab) Close(ctx context.Context) error {
	if t.b.opts.OnClosing != nil {
		t.b.opts.OnClosing(ctx, t)
	}
	_, err := pcdp.Call(ctx, t.b.conn.Root(), target.CloseTarget, target.CloseTargetParams{TargetID: t.target})
	if err != nil && !slices.Contains(t.b.Tabs(), t) {
		return nil // it went by itself
	}
	if err != nil {
		return fmt.Errorf("close the tab: %w", err)
	}
	select {
	case <-t.closed:
		return nil
	case <-t.b.conn.Done():
		return errGone
	case <-ctx.Done():
		return fmt.Errorf("close the tab: %w", context.Cause(ctx))
	}
}

// Viewport is the size of the page area in CSS pixels.
func (t *Tab) Viewport() proto.Viewport {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.viewport
}

// Resize sets the size of the page area.
func (t *Tab) Resize(ctx context.Context, v proto.Viewport) error {
	if _, err := pcdp.Call(ctx, t.session, emulation.SetDeviceMetricsOverride, metrics(v)); err != nil {
		return fmt.Errorf("resize the page: %w", err)
	}
	t.b.mu.Lock()
	t.viewport = v
	t.b.mu.Unlock()
	return nil
}

func metrics(v proto.Viewport) emulation.SetDeviceMetricsOverrideParams {
	return emulation.SetDeviceMetricsOverrideParams{Width: int64(v.Width), Height: int64(v.Height), DeviceScaleFactor: 1}
}

// wait returns when cond, called under the lock, holds, or earlier with the
// reason why it can't any more: the tab closed or crashed.
func (t *Tab) wait(ctx context.Context, cond func() bool) error {
	var why error
	err := t.b.wait(ctx, func() bool {
		switch {
		case t.isCrashed:
			why = ErrCrashed
		case t.gone:
			why = ErrTabClosed
		default:
			return cond()
		}
		return true
	})
	if err == nil {
		err = why
	}
	return err
}

// Error is a constant error of this package.
type Error string

func (e Error) Error() string { return string(e) }

// Errors that a caller may branch on.
const (
	ErrCrashed   Error = "the page crashed"
	ErrTabClosed Error = "the tab was closed"
	ErrModal     Error = "a dialog or file chooser is open"
	ErrNoPages   Error = "Chromium can't start a page any more, each one crashes at once: stop this browser and start another one"
)
