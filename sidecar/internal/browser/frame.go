package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// Frame is one frame of a tab. It lives as long as its element; its document,
// worlds and even its session change as it navigates.
type Frame struct {
	tab   *Tab
	id    pcdp.FrameID
	order int // in which frames came; 0 for main frames

	// Guarded by the browser's lock.
	parent    *Frame
	children  []*Frame
	session   *cdp.Session // nil while the frame moves between processes
	loader    pcdp.LoaderID
	url       string
	origin    string // of its current document, as its own world has it; "://" is nobody's
	world     world  // our isolated world
	mainWorld world
	loading   bool
	milestone milestones
	early     map[pcdp.LoaderID]milestones // of a document that is not committed yet
}

// world is an execution context; the zero world is not there yet.
type world struct {
	id     runtime.ExecutionContextID
	unique string // what Chromium calls it when it ends
}

// milestones of a document's life, as lifecycle events tell them.
type milestones struct {
	dom, load bool
	broken    string // net::ERR_… when its body ended early: it has no other milestones then
}

// ID is Chromium's id of the frame.
func (f *Frame) ID() pcdp.FrameID { return f.id }

// Tab is the tab that the frame belongs to.
func (f *Frame) Tab() *Tab { return f.tab }

// Order tells which of a tab's frames came first: it is less. A main frame's is 0.
func (f *Frame) Order() int { return f.order }

// Parent is the frame around this one; nil for a main frame.
func (f *Frame) Parent() *Frame {
	f.tab.b.mu.Lock()
	defer f.tab.b.mu.Unlock()
	return f.parent
}

// Children are the frames in this one, in the order in which they came.
func (f *Frame) Children() []*Frame {
	f.tab.b.mu.Lock()
	defer f.tab.b.mu.Unlock()
	return slices.Clone(f.children)
}

// Session is the session of the target that holds the frame's document now. A
// frame between two processes gives one whose calls fail with cdp.ErrDetached.
func (f *Frame) Session() *cdp.Session {
	f.tab.b.mu.Lock()
	defer f.tab.b.mu.Unlock()
	if f.session == nil {
		return f.tab.b.conn.Detached()
	}
	return f.session
}

// Document identifies the frame's current document; it changes with each new one.
func (f *Frame) Document() pcdp.LoaderID {
	f.tab.b.mu.Lock()
	defer f.tab.b.mu.Unlock()
	return f.loader
}

// URL is the address of the current document, fragment included.
func (f *Frame) URL() string {
	f.tab.b.mu.Lock()
	defer f.tab.b.mu.Unlock()
	return f.url
}

// World is our isolated world of the current document.
func (f *Frame) World(ctx context.Context) (runtime.ExecutionContextID, error) {
	b := f.tab.b
	b.mu.Lock()
	id, s := f.world.id, f.session
	b.mu.Unlock()
	if id != 0 {
		return id, nil
	}
	if s == nil {
		s = b.conn.Detached()
	}
	res, err := pcdp.Call(ctx, s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: f.id, WorldName: WorldName})
	if err != nil {
		return 0, fmt.Errorf("enter the frame: %w", err)
	}
	return res.ExecutionContextID, nil
}

// MainWorld is the page's own world of the current document; 0 when there is
// none yet.
func (f *Frame) MainWorld() runtime.ExecutionContextID {
	f.tab.b.mu.Lock()
	defer f.tab.b.mu.Unlock()
	return f.mainWorld.id
}

// FrameIn is the frame whose current document has the execution context, as its
// own world or as ours; nil when there is none any more.
func (b *Browser) FrameIn(s *cdp.Session, context runtime.ExecutionContextID) *Frame {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.frames {
		if f.session == s && context != 0 && (f.mainWorld.id == context || f.world.id == context) {
			return f
		}
	}
	return nil
}

// moveTo gives the frame's coming documents to another session, nil while it is
// between two.
func (f *Frame) moveTo(s *cdp.Session) {
	f.session, f.world, f.mainWorld = s, world{}, world{}
}

