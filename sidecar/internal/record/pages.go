package record

import (
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
)

// pages are the documents that are recorded now.
type pages struct {
	ids     wall.IDs
	sources map[*world]*source
	frames  map[*browser.Frame]*source // who records a frame now

	damaged map[int]bool      // tabs of which a replay would be wrong from here on
	mended  map[int]time.Time // when a tab was last asked for all of itself
	broke   map[int]bool      // tabs of which a page broke its recorder
}

// source is a recorder in one world and the document that it tells of.
type source struct {
	world  *world
	handle runtime.RemoteObjectID // "" while it is not known
	run    int
	doc    *wall.Document // nil before its first event

	place   int64 // of the frame's element in its parent's document, for everybody
	placing bool
	tries   int  // to find the place
	wanted  bool // a snapshot, as soon as the recorder can be reached
}

func newPages() pages {
	return pages{
		sources: map[*world]*source{}, frames: map[*browser.Frame]*source{},
		damaged: map[int]bool{}, mended: map[int]time.Time{}, broke: map[int]bool{},
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
	delete(p.broke, tab)
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

// askSnapshot has the page tell all of itself, whenever it gets to it.
func (s *source) askSnapshot() {
	if s.wanted = s.handle == ""; !s.wanted {
		cdp.Start(s.world.target.session, runtime.CallFunctionOn, command(s.handle, commandSnapshot, false))
	}
}

// greet learns how to reach a recorder.
func (r *Recorder) greet(w *world, handle runtime.RemoteObjectID) {
	s := r.pages.source(w)
	s.handle = handle
	if s.wanted {
		s.askSnapshot()
	}
	// It may be a frame that is looked for, or the one around others.
	for _, frame := range r.pages.sources {
		r.place(frame)
	}
}

// pageEvents takes events of one run of a recorder.
func (r *Recorder) pageEvents(w *world, run int, text string, at time.Time) {
	s := r.pages.source(w)
	tab := w.target.tab.ID()
	if run < s.run {
		r.out.Invalid(1)
		return
	}
	if s.doc == nil || run > s.run {
		s.run = run
		s.doc = wall.New(wall.Options{
			Tab: tab, Child: s.child(), IDs: &r.pages.ids, Secrets: r.secrets, Limit: r.out.Largest(), Driving: r.driving,
		})
		s.doc.Place(s.place)
		r.pages.frames[w.frame] = s
	}
	elements, err := tree.SplitList(text)
	if err != nil {
		r.out.Invalid(1)
		r.pages.damaged[tab] = true
		return
	}
	for _, raw := range elements {
		r.pageEvent(s, s.doc.Event(raw, at))
	}
}

// pageEvent does what the judgement of an event asks for.
func (r *Recorder) pageEvent(s *source, res wall.Result) {
	tab := s.world.target.tab.ID()
	switch res.Verdict {
	case wall.Taken:
		it := deliver.Item{Class: deliver.Change, Tab: tab}
		if res.Restart {
			it.Class = deliver.Restart
		}
		for _, it.JSON = range res.Events {
			r.out.Add(it)
		}
		if res.Snapshot {
			r.snapshotTaken(s)
		}
	case wall.Invalid:
		r.out.Invalid(1)
		r.pages.damaged[tab] = true
	case wall.TooLarge:
		r.out.Lost(deliver.LostTooLarge, deliver.Item{Tab: tab})
		// A snapshot would be too large a second time.
		r.pages.damaged[tab] = r.pages.damaged[tab] || !res.Snapshot
	case wall.Homeless:
		r.place(s)
	case wall.Useless:
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
			s.askSnapshot()
		}
	}
}

// pageLost counts an event that never left its page.
func (r *Recorder) pageLost(w *world) {
	r.out.Lost(deliver.LostInPage, deliver.Item{Tab: w.target.tab.ID()})
}

// pageBroken goes on from our own world where a page broke its recorder. A page
// that breaks that one as well (its tree is too deep for the engine, say) is not
// recorded.
func (r *Recorder) pageBroken(w *world, document pcdp.LoaderID, why string) {
	if s := r.pages.sources[w]; s != nil {
		s.doc = nil
	}
	tab := w.target.tab.ID()
	if !w.main {
		if r.allow(tab, time.Now()) {
			r.marker(time.Now(), tab, "recording_failed")
		}
		return
	}
	if !r.pages.broke[tab] {
		r.pages.broke[tab] = true // and is said once, whatever the page does
		r.log.Info("recording: a page broke its recorder, which goes on out of its reach", "tab", tab, "why", cut(why, 20))
	}
	r.spawn(func() { r.enterOurWorld(w, document) })
}

// mend asks damaged tabs for all of themselves, once the way is free.
func (r *Recorder) mend() {
	if r.out.Backlog() > mendQueue {
		return
	}
	for tab, is := range r.pages.damaged {
		if !is {
			delete(r.pages.damaged, tab)
			continue
		}
		if time.Since(r.pages.mended[tab]) < mendPause {
			continue
		}
		for f, s := range r.pages.frames {
			if f.Parent() == nil && s.world.target.tab.ID() == tab && s.handle != "" {
				r.pages.mended[tab] = time.Now()
				delete(r.pages.damaged, tab)
				s.askSnapshot()
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
