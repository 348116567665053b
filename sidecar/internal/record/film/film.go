package film

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// Options is what a Film is made of. Events and Keep are required.
type Options struct {
	Events *event.Stream
	// Keep takes a part.
	Keep func(Part) error
	// Failed is told of the first part that could not be made. Nil: nobody is.
	Failed func(error)
	// Takeovers films on while a person drives.
	Takeovers bool
	// Part is how long a part may get; 0 = a minute.
	Part time.Duration
	// Limit is how many bytes of film are kept; 0 = no limit. The part that would go
	// over it is not, and nothing is filmed any more.
	Limit int64
	// Full is told once that the limit was reached. Nil: nobody is.
	Full func()
	Log  *slog.Logger
}

// Part is a piece of film: one tab, without a break.
type Part struct {
	Tab        int
	Start, End time.Time // by the wall clock, to some 0.1 s
	MP4        []byte
}

// Film is the cameras of a session. Make it with [New], end it with Stop.
type Film struct {
	opts     Options
	unlisten func()

	mu      sync.Mutex
	tabs    map[int]*browser.Tab // that are about to open
	cameras map[int]*camera
	held    bool // a person drives
	stopped bool
	told    bool // of what goes wrong
	kept    int64
	full    bool

	ctx    context.Context // ends what a camera does when Stop must not wait
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// partLength is short enough to be fetched while it is news, and long enough not
// to be lost among the others.
const partLength = time.Minute

// New begins to film the tabs that are told of from now on.
func New(o Options) *Film {
	if o.Part == 0 {
		o.Part = partLength
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := &Film{opts: o, tabs: map[int]*browser.Tab{}, cameras: map[int]*camera{}}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.unlisten = o.Events.Listen(f.happened)
	return f
}

// Attach tells of a tab before it opens; it is for browser.Options.OnTarget, which
// tells of a tab's frames too.
func (f *Film) Attach(t *browser.Tab) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cameras[t.ID()] == nil {
		f.tabs[t.ID()] = t
	}
}

// happened listens to the session's events. It must not wait.
func (f *Film) happened(e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.stopped:
	case e.Kind == event.PageOpened:
		if t := f.tabs[e.Tab]; t != nil {
			delete(f.tabs, e.Tab)
			c := &camera{film: f, tab: t, change: make(chan struct{}, 1), done: make(chan struct{}), held: f.held}
			f.cameras[e.Tab] = c
			f.work.Go(func() { c.run(f.ctx) })
		}
	case e.Kind == event.PageClosed:
		if c := f.cameras[e.Tab]; c != nil {
			delete(f.cameras, e.Tab)
			c.tell(func() { c.over = true })
		}
	case e.Kind == event.Takeover && !f.opts.Takeovers:
		f.held = e.Detail["held"] == "true"
		for _, c := range f.cameras {
			c.tell(func() { c.held = f.held })
		}
	}
}

// finishShare is what the closing of a tab waits for its camera. Chromium took 0.3 s.
const finishShare = 1500 * time.Millisecond

// Finish ends a tab's film and waits until it is kept, for a moment; it is for
// browser.Options.OnClosing.
func (f *Film) Finish(ctx context.Context, t *browser.Tab) {
	f.mu.Lock()
	c := f.cameras[t.ID()]
	f.mu.Unlock()
	if c == nil {
		return
	}
	c.tell(func() { c.over = true })
	ctx, cancel := context.WithTimeout(ctx, finishShare)
	defer cancel()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
}

// Stop ends the parts and keeps them, until ctx ends. Call it while there are
// pages.
func (f *Film) Stop(ctx context.Context) {
	f.unlisten()
	f.mu.Lock()
	f.stopped = true
	for _, c := range f.cameras {
		c.tell(func() { c.over = true })
	}
	f.mu.Unlock()
	stop := context.AfterFunc(ctx, f.cancel)
	defer stop()
	f.work.Wait()
	f.cancel()
}

// keep keeps a part, unless that goes over the limit.
func (f *Film) keep(p Part) error {
	f.mu.Lock()
	was := f.full
	f.full = f.full || f.opts.Limit > 0 && f.kept+int64(len(p.MP4)) > f.opts.Limit
	full := f.full
	if !full {
		f.kept += int64(len(p.MP4))
	}
	f.mu.Unlock()
	if !full {
		return f.opts.Keep(p)
	}
	if !was && f.opts.Full != nil {
		f.opts.Full()
	}
	return nil
}

func (f *Film) isFull() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full
}

// failed says what went wrong, once: a session has many parts.
func (f *Film) failed(tab int, err error) {
	f.mu.Lock()
	first := !f.told
	f.told = true
	f.mu.Unlock()
	if !first {
		return
	}
	f.opts.Log.Warn("film: a part could not be made", "tab", tab, "error", err)
	if f.opts.Failed != nil {
		f.opts.Failed(err)
	}
}
