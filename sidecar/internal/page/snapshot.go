package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Limits of a snapshot.
const (
	// frameWait bounds the wait for a frame inside of the page: one that hangs is
	// left out, it must not cost the whole page.
	frameWait = 3 * time.Second
	// hardMax bounds one document's text in characters whatever was asked for,
	// so that a page cannot fill our memory.
	hardMax = 16 << 20
	// lookahead is how much more than its limit a cut snapshot looks at, so that
	// there is something to choose from.
	lookahead = 1.5
	// framesMax and nestingMax bound what a page can make us read with frames.
	framesMax  = 500
	nestingMax = 30
	// frameWorkers bounds how many frames are read at once.
	frameWorkers = 16
	// A document that goes away under our hands is looked for again, at once and
	// then every raceWait: a frame between two processes has none for a moment.
	raceTries = 40
	raceWait  = 25 * time.Millisecond
	// shadowRounds bounds how deep closed shadow roots are followed into each
	// other per snapshot; the next one goes on from there.
	shadowRounds = 3
)

// Options say what a snapshot shows.
type Options struct {
	Depth    int      // levels of nodes; 0 = all
	Boxes    bool     // add each node's box
	Root     *Element // show what is under it; nil = the whole page
	MaxChars int      // cut the text to about so many characters; 0 = all of it
}

// Snapshot is a page as text.
type Snapshot struct {
	Text string // one line a node; empty for an empty page
	Note string // how to see what was left out; empty when it is all there
}

// answer is what the script says of one document.
type answer struct {
	Doc    string
	Pieces []string
	Frames []struct {
		ID    pcdp.FrameID
		Depth int
	}
	Full     bool
	Title    string
	Refs     int
	Suspects int
}

// Snapshot reads the page, its frames included. The refs in it can be resolved
// until their element goes away or changes its role or name.
func (v *View) Snapshot(ctx context.Context, o Options) (*Snapshot, error) {
	text, err := v.read(ctx, o)
	if err != nil {
		return nil, err
	}
	snap := &Snapshot{Text: text}
	if o.MaxChars > 0 {
		snap.Text = cut(text, o.MaxChars)
		if strings.Contains("\n"+snap.Text, omission) {
			snap.Note = fmt.Sprintf("Lines with # stand for what was left out to stay under %d characters. To see it: browser_snapshot with a target or depth, or browser_find.", o.MaxChars)
		}
	}
	return snap, nil
}

// read gives the whole text.
func (v *View) read(ctx context.Context, o Options) (string, error) {
	v.numberAll()
	f := v.tab.MainFrame()
	if o.Root != nil {
		f = o.Root.Frame()
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &reader{view: v, options: o, ctx: ctx, slots: make(chan struct{}, frameWorkers), documents: map[pcdp.FrameID]*reading{}}
	// Frames that turn out not to be shown need not be waited for.
	defer r.wg.Wait()
	defer cancel()
	depth := o.Depth
	if depth <= 0 {
		// All at once; how deep they stand makes no difference.
		depth = unlimited
		for _, c := range below(f, nil) {
			r.start(c, depth)
		}
	}
	a, err := r.document(ctx, f, depth, o.Root)
	if err != nil {
		return "", err
	}
	if o.Root == nil {
		v.tab.HasTitle(a.Title) // saves whoever wants to know it now the question
	}
	var b strings.Builder
	r.stitch(&b, f, a, depth, "", 0)
	return b.String(), nil
}

// below lists the frames inside of f.
func below(f *browser.Frame, all []*browser.Frame) []*browser.Frame {
	for _, c := range f.Children() {
		if len(all) >= framesMax {
			break
		}
		all = below(c, append(all, c))
	}
	return all
}

// unlimited is the depth that shows every level; 0 shows one.
const unlimited = -1

// reader reads the documents of one snapshot.
type reader struct {
	view    *View
	options Options
	ctx     context.Context
	wg      sync.WaitGroup
	slots   chan struct{}

	mu        sync.Mutex
	documents map[pcdp.FrameID]*reading
}

// reading is a document that is being read.
type reading struct {
	done   chan struct{}
	answer *answer
	err    error
}

// start reads f's document in the background, once.
func (r *reader) start(f *browser.Frame, depth int) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.documents[f.ID()]; d != nil {
		return d
	}
	d := &reading{done: make(chan struct{})}
	r.documents[f.ID()] = d
	r.wg.Go(func() {
		defer close(d.done)
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-r.ctx.Done():
			d.err = context.Cause(r.ctx)
			return
		}
		ctx, cancel := context.WithTimeoutCause(r.ctx, frameWait, errFrameHangs)
		defer cancel()
		d.answer, d.err = r.document(ctx, f, depth, nil)
	})
	return d
}

