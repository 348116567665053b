package record

import (
	"context"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

// Bounds of what is asked of pages. A page that hangs answers nothing.
const (
	reachTimeout = 5 * time.Second
	// placeTries is how often a frame's element is looked for before the next
	// snapshot around it: it may be there before its parent's recorder knows it.
	placeTries = 5
	placePause = 200 * time.Millisecond // doubled each time
)

// enterOurWorld starts a recorder in the isolated world of w's frame, unless the
// frame shows another document by now.
func (r *Recorder) enterOurWorld(w *world, document pcdp.LoaderID) {
	ctx, cancel := context.WithTimeout(r.ctx, reachTimeout)
	defer cancel()
	id, err := w.frame.World(ctx)
	if err != nil || w.frame.Document() != document || w.frame.Session() != w.target.session {
		return
	}
	p := runtime.EvaluateParams{Expression: recorderScript(w.target.inner, r.mark), ContextID: id, Silent: ptr(true)}
	if _, err := pcdp.Call(ctx, w.target.session, runtime.Evaluate, p); err != nil && !cdp.IsGone(err) && r.ctx.Err() == nil {
		r.log.Warn("recording: could not go on in a page", "error", err)
	}
}

// place begins to look for the element that holds a frame of another site. It runs
// on the worker.
func (r *Recorder) place(s *source) {
	if !s.child() {
		return
	}
	up := r.pages.around(s)
	if s.placing || s.place != 0 || up == nil || up.handle == "" || up.doc == nil || !up.doc.Shown() || s.tries >= placeTries {
		return
	}
	s.placing = true
	wait := placePause << s.tries
	s.tries++
	doc, handle, session, frame := up.doc, up.handle, up.world.target.session, s.world.frame.ID()
	r.spawn(func() {
		local := findFrame(r.ctx, session, handle, frame)
		if local == 0 {
			sleep(r.ctx, wait)
		}
		r.inbox.push(0, func() {
			s.placing = false
			if r.pages.sources[s.world] != s || up.doc != doc {
				return
			}
			place, ok := doc.Global(local)
			if !ok {
				r.place(s)
				return
			}
			s.place = place
			if s.doc != nil {
				s.doc.Place(place)
				s.askSnapshot()
			}
		})
	})
}

// findFrame asks a recorder for the elements that may hold frames and Chromium for
// the frames that they hold. It returns the id that the recorder gave to the
// element of frame, 0 when it knows none.
func findFrame(ctx context.Context, s *cdp.Session, handle runtime.RemoteObjectID, frame pcdp.FrameID) int64 {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	pairs, err := pcdp.Call(ctx, s, runtime.CallFunctionOn, command(handle, commandFrames, false))
	if err != nil || pairs.Result == nil || pairs.Result.ObjectID == "" {
		return 0
	}
	defer cdp.Start(s, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: pairs.Result.ObjectID})
	list, err := pcdp.Call(ctx, s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: pairs.Result.ObjectID, OwnProperties: ptr(true)})
	if err != nil {
		return 0
	}
	type candidate struct {
		id   int64
		node *cdp.Pending
	}
	var candidates []candidate
	var id int64
	for _, d := range list.Result {
		switch {
		case d.Value == nil:
		case d.Value.Type == runtime.RemoteObjectTypeNumber:
			v, _ := tree.Parse(string(d.Value.Value))
			id, _ = v.Whole()
		case d.Value.ObjectID != "":
			p := cdp.Start(s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: d.Value.ObjectID, Depth: ptr(int64(0))})
			candidates = append(candidates, candidate{id, p})
			cdp.Start(s, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: d.Value.ObjectID})
		}
	}
	for _, c := range candidates {
		var r dom.DescribeNodeResult
		if c.node.Wait(ctx, &r) == nil && r.Node != nil && r.Node.FrameID == frame {
			return c.id
		}
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// flushShare is what the pages get to hand over their last events; one that hangs
// must not hold a stop.
const flushShare = 500 * time.Millisecond

// Flush takes what recorders have and have not sent yet. It is for the moment
// before the browser closes.
func (r *Recorder) Flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushShare)
	defer cancel()
	type answer struct {
		w *world
		p *cdp.Pending
	}
	asked := make(chan []answer, 1)
	r.inbox.push(0, func() {
		var all []answer
		for w, s := range r.pages.sources {
			if s.handle != "" {
				all = append(all, answer{w, cdp.Start(w.target.session, runtime.CallFunctionOn, command(s.handle, commandFlush, true))})
			}
		}
		asked <- all
	})
	var all []answer
	select {
	case all = <-asked:
	case <-ctx.Done():
		return
	}
	for _, a := range all {
		var res runtime.CallFunctionOnResult
		if a.p.Wait(ctx, &res) != nil || res.Result == nil {
			continue
		}
		if v, err := tree.Parse(string(res.Result.Value)); err == nil && v.Text() != "" {
			r.deliver(a.w, v.Text())
		}
	}
}
