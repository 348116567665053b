package record

import (
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// pages are the documents that are recorded now.
type pages struct {
	blocks  blocks
	sources map[*world]*source
	frames  map[*browser.Frame]*source // who records a frame now

	damaged map[int]bool      // tabs of which a replay would be wrong from here on
	mended  map[int]time.Time // when a tab was last asked for all of itself
}

// source is a recorder in one world and the document that it tells of.
type source struct {
	world  *world
	handle runtime.RemoteObjectID // "" while it is not known
	run    int
	doc    *document // nil before its first event

	place   int64 // of the frame's element in its parent's document, for everybody
	placing bool
	tries   int // to find the place
}

func newPages() pages {
	return pages{
		sources: map[*world]*source{}, frames: map[*browser.Frame]*source{},
		damaged: map[int]bool{}, mended: map[int]time.Time{},
	}
}

func (p *pages) source(w *world) *source {
	s := p.sources[w]
	if s == nil {
		s = &source{world: w}
		p.sources[w] = s
	}
	return s
}

// leave forgets recorders whose world is gone.
func (p *pages) leave(which func(*world) bool) {
	for w, s := range p.sources {
		if which(w) {
			delete(p.sources, w)
			if p.frames[w.frame] == s {
				delete(p.frames, w.frame)
			}
		}
	}
}

// close forgets a tab.
func (p *pages) close(tab int) {
	delete(p.damaged, tab)
	delete(p.mended, tab)
	p.leave(func(w *world) bool { return w.target.tab.ID() == tab })
}

// around is the recorder in whose document the frame of s stands: the nearest one
// above, since frames of the same site are recorded with their parent. Nil while
// there is none.
func (p *pages) around(s *source) *source {
	for f := s.world.frame.Parent(); f != nil; f = f.Parent() {
		if up := p.frames[f]; up != nil {
			return up
		}
	}
	return nil
}

func (s *source) child() bool { return s.world.frame.Parent() != nil }

// ask has the page do something, whenever it gets to it. What it answers is not
// waited for.
func (s *source) ask(name string) {
	if s.handle != "" {
		cdp.Start(s.world.target.session, runtime.CallFunctionOn, command(s.handle, name, false))
	}
}

// greet learns how to reach a recorder.
func (r *Recorder) greet(w *world, handle runtime.RemoteObjectID) {
	s := r.pages.source(w)
	s.handle = handle
	if s.child() && s.place == 0 {
		r.place(s)
	}
}

// pageEvents takes events of one run of a recorder.
func (r *Recorder) pageEvents(w *world, run int, text string, at time.Time) {
	s := r.pages.source(w)
	tab := w.target.tab.ID()
	if run < s.run {
		r.account.invalid(1)
		return
	}
	if s.doc == nil || run > s.run {
		s.run = run
		s.doc = &document{
			tab: tab, child: s.child(), place: s.place, limit: r.batcher.largest(), driving: r.driving,
			wall: wall{ids: &idMap{from: &r.pages.blocks}, mirror: newMirror(), secrets: r.secrets},
		}
		r.pages.frames[w.frame] = s
	}
	elements, err := splitList(text)
	if err != nil {
		r.account.invalid(1)
		r.pages.damaged[tab] = true
		return
	}
	for _, raw := range elements {
		items, what := s.doc.event(raw, at)
		switch what {
		case taken:
			for _, it := range items {
				r.record(it)
			}
			if s.doc.fresh {
				s.doc.fresh = false
				r.snapshotTaken(s)
			}
		case invalid:
			r.account.invalid(1)
			r.pages.damaged[tab] = true
		case tooLarge:
			r.account.recorded(1)
			r.lose(LostTooLarge, item{tab: tab})
		case homeless:
			r.place(s)
		case useless:
		}
	}
}

// snapshotTaken sees to the frames in a document that is told of anew: a replay
// has thrown theirs away.
func (r *Recorder) snapshotTaken(up *source) {
	for _, s := range r.pages.sources {
		if s == up || !s.child() || r.pages.around(s) != up {
			continue
		}
		switch {
		case s.place == 0:
			s.tries = 0
			r.place(s)
		case s.doc != nil:
			s.ask(commandSnapshot)
		}
	}
}

// pageLost counts an event that never left its page.
func (r *Recorder) pageLost(w *world) {
	r.account.recorded(1)
	r.lose(LostInPage, item{tab: w.target.tab.ID()})
}

// pageBroken goes on from our own world where a page broke its recorder. A page
// that breaks that one as well (its tree is too deep for the engine, say) is not
// recorded.
func (r *Recorder) pageBroken(w *world, document pcdp.LoaderID, why string) {
	if s := r.pages.sources[w]; s != nil {
		s.doc = nil
	}
	if !w.main {
		r.log.Warn("recording: a page can't be recorded", "tab", w.target.tab.ID())
		r.marker(r.now(), w.target.tab.ID(), "recording_failed")
		return
	}
	r.log.Info("recording: a page broke its recorder, which goes on out of its reach", "tab", w.target.tab.ID(), "why", cutText16(why, 20))
	r.work.Go(func() { r.enterOurWorld(w, document) })
}

// mend asks damaged tabs for all of themselves, once the way is free.
func (r *Recorder) mend() {
	if r.queue.length() > mendQueue {
		return
	}
	for tab := range r.pages.damaged {
		if r.now().Sub(r.pages.mended[tab]) < mendPause {
			continue
		}
		for f, s := range r.pages.frames {
			if f.Parent() == nil && s.world.target.tab.ID() == tab && s.handle != "" {
				r.pages.mended[tab] = r.now()
				delete(r.pages.damaged, tab)
				s.ask(commandSnapshot)
			}
		}
	}
}

const (
	// mendPause keeps a page that spoils its events all the time from being busy
	// with snapshots.
	mendPause = 10 * time.Second
	// mendQueue is how many batches may wait for a snapshot to be worth its bytes.
	mendQueue = 4
)
