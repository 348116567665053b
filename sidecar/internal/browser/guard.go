package browser

import (
	"log/slog"
	"slices"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// guard is what the navigation pin remembers. Guarded by the browser's lock.
type guard struct {
	subframes     map[pcdp.FrameID]bool    // frames that a page session called sub-frames
	refusedFrames map[pcdp.FrameID]bool    // main frames whose first request was refused
	answered      map[fetch.RequestID]bool // proxy challenges that were answered once
	escapes       []Escape
	count         uint64
	told          telling
}

// keptEscapes bounds the memory of refused navigations; a caller asks for those
// of its own call, which are the newest.
const keptEscapes = 64

// keptFrames bounds the sets of frame ids, which a page can make at will.
const keptFrames = 10000

func newGuard() guard {
	return guard{subframes: map[pcdp.FrameID]bool{}, refusedFrames: map[pcdp.FrameID]bool{}, answered: map[fetch.RequestID]bool{}}
}

// Escape is one attempt to leave the app.
type Escape struct {
	N      uint64 // 1 and up
	Origin string // where to; never a path or query
	Tab    *Tab   // who tried; nil when Chromium did not say
	How    string // "request": refused before it was sent; "landed": shown, then closed
	// Setting is the key of the launch config that could allow it; "" for none.
	Setting string
}

// EscapesSince are the escapes after a mark that t, or a tab it opened, made; an
// escape of nobody in particular counts for every tab.
func (b *Browser) EscapesSince(mark Mark, t *Tab) []Escape {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Escape
	for _, e := range b.guard.escapes {
		if e.N > mark.escapes && (t == nil || e.Tab == nil || e.Tab == t || e.Tab.openedBy(t)) {
			out = append(out, e)
		}
	}
	return out
}

// openedBy says whether o opened t, or what opened t, as far as that is known: a
// ctrl-click's tab has no opener, and may be anybody's.
func (t *Tab) openedBy(o *Tab) bool {
	if t.popup && t.opener == nil {
		return true
	}
	for p := t.opener; p != nil; p = p.opener {
		if p == o {
			return true
		}
	}
	return false
}

// pagePaused answers a document request on the session of the page or frame
// that makes it.
func (b *Browser) pagePaused(t *Tab, s *cdp.Session, ev fetch.EventRequestPaused) {
	info := s.TargetInfo()
	if info.Type == "page" && ev.FrameID == pcdp.FrameID(info.TargetID) {
		b.mu.Lock()
		delete(b.guard.subframes, ev.FrameID)
		b.mu.Unlock()
		b.judge(s, t, ev)
		return
	}
	b.mu.Lock()
	if len(b.guard.subframes) > keptFrames {
		clear(b.guard.subframes)
	}
	b.guard.subframes[ev.FrameID] = true
	b.mu.Unlock()
	proceed(s, ev)
}

// rootPaused answers a document request on the browser's session, which sees
// those of tabs that are not attached yet.
func (b *Browser) rootPaused(ev fetch.EventRequestPaused) {
	if ev.ResourceType != network.ResourceTypeDocument {
		// Seen for the sake of the proxy's challenge alone.
		proceed(b.conn.Root(), ev)
		return
	}
	b.mu.Lock()
	t := b.byTarget[target.ID(ev.FrameID)]
	f := b.frames[ev.FrameID]
	sub := b.guard.subframes[ev.FrameID] || f != nil && f.parent != nil
	b.mu.Unlock()
	if t == nil && sub {
		proceed(b.conn.Root(), ev)
		return
	}
	b.judge(b.conn.Root(), t, ev)
}

// judge lets a main frame's request go on when it stays on the app.
func (b *Browser) judge(s *cdp.Session, t *Tab, ev fetch.EventRequestPaused) {
	url := ""
	if ev.Request != nil {
		url = ev.Request.URL
	}
	if b.pin.MayNavigate(url) {
		if t != nil {
			b.mu.Lock()
			t.requested = true
			b.touch()
			b.mu.Unlock()
		}
		proceed(s, ev)
		return
	}
	cdp.Start(s, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonAborted})
	b.escaped(t, url, "request")
	b.mu.Lock()
	if t == nil {
		if len(b.guard.refusedFrames) > keptFrames {
			clear(b.guard.refusedFrames)
		}
		b.guard.refusedFrames[ev.FrameID] = true
	}
	stray := t != nil && t.popup && t.committed == 0 && len(b.tabs) > 1
	b.mu.Unlock()
	if stray {
		b.closeTab(t) // a window that was opened for that address alone
	}
}

func proceed(s *cdp.Session, ev fetch.EventRequestPaused) {
	cdp.Start(s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
}

// escaped writes down that t tried to leave the app.
func (b *Browser) escaped(t *Tab, url, how string) {
	origin := policy.OriginOf(url)
	b.mu.Lock()
	b.guard.count++
	e := Escape{N: b.guard.count, Origin: origin, Tab: t, How: how, Setting: b.pin.Widening(url)}
	b.guard.escapes = append(b.guard.escapes, e)
	if n := len(b.guard.escapes) - keptEscapes; n > 0 {
		b.guard.escapes = slices.Delete(b.guard.escapes, 0, n)
	}
	untold, tell := b.guard.told.next(origin, time.Now())
	b.touch()
	b.mu.Unlock()
	if !tell {
		return
	}
	tab := 0
	if t != nil {
		tab = t.id
	}
	r := e.Refusal()
	r.Unreported = untold
	r.Log(b.log, slog.Int("tab", tab), slog.String("how", how))
	b.events.Publish(r.Event(tab))
}

// left closes a tab that has left the app in spite of the guard.
func (b *Browser) left(t *Tab, url string) {
	b.mu.Lock()
	t.left = true
	b.mu.Unlock()
	b.escaped(t, url, "landed")
	b.closeTab(t)
}

// Refusal is the escape as the rest of the session tells it.
func (e Escape) Refusal() event.Refusal {
	return event.Refusal{
		Kind: event.RefusedNavigation, Target: e.Origin, Rule: "off_app", Reason: "is outside the sandbox app", Setting: e.Setting,
	}
}
