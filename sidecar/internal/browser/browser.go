package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// Pin decides where main frames may go; policy.App is one.
type Pin interface {
	MayNavigate(url string) bool // may a main frame request this URL?
	OnApp(url string) bool       // may a main frame show this URL?
	Widening(url string) string  // the setting that would let it, "" for none
}

// Options is what a Browser is made of. Conn and Pin are required.
type Options struct {
	Conn     *cdp.Conn
	Pin      Pin
	Viewport proto.Viewport
	// ProxyUser and ProxyPassword answer the egress proxy's challenge.
	ProxyUser, ProxyPassword proto.Secret
	Events                   *event.Stream
	Log                      *slog.Logger
	// MaxTabs closes the newest tab beyond this number; 0 = DefaultMaxTabs.
	MaxTabs int
	// Script runs in our world of every document before anything of the page's does;
	// it is package page's. Empty: none does.
	Script string
	// OnTarget is told of each page and each frame with a process of its own while
	// it is still paused, so that what it sends on s is there before the target's
	// first byte. It runs on the dispatcher and must not wait. Nil: nobody is told.
	OnTarget func(t *Tab, s *cdp.Session)
	// OnClosing is called before one of us closes a tab, and may hold that up for a
	// moment, until ctx ends at the latest. Nil: nobody is.
	OnClosing func(ctx context.Context, t *Tab)
	// Private says whether a console message is one of our own scripts' and not the
	// page's; nobody gets to see those. It must not wait. Nil: none is.
	Private func(args []*runtime.RemoteObject) bool
}

// DefaultMaxTabs keeps a page that opens windows in a loop from taking the
// machine: each tab is a renderer process of some 40 MiB.
const DefaultMaxTabs = 50

// Browser is the model of one Chromium. Make it with [Start].
type Browser struct {
	conn   *cdp.Conn
	pin    Pin
	opts   Options
	log    *slog.Logger
	events *event.Stream

	mu         sync.Mutex
	tabs       []*Tab // open ones, in opening order
	screen     *Tab   // the one that people are shown; nil when none is open
	byTarget   map[target.ID]*Tab
	frames     map[pcdp.FrameID]*Frame
	framesCame int // how many were ever in frames but main ones
	nextTab    int
	changed    chan struct{} // closed and replaced on every change of the model
	downloads  downloadLog
	guard      guard
	held       bool // dialogs wait for somebody instead of being dismissed

	chores sync.WaitGroup // what chore runs
	closed bool           // it runs nothing any more

	halted   chan struct{} // closed by Halt
	haltOnce sync.Once

	creating   int                // tabs that NewTab waits for
	turnedAway map[target.ID]bool // of those that came meanwhile, the ones that may not open
	windows    int                // windows that pages asked for so far

	hidden  hiddenPages
	version string
}

// Start hooks the browser behind o.Conn and returns when its first tab is ready
// to navigate.
func Start(ctx context.Context, o Options) (*Browser, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Events == nil {
		o.Events = &event.Stream{}
	}
	if o.MaxTabs == 0 {
		o.MaxTabs = DefaultMaxTabs
	}
	b := &Browser{
		conn: o.Conn, pin: o.Pin, opts: o, log: o.Log, events: o.Events,
		byTarget: map[target.ID]*Tab{},
		frames:   map[pcdp.FrameID]*Frame{},
		changed:  make(chan struct{}),
		guard:    newGuard(),
		halted:   make(chan struct{}),
		hidden:   hiddenPages{wanted: map[target.ID]chan *cdp.Session{}},
	}
	root := b.conn.Root()
	b.listenTargets(root)
	cdp.On(root, fetch.RequestPaused, func(ev fetch.EventRequestPaused) { b.rootPaused(ev) })
	cdp.On(root, fetch.AuthRequired, func(ev fetch.EventAuthRequired) { b.authRequired(ev) })
	cdp.On(root, target.TargetInfoChanged, func(ev target.EventTargetInfoChanged) { b.targetInfoChanged(ev) })
	cdp.On(root, target.TargetCrashed, func(ev target.EventTargetCrashed) { b.targetCrashed(ev.TargetID) })
	cdp.On(root, cdpbrowser.DownloadWillBegin, func(ev cdpbrowser.EventDownloadWillBegin) { b.downloadBegins(ev) })

	version := cdp.Start(root, cdpbrowser.GetVersion, pcdp.Empty{})
	// Before any page is attached, so that no request is ever unguarded.
	steps := []*cdp.Pending{
		cdp.Start(root, fetch.Enable, guarded(documents())),
		cdp.Start(root, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
			Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, EventsEnabled: ptr(true),
		}),
		cdp.Start(root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}),
		cdp.Start(root, target.SetAutoAttach, autoAttach()),
	}
	for _, s := range steps {
		if err := s.Wait(ctx, nil); err != nil {
			return nil, fmt.Errorf("hook the browser: %w", err)
		}
	}
	var v cdpbrowser.GetVersionResult
	if err := version.Wait(ctx, &v); err != nil {
		return nil, fmt.Errorf("ask for the browser's version: %w", err)
	}
	_, b.version, _ = strings.Cut(v.Product, "/")
	if err := b.wait(ctx, func() bool { return len(b.tabs) > 0 && b.tabs[0].ready }); err != nil {
		return nil, fmt.Errorf("wait for the first tab: %w", err)
	}
	return b, nil
}

