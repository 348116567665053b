package page

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	pcdp "github.com/chromedp/cdproto/cdp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// View is how an agent sees one tab: it knows what the refs of its snapshots
// mean. Its methods may be called at any time.
type View struct {
	tab     *browser.Tab
	history *History

	mu     sync.Mutex
	next   int // number of the next document
	frames map[pcdp.FrameID]*document
}

// document is one document of a frame, as far as snapshots have dealt with it.
// Its number is part of its refs (f3e5, with 0 left out), and once refs were
// printed the number belongs to that document for ever.
type document struct {
	frame   *browser.Frame
	number  int
	loader  pcdp.LoaderID // the browser's word for it; empty when that is not certain
	key     string        // the script's word for the document; empty before the first snapshot
	printed bool          // refs with its number are out
	bound   map[pcdp.FrameID]bool
}

// History is what the views of one browser's tabs have printed. The zero History
// is ready.
type History struct {
	printed atomic.Bool // any ref
}

// New is the view of a tab that has nothing to do with other tabs'.
func New(tab *browser.Tab) *View { return new(History).View(tab) }

// View is the view of one more tab.
func (h *History) View(tab *browser.Tab) *View {
	v := &View{tab: tab, history: h, frames: map[pcdp.FrameID]*document{}}
	v.numberAll()
	return v
}

// numberAll gives each frame a number, in the order in which they came, and forgets
// the frames that are gone.
func (v *View) numberAll() {
	frames := []*browser.Frame{v.tab.MainFrame()}
	for i := 0; i < len(frames); i++ {
		frames = append(frames, frames[i].Children()...)
	}
	slices.SortStableFunc(frames, func(a, b *browser.Frame) int { return a.Order() - b.Order() })
	v.mu.Lock()
	defer v.mu.Unlock()
	live := make(map[pcdp.FrameID]bool, len(frames))
	for _, f := range frames {
		live[f.ID()] = true
		d := v.frames[f.ID()]
		if d == nil {
			d = &document{frame: f}
			v.frames[f.ID()] = d
			v.renumber(d)
		}
		if d.printed && d.loader != "" && d.loader != f.Document() {
			v.renumber(d)
		}
	}
	for id := range v.frames {
		if !live[id] {
			delete(v.frames, id)
		}
	}
}

func (v *View) renumber(d *document) {
	d.number = v.next
	v.next++
	d.key, d.loader, d.printed, d.bound = "", "", false, map[pcdp.FrameID]bool{}
}

// expect gives the prefix of f's refs and the document that they are for; empty
// for one that has printed none yet.
func (v *View) expect(f *browser.Frame) (prefix, key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.frames[f.ID()]
	if d == nil { // it came while we were looking
		d = &document{frame: f}
		v.frames[f.ID()] = d
		v.renumber(d)
	}
	if !d.printed {
		return prefixFor(d.number), ""
	}
	return prefixFor(d.number), d.key
}

// confirm takes note of the document that a snapshot was of; before is what the
// browser called f's document when it began. It reports false when that is not
// the document that f's number belongs to; the number is new then.
func (v *View) confirm(f *browser.Frame, before pcdp.LoaderID, key string, refs bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.frames[f.ID()]
	if d == nil {
		return true
	}
	if d.printed && d.key != key {
		v.renumber(d)
		return false
	}
	if d.key != key && d.key != "" {
		d.bound = map[pcdp.FrameID]bool{}
	}
	d.key, d.loader = key, ""
	if before == f.Document() {
		d.loader = before
	}
	d.printed = d.printed || refs
	if refs {
		v.history.printed.Store(true)
	}
	return true
}

// printed finds the frame and document that a number belongs to.
func (v *View) printed(number int) (*browser.Frame, string, Why) {
	v.numberAll()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, d := range v.frames {
		if d.number == number && d.printed {
			return d.frame, d.key, ""
		}
	}
	if !v.history.printed.Load() {
		// Whoever has a ref got it from a browser before this one.
		return nil, "", WhyRestarted
	}
	if number < v.next {
		for _, d := range v.frames {
			if d.number == number {
				return nil, "", WhyUnknown
			}
		}
		return nil, "", WhyNavigated
	}
	return nil, "", WhyUnknown
}

// unbound lists those of f's frames whose elements its document has not been
// told of.
func (v *View) unbound(f *browser.Frame, children []*browser.Frame) []*browser.Frame {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := v.frames[f.ID()]
	if d == nil {
		return children
	}
	return slices.DeleteFunc(children, func(c *browser.Frame) bool { return d.bound[c.ID()] })
}

func (v *View) bound(f *browser.Frame, children []*browser.Frame) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if d := v.frames[f.ID()]; d != nil {
		for _, c := range children {
			d.bound[c.ID()] = true
		}
	}
}

func prefixFor(number int) string {
	if number == 0 {
		return ""
	}
	return fmt.Sprintf("f%d", number)
}
