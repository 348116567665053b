package browser

import (
	"slices"

	"github.com/chromedp/cdproto/network"
)

// Watch collects what a tab does from the moment of [Tab.Watch] to Stop, for
// callers who act and then wait for what their action started.
type Watch struct {
	t         *Tab
	committed int
	asked     int
	requests  []*Request
}

// Watch starts collecting.
func (t *Tab) Watch() *Watch {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	w := &Watch{t: t, committed: t.committed, asked: t.asked}
	t.watches = append(t.watches, w)
	return w
}

// Stop ends the collecting.
func (w *Watch) Stop() {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	w.t.watches = slices.DeleteFunc(w.t.watches, func(o *Watch) bool { return o == w })
}

// Requests are the requests that began since, oldest first.
func (w *Watch) Requests() []Request {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	out := make([]Request, len(w.requests))
	for i, r := range w.requests {
		out[i] = *r
	}
	return out
}

// Answered says whether the answer's headers are there, or it failed.
func (r Request) Answered() bool { return r.Status != 0 || !r.Ended.IsZero() }

// Done says whether the request is over: its body is there, or it failed, or it
// was redirected.
func (r Request) Done() bool { return !r.Ended.IsZero() }

// Navigations is the number of documents that the main frame committed since.
func (w *Watch) Navigations() int {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	return w.t.committed - w.committed
}

// Asked says whether the page has asked for another document for its main frame
// since, even if nothing has begun yet: the asking is told at once.
func (w *Watch) Asked() bool {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	return w.t.asked > w.asked
}

// Loading says whether the main frame is loading a document now.
func (w *Watch) Loading() bool {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	return w.t.main.loading
}

// DOMReady and Loaded say how far the main frame's current document is.
func (w *Watch) DOMReady() bool {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	return w.t.main.milestone.dom
}

// Loaded says whether the current document's load event has fired.
func (w *Watch) Loaded() bool {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	return w.t.main.milestone.load
}

// Changed is closed at the next change of the browser's model; get it before
// looking, then wait on it.
func (w *Watch) Changed() <-chan struct{} {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	return w.t.b.changed
}

// tellWatches wakes who waits for r. Called with the lock held.
func (t *Tab) tellWatches(*Request) {
	if len(t.watches) > 0 {
		t.b.touch()
	}
}

func headers(h network.Headers) map[string]string {
	out := make(map[string]string, len(h))
	for k, v := range h {
		if s, ok := v.(string); ok {
			out[k] = s
		}
	}
	return out
}
