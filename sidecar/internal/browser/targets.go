package browser

import (
	"context"
	"slices"
	"strings"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// closeTimeout bounds the closing of a tab that the guard does not want: a
// beforeunload handler could hold it open otherwise.
const closeTimeout = 5 * time.Second

func (b *Browser) listenTargets(s *cdp.Session) {
	cdp.On(s, target.AttachedToTarget, func(ev target.EventAttachedToTarget) { b.attached(ev) })
	cdp.On(s, target.DetachedFromTarget, func(ev target.EventDetachedFromTarget) { b.detached(ev) })
}

func (b *Browser) attached(ev target.EventAttachedToTarget) {
	s := b.conn.Session(ev.SessionID)
	if s == nil || ev.TargetInfo == nil {
		return
	}
	switch ev.TargetInfo.Type {
	case "page":
		b.attachedPage(s, ev.TargetInfo)
	case "iframe":
		b.attachedFrame(s, ev.TargetInfo)
	case "worker", "shared_worker":
		b.listenTargets(s)
		cdp.Start(s, target.SetAutoAttach, autoAttach())
		resume(s)
	case "service_worker":
		// Registration is blocked in every document; one that exists all the
		// same (from a frame that was born before its hook) is ended.
		resume(s)
		cdp.Start(b.conn.Root(), target.CloseTarget, target.CloseTargetParams{TargetID: ev.TargetInfo.TargetID})
	default:
		resume(s)
	}
}

func resume(s *cdp.Session) { cdp.Start(s, runtime.RunIfWaitingForDebugger, pcdp.Empty{}) }

func (b *Browser) attachedPage(s *cdp.Session, info *target.Info) {
	b.mu.Lock()
	if b.byTarget[info.TargetID] != nil { // see [Tab.Attach]
		b.mu.Unlock()
		return
	}
	if b.hidden.take(s, info) {
		b.mu.Unlock()
		return
	}
	if b.guard.refusedFrames[pcdp.FrameID(info.TargetID)] || info.Subtype == "prerender" || len(b.tabs) >= b.opts.MaxTabs {
		if b.creating > 0 {
			if b.turnedAway == nil {
				b.turnedAway = map[target.ID]bool{}
			}
			b.turnedAway[info.TargetID] = true
			b.touch()
		}
		b.mu.Unlock()
		b.log.Warn("closed a tab that may not open", "prerender", info.Subtype == "prerender")
		resume(s)
		cdp.Start(b.conn.Root(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID})
		return
	}
	b.nextTab++
	t := &Tab{
		b: b, id: b.nextTab, target: info.TargetID, session: s,
		opener: b.byTarget[info.OpenerID], popup: b.nextTab > 1 && (info.OpenerID != "" || b.creating == 0),
		modal: make(chan struct{}), crashed: make(chan struct{}), closed: make(chan struct{}),
		viewport: b.opts.Viewport, act: make(chan struct{}, 1),
	}
	t.openedFor = b.foreignFrame(b.frames[info.OpenerFrameID])
	t.main = &Frame{tab: t, id: pcdp.FrameID(info.TargetID), session: s, url: "about:blank"}
	b.tabs = append(b.tabs, t)
	b.screen = t
	b.byTarget[info.TargetID] = t
	b.frames[t.main.id] = t.main
	b.touch()
	b.mu.Unlock()

	b.listenTargets(s)
	b.listenFrames(t, s)
	t.listen(s)
	b.hook(t, s)
	cdp.Start(s, emulation.SetDeviceMetricsOverride, metrics(t.viewport))
	cdp.Start(s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	cdp.Start(s, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
	resume(s)
	if t.popup {
		b.watchBlank(t)
	}
	b.readTree(t, s, func() {
		t.ready = true
	})
	b.events.Publish(event.Event{Kind: event.PageOpened, Tab: t.id, URL: "about:blank"})
}

// attachedFrame takes over a frame that got a process, and so a session, of its
// own.
func (b *Browser) attachedFrame(s *cdp.Session, info *target.Info) {
	b.mu.Lock()
	f := b.frames[pcdp.FrameID(info.TargetID)]
	if f == nil {
		if parent := b.frames[info.ParentFrameID]; parent != nil {
			f = b.addFrame(pcdp.FrameID(info.TargetID), parent)
		}
	}
	if f == nil {
		b.mu.Unlock()
		resume(s) // its tab is gone
		return
	}
	f.moveTo(s)
	t := f.tab
	media := t.media
	b.touch()
	b.mu.Unlock()

	b.listenTargets(s)
	b.listenFrames(t, s)
	b.hook(t, s)
	emulate(s, media)
	resume(s)
	b.readTree(t, s, func() {})
}

// hook sends all that a target needs before its first byte, without waiting: a
// paused target answers some of these only after it runs.
func (b *Browser) hook(t *Tab, s *cdp.Session) {
	cdp.On(s, fetch.RequestPaused, func(ev fetch.EventRequestPaused) { b.pagePaused(t, s, ev) })
	t.listenConsole(s)
	t.listenNetwork(s)
	cdp.On(s, inspector.TargetCrashed, func(inspector.EventTargetCrashed) { b.targetCrashed(target.ID(s.TargetInfo().TargetID)) })

	cdp.Start(s, fetch.Enable, fetch.EnableParams{Patterns: documents()})
	cdp.Start(s, target.SetAutoAttach, autoAttach())
	cdp.Start(s, page.Enable, page.EnableParams{})
	cdp.Start(s, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
	cdp.Start(s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: serviceWorkerScript, RunImmediately: ptr(true)})
	cdp.Start(s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: worldScript + b.opts.Script, WorldName: WorldName, RunImmediately: ptr(true)})
	cdp.Start(s, runtime.Enable, pcdp.Empty{})
	cdp.Start(s, network.Enable, network.EnableParams{})
	cdp.Start(s, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
	cdp.Start(s, cdplog.Enable, pcdp.Empty{})
	cdp.Start(s, inspector.Enable, pcdp.Empty{})
	if b.opts.OnTarget != nil {
		b.opts.OnTarget(t, s)
	}
}

// readTree fills the model with the frames that were there before the events
// were switched on.
func (b *Browser) readTree(t *Tab, s *cdp.Session, then func()) {
	cdp.Then(s, page.GetFrameTree, pcdp.Empty{}, func(r page.GetFrameTreeResult, err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if err == nil && r.FrameTree != nil {
			b.adopt(s, r.FrameTree)
		}
		then()
		b.touch()
	})
}

func (b *Browser) adopt(s *cdp.Session, tree *page.FrameTree) {
	f := b.frames[tree.Frame.ID]
	if f == nil {
		parent := b.frames[tree.Frame.ParentID]
		if parent == nil {
			return
		}
		f = b.addFrame(tree.Frame.ID, parent)
		f.session = s
	}
	if f.session == s && f.loader == "" {
		f.loader = tree.Frame.LoaderID
		f.setURL(tree.Frame)
	}
	for _, child := range tree.ChildFrames {
		b.adopt(s, child)
	}
}

func (b *Browser) detached(ev target.EventDetachedFromTarget) {
	s := b.conn.Session(ev.SessionID)
	if s == nil {
		return
	}
	b.mu.Lock()
	t := b.byTarget[s.TargetInfo().TargetID]
	if t == nil || t.session != s {
		// A frame moved back into its parent's process, or is gone; its
		// parent's events tell which.
		for _, f := range b.frames {
			if f.session == s {
				f.moveTo(nil)
			}
		}
		b.touch()
		b.mu.Unlock()
		return
	}
	b.removeTab(t)
	b.mu.Unlock()
	b.events.Publish(event.Event{Kind: event.PageClosed, Tab: t.id})
}

func (b *Browser) removeTab(t *Tab) {
	b.tabs = slices.DeleteFunc(b.tabs, func(o *Tab) bool { return o == t })
	delete(b.byTarget, t.target)
	if b.screen == t {
		b.screen = nil
		if n := len(b.tabs); n > 0 {
			b.screen = b.tabs[n-1]
		}
	}
	for id, f := range b.frames {
		if f.tab == t {
			delete(b.frames, id)
		}
	}
	if !t.gone {
		t.gone = true
		close(t.closed)
	}
	b.touch()
}

func (b *Browser) targetInfoChanged(ev target.EventTargetInfoChanged) {
	if ev.TargetInfo == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.byTarget[ev.TargetInfo.TargetID]
	if t != nil && !isAddress(ev.TargetInfo.Title, ev.TargetInfo.URL) {
		t.title = ev.TargetInfo.Title
	}
}

// isAddress says whether the browser gives a document's address for its title. It
// does so until the document has one, also for one that was asked for and refused,
// and the headless shell does not tell when that changes.
func isAddress(title, url string) bool {
	return strings.HasSuffix(strings.TrimSuffix(url, "/"), strings.TrimSuffix(title, "/"))
}

func (b *Browser) targetCrashed(id target.ID) {
	b.mu.Lock()
	t := b.byTarget[id]
	if t == nil || t.isCrashed {
		b.mu.Unlock()
		return
	}
	t.isCrashed = true
	close(t.crashed)
	b.touch()
	b.mu.Unlock()
	b.log.Warn("a page crashed", "tab", t.id)
	b.events.Publish(event.Event{Kind: event.Crashed, Tab: t.id})
}

// closeTab closes a tab that the guard does not want, and first opens a blank
// one when it is the only one: Chromium exits with its last tab.
func (b *Browser) closeTab(t *Tab) {
	b.chore(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		b.mu.Lock()
		only := len(b.tabs) == 1
		b.mu.Unlock()
		if only {
			if _, err := b.NewTab(ctx); err != nil {
				b.log.Warn("could not open a blank tab in place of one that left the app", "error", err)
				return
			}
		}
		if err := t.Close(ctx); err != nil && !cdp.IsGone(err) {
			b.log.Warn("could not close a tab that left the app", "error", err)
		}
	})
}