func (f *Frame) setURL(pf *pcdp.Frame) {
	f.url = pf.URL + pf.URLFragment
	if pf.UnreachableURL != "" {
		f.url = "chrome-error://chromewebdata/"
	}
}

func (b *Browser) addFrame(id pcdp.FrameID, parent *Frame) *Frame {
	b.framesCame++
	f := &Frame{tab: parent.tab, id: id, order: b.framesCame, parent: parent, session: parent.session}
	parent.children = append(parent.children, f)
	b.frames[id] = f
	return f
}

func (b *Browser) removeFrame(f *Frame) {
	for _, c := range slices.Clone(f.children) {
		b.removeFrame(c)
	}
	f.tab.loseChooser(f)
	f.tab.litter++
	if f.parent != nil {
		f.parent.children = slices.DeleteFunc(f.parent.children, func(o *Frame) bool { return o == f })
	}
	delete(b.frames, f.id)
}

func (b *Browser) listenFrames(t *Tab, s *cdp.Session) {
	cdp.On(s, page.FrameAttached, func(ev page.EventFrameAttached) {
		b.mu.Lock()
		defer b.mu.Unlock()
		parent := b.frames[ev.ParentFrameID]
		if parent == nil {
			return
		}
		if f := b.frames[ev.FrameID]; f != nil {
			// Back from a process of its own.
			f.moveTo(s)
		} else {
			b.addFrame(ev.FrameID, parent).session = s
		}
		b.touch()
	})
	cdp.On(s, page.FrameDetached, func(ev page.EventFrameDetached) {
		b.mu.Lock()
		defer b.mu.Unlock()
		f := b.frames[ev.FrameID]
		switch {
		case f == nil || f.parent == nil:
		case ev.Reason == page.FrameDetachedReasonSwap && f.session == s:
			f.moveTo(nil)
			for _, c := range slices.Clone(f.children) {
				b.removeFrame(c)
			}
		case ev.Reason == page.FrameDetachedReasonRemove && (f.session == s || f.parent.session == s):
			b.removeFrame(f) // of a frame with a session of its own, its parent's tells
		}
		b.touch()
	})
	cdp.On(s, page.FrameNavigated, func(ev page.EventFrameNavigated) { b.frameNavigated(t, s, ev.Frame) })
	cdp.On(s, page.NavigatedWithinDocument, func(ev page.EventNavigatedWithinDocument) {
		b.mu.Lock()
		f := b.frames[ev.FrameID]
		if f != nil {
			f.url = ev.URL
			b.touch()
		}
		b.mu.Unlock()
		if f != nil && f == t.main {
			b.landed(t, ev.URL)
		}
	})
	cdp.On(s, page.WindowOpen, func(page.EventWindowOpen) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.windows++
		b.touch()
	})
	cdp.On(s, page.FrameRequestedNavigation, func(ev page.EventFrameRequestedNavigation) {
		if ev.FrameID == t.main.id && ev.Disposition == page.ClientNavigationDispositionCurrentTab {
			b.mu.Lock()
			defer b.mu.Unlock()
			t.asked++
			b.touch()
		}
	})
	cdp.On(s, page.FrameStartedLoading, func(ev page.EventFrameStartedLoading) { b.setLoading(ev.FrameID, true) })
	cdp.On(s, page.FrameStoppedLoading, func(ev page.EventFrameStoppedLoading) { b.setLoading(ev.FrameID, false) })
	cdp.On(s, page.LifecycleEvent, func(ev page.EventLifecycleEvent) { b.lifecycle(ev) })
	cdp.On(s, runtime.ExecutionContextCreated, func(ev runtime.EventExecutionContextCreated) { b.contextCreated(s, ev.Context) })
	cdp.On(s, runtime.ExecutionContextDestroyed, func(ev runtime.EventExecutionContextDestroyed) {
		b.forgetContexts(s, func(w world) bool { return w.unique == ev.ExecutionContextUniqueID })
	})
	cdp.On(s, runtime.ExecutionContextsCleared, func(runtime.EventExecutionContextsCleared) {
		b.forgetContexts(s, func(world) bool { return true })
	})
}