const errFrameHangs Error = "the frame does not respond"

// document reads one document.
func (r *reader) document(ctx context.Context, f *browser.Frame, depth int, root *Element) (*answer, error) {
	for try := 1; ; try++ {
		before := f.Document()
		a, err := r.once(ctx, f, depth, root)
		if err == nil && r.view.confirm(f, before, a.Doc, a.Refs > 0) {
			return a, nil
		}
		if err == nil || errors.Is(err, ErrNavigated) && root == nil {
			if try < raceTries && r.pause(ctx, try) == nil {
				continue
			}
			if err == nil {
				err = ErrNavigated
			}
		}
		return nil, err
	}
}

func (r *reader) pause(ctx context.Context, try int) error {
	if try < 3 {
		return ctx.Err()
	}
	select {
	case <-time.After(raceWait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *reader) once(ctx context.Context, f *browser.Frame, depth int, root *Element) (*answer, error) {
	fresh := r.view.unbound(f, f.Children())
	found, err := bindFrames(ctx, f, fresh)
	if err != nil {
		return nil, err
	}
	r.view.bound(f, found)
	prefix, key := r.view.expect(f)
	options := map[string]any{
		"doc": key, "depth": depth, "boxes": r.options.Boxes, "prefix": prefix,
		"budget": int(float64(r.options.MaxChars) * lookahead), "max": hardMax,
	}
	for round := 0; ; round++ {
		a := &answer{}
		if root != nil {
			err = root.Call(ctx, "snapshot", a, options)
		} else {
			err = Call(ctx, f, "snapshot", a, nil, options)
		}
		if err != nil || a.Suspects == 0 || round == shadowRounds {
			return a, err
		}
		if more, err := adoptClosedRoots(ctx, f); err != nil || !more {
			return a, nil // what there is without them
		}
	}
}

// stitch writes a document's text, indented, with the texts of its frames put
// in where they stand.
func (r *reader) stitch(b *strings.Builder, f *browser.Frame, a *answer, depth int, indent string, nesting int) {
	for i, piece := range a.Pieces {
		if i > 0 {
			slot := a.Frames[i-1]
			r.frame(b, f, slot.ID, depth, slot.Depth, indent, nesting)
			if piece != "" {
				b.WriteString("\n")
			}
		}
		if piece != "" {
			b.WriteString(indent)
			b.WriteString(strings.ReplaceAll(piece, "\n", "\n"+indent))
		}
	}
	if a.Full {
		b.WriteString("\n" + indent + omission + "the rest: this page is too large")
	}
}

// frame writes what is in the iframe whose line, at a level of its document,
// was the last.
func (r *reader) frame(b *strings.Builder, f *browser.Frame, id pcdp.FrameID, depth, level int, indent string, nesting int) {
	left := unlimited
	if depth != unlimited {
		if left = depth - level - 1; left < 0 {
			return
		}
	}
	indent += strings.Repeat("  ", level+1)
	child := childFrame(f, id)
	if child == nil || nesting >= nestingMax {
		return
	}
	d := r.start(child, left)
	select {
	case <-d.done:
	case <-r.ctx.Done():
		return
	}
	var inner strings.Builder
	if d.err != nil {
		inner.WriteString(indent + failure(d.err))
	} else {
		r.stitch(&inner, child, d.answer, left, indent, nesting+1)
	}
	if inner.Len() > 0 {
		b.WriteString(":\n")
		b.WriteString(inner.String())
	}
}

func childFrame(f *browser.Frame, id pcdp.FrameID) *browser.Frame {
	if id == "" {
		return nil
	}
	for _, c := range f.Children() {
		if c.ID() == id {
			return c
		}
	}
	return nil
}

// failure is the line that stands for a frame that could not be read.
func failure(err error) string {
	switch {
	case errors.Is(err, errFrameHangs), errors.Is(err, context.DeadlineExceeded):
		return "# this frame does not respond"
	case IsGone(err):
		return "# this frame is loading"
	}
	return "# this frame could not be read"
}