// Done is closed when the connection to Chromium has ended.
func (b *Browser) Done() <-chan struct{} { return b.conn.Done() }

// Err says why the connection ended.
func (b *Browser) Err() error { return b.conn.Err() }

// Version is Chromium's, such as "156.0.8078.114".
func (b *Browser) Version() string { return b.version }

// Viewport is the size that new tabs get.
func (b *Browser) Viewport() proto.Viewport { return b.opts.Viewport }

// Tabs are the open tabs in opening order.
func (b *Browser) Tabs() []*Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.tabs)
}

// HoldDialogs lets dialogs stay open until [Tab.HandleDialog]. Before the first
// call nobody would answer them, so they are dismissed.
func (b *Browser) HoldDialogs() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = true
}

// NewTab opens a blank tab and returns when it can navigate. It fails with
// [ErrNoPages] when Chromium can't start a page any more.
func (b *Browser) NewTab(ctx context.Context) (*Tab, error) {
	if n := len(b.Tabs()); n >= b.opts.MaxTabs {
		return nil, fmt.Errorf("open a tab: %d tabs are open, which is the limit; close one first", n)
	}
	b.addCreating(+1)
	defer b.addCreating(-1)
	tab, err := b.createTab(ctx)
	if errors.Is(err, ErrCrashed) {
		// A process that Chromium had for the next page may have died, which it learns
		// when the page is in it. The page after that gets a new one.
		if tab, err = b.createTab(ctx); errors.Is(err, ErrCrashed) {
			err = ErrNoPages
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	return tab, nil
}

// createTab opens a tab and waits until it can navigate. One that never will is
// closed.
func (b *Browser) createTab(ctx context.Context) (*Tab, error) {
	res, err := pcdp.Call(ctx, b.conn.Root(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		return nil, err
	}
	var tab *Tab
	if err := b.wait(ctx, func() bool {
		tab = b.byTarget[res.TargetID]
		return tab != nil || b.turnedAway[res.TargetID]
	}); err != nil {
		return nil, err
	}
	if tab == nil {
		return nil, errors.New("too many tabs are open")
	}
	if err = tab.wait(ctx, func() bool { return tab.ready }); err != nil {
		cdp.Start(b.conn.Root(), target.CloseTarget, target.CloseTargetParams(res))
		return nil, err
	}
	return tab, nil
}

func (b *Browser) addCreating(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.creating += n
	if b.creating == 0 {
		b.turnedAway = nil
	}
}

// Halt lets no new action begin on any tab: those that wait for a tab fail at
// once with [proto.CodeStopping], and the one that runs goes on.
func (b *Browser) Halt() { b.haltOnce.Do(func() { close(b.halted) }) }

// Close asks Chromium to close every page and exit. The connection ends when it
// has done so.
func (b *Browser) Close(ctx context.Context) error {
	err := b.conn.Root().Call(ctx, cdpbrowser.CommandClose, nil, nil)
	if err != nil && !cdp.IsGone(err) {
		return fmt.Errorf("close the browser: %w", err)
	}
	select {
	case <-b.conn.Done():
	case <-ctx.Done():
		return fmt.Errorf("close the browser: %w", context.Cause(ctx))
	}
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.chores.Wait() // each ends with the connection
	return nil
}

// chore runs f beside the events, which may not wait: f ends soon after the
// connection does, and Close waits for it.
func (b *Browser) chore(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.chores.Go(f)
	}
}

// touch tells everybody who waits that the model changed. Called with b.mu held.
func (b *Browser) touch() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// errGone says that the browser went away during a wait.
var errGone = errors.New("the browser is gone")

// wait returns when cond, called under the lock, holds.
func (b *Browser) wait(ctx context.Context, cond func() bool) error {
	for {
		b.mu.Lock()
		ok, changed := cond(), b.changed
		b.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-b.conn.Done():
			return errGone
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func documents() []*fetch.RequestPattern {
	return []*fetch.RequestPattern{{URLPattern: "*", ResourceType: "Document"}}
}

func autoAttach() target.SetAutoAttachParams {
	return target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: ptr(true)}
}

func ptr[T any](v T) *T { return &v }