func (b *Browser) frameNavigated(t *Tab, s *cdp.Session, pf *pcdp.Frame) {
	if pf == nil {
		return
	}
	b.mu.Lock()
	f := b.frames[pf.ID]
	if f == nil {
		b.mu.Unlock()
		return
	}
	for _, c := range slices.Clone(f.children) {
		b.removeFrame(c)
	}
	if f.loader != "" {
		t.litter++
	}
	t.loseChooser(f)
	f.session = s
	f.loader = pf.LoaderID
	f.setURL(pf)
	f.milestone = f.early[pf.LoaderID]
	f.early = nil
	if f == t.main {
		t.committed++
		t.title = ""
		t.console.start = t.console.next
		t.status = t.statuses[pf.LoaderID]
		t.statuses = nil
		t.mime = pf.MimeType
	}
	url := f.url
	tidy := t.wantsTidying()
	b.touch()
	b.mu.Unlock()
	if tidy {
		b.chore(t.tidy)
	}
	if f == t.main {
		b.landed(t, url)
	}
}

// landed tells where a main frame stands now and closes a tab that left the app
// in spite of the guard.
func (b *Browser) landed(t *Tab, url string) {
	b.events.Publish(event.Event{Kind: event.Navigated, Tab: t.id, URL: PublicURL(url)})
	switch {
	case !b.pin.OnApp(url):
		b.left(t, url)
	case strings.HasPrefix(url, "about:"):
		b.blankLanded(t)
	}
}

func (b *Browser) setLoading(id pcdp.FrameID, loading bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := b.frames[id]; f != nil {
		f.loading = loading
		b.touch()
	}
}

func (b *Browser) lifecycle(ev page.EventLifecycleEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.frames[ev.FrameID]
	if f == nil {
		return
	}
	switch ev.Name {
	case "DOMContentLoaded":
		f.reach(ev.LoaderID, func(m *milestones) { m.dom = true })
	case "load":
		f.reach(ev.LoaderID, func(m *milestones) { m.dom, m.load = true, true })
	default:
		return
	}
	b.touch()
}

// reach notes a milestone of one of the frame's documents, which may be told
// before the document itself.
func (f *Frame) reach(loader pcdp.LoaderID, note func(*milestones)) {
	if loader == f.loader {
		note(&f.milestone)
		return
	}
	m := f.early[loader]
	note(&m)
	f.early = map[pcdp.LoaderID]milestones{loader: m}
}

func (b *Browser) contextCreated(s *cdp.Session, c *runtime.ExecutionContextDescription) {
	if c == nil {
		return
	}
	var aux struct {
		IsDefault bool         `json:"isDefault"`
		FrameID   pcdp.FrameID `json:"frameId"`
	}
	if json.Unmarshal(c.AuxData, &aux) != nil {
		return
	}
	if t := b.contextIn(s, c, aux.FrameID, aux.IsDefault); t != nil {
		b.blankLanded(t)
	}
}

// contextIn notes a context in its frame, and gives the tab whose main document
// it shows to be another's.
func (b *Browser) contextIn(s *cdp.Session, c *runtime.ExecutionContextDescription, id pcdp.FrameID, own bool) *Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.frames[id]
	if f == nil || f.session != s {
		return nil
	}
	switch {
	case own:
		f.mainWorld, f.origin = world{c.ID, c.UniqueID}, c.Origin
	case c.Name == WorldName:
		f.world = world{c.ID, c.UniqueID}
	}
	b.touch()
	// Before its first document a window has the origin of whoever opened it.
	if own && f == f.tab.main && f.tab.committed > 0 && isWeb(c.Origin) && b.holder(f.tab) != "" {
		return f.tab
	}
	return nil
}

func (b *Browser) forgetContexts(s *cdp.Session, gone func(world) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.frames {
		if f.session != s {
			continue
		}
		if gone(f.world) {
			f.world = world{}
		}
		if gone(f.mainWorld) {
			f.mainWorld = world{}
		}
	}
}
