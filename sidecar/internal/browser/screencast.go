package browser

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// View is what people are shown: one tab out of all.
type View struct {
	Tab   *Tab   // nil when none is open
	URL   string // as [PublicURL] has it
	Index int    // from 1, among the open tabs
	Tabs  int    // how many are open
}

// CastFrame is one picture of the tab on screen.
type CastFrame struct {
	Tab           *Tab
	JPEG          []byte
	Width, Height float64 // of the page area in CSS pixels, not of the picture
	OffsetTop     float64 // of the page area in the picture's page, in CSS pixels
	Taken         time.Time

	once sync.Once
	id   int64
}

// Done lets Chromium send a further frame; it sends only a few ahead. It may be
// called from anywhere, and again.
func (f *CastFrame) Done() {
	f.once.Do(func() {
		cdp.Start(f.Tab.session, page.ScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: f.id})
	})
}

// CastOptions say who is told what a [Screencast] sees. The functions are called
// one at a time and must not wait; after OnView has told of another tab, OnFrame
// tells no frame of the one before.
type CastOptions struct {
	OnView  func(View)
	OnFrame func(*CastFrame)
	// OnModel is told that something of the browser changed, perhaps; nil: nobody
	// is.
	OnModel func(View)
}

// Screencast follows the tab on screen: the newest, until it closes or another
// one is activated. While somebody watches it takes pictures.
type Screencast struct {
	b    *Browser
	opts CastOptions
	on   atomic.Bool
	pace atomic.Pointer[Pace]
	wake chan struct{}

	cancel context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex // held while somebody is told something
	cast *cast      // nil while no pictures are taken
}

// Pace says how pictures are taken.
type Pace struct {
	Quality  int // of the JPEG, 1 to 100
	InFlight int // frames that are sent before one is done
}

// Picture size and the ordinary pace. More frames in flight make a machine that
// is busy draw more of them, and a viewer that is far away see them later.
const (
	castQuality  = 60
	castWidth    = 1280
	castHeight   = 800
	castInFlight = 3
)

// DefaultPace is for viewers that keep up.
func DefaultPace() Pace { return Pace{Quality: castQuality, InFlight: castInFlight} }

// cast is the pictures of one tab at one pace.
type cast struct {
	tab    *Tab
	pace   Pace
	off    func()
	failed atomic.Bool // it never began
}

// castRetry is when pictures are tried again of a tab that could not be drawn: one
// that is just opening, or changes its process.
const castRetry = 100 * time.Millisecond

// Screencast begins to follow the tabs, and tells the first view before it
// returns. Close it in the end.
func (b *Browser) Screencast(o CastOptions) *Screencast {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Screencast{b: b, opts: o, wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	s.SetPace(DefaultPace())
	view, _, changed := s.look()
	s.tell(view, true)
	go s.follow(ctx, view, changed)
	return s
}

// Watch starts and stops the pictures.
func (s *Screencast) Watch(on bool) {
	if s.on.Swap(on) != on {
		s.nudge()
	}
}

// SetPace changes how pictures are taken. The next comes at once.
func (s *Screencast) SetPace(p Pace) {
	s.pace.Store(&p)
	s.nudge()
}

func (s *Screencast) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close ends it: nobody is told anything any more.
func (s *Screencast) Close() {
	s.cancel()
	<-s.done
}

// look reads the model: what is on screen, whether it can be shown, and how to
// learn of the next change.
func (s *Screencast) look() (view View, shows bool, changed <-chan struct{}) {
	b := s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	view = View{Tab: b.screen, Tabs: len(b.tabs)}
	if t := b.screen; t != nil {
		view.URL = PublicURL(t.main.url)
		view.Index = slices.Index(b.tabs, t) + 1
		shows = t.ready && !t.isCrashed
	}
	return view, shows, b.changed
}

func (s *Screencast) follow(ctx context.Context, told View, changed <-chan struct{}) {
	defer close(s.done)
	defer s.aim(nil)
	for {
		select {
		case <-changed:
		case <-s.wake:
		case <-s.b.conn.Done():
			return
		case <-ctx.Done():
			return
		}
		var view View
		var shows bool
		view, shows, changed = s.look()
		if view.Tab != told.Tab {
			s.aim(nil)
		}
		s.tell(view, view != told)
		told = view
		if shows && s.on.Load() {
			s.aim(view.Tab)
		} else {
			s.aim(nil)
		}
	}
}

func (s *Screencast) tell(v View, moved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if moved {
		s.opts.OnView(v)
	}
	if s.opts.OnModel != nil {
		s.opts.OnModel(v)
	}
}

// aim takes pictures of t from now on, and of no other tab; nil is of none.
func (s *Screencast) aim(t *Tab) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pace := *s.pace.Load()
	if c := s.cast; c != nil {
		if c.tab == t && c.pace == pace && !c.failed.Load() {
			return
		}
		s.cast = nil
		c.off()
		cdp.Start(c.tab.session, page.StopScreencast, pcdp.Empty{})
	}
	if t == nil {
		return
	}
	c := &cast{tab: t, pace: pace}
	c.off = cdp.On(t.session, page.ScreencastFrame, func(ev page.EventScreencastFrame) { s.frame(c, ev) })
	s.cast = c
	// Full Chromium draws no tab that is in the background.
	cdp.Start(t.session, page.BringToFront, pcdp.Empty{})
	cdp.Then(t.session, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: ptr(int64(pace.Quality)),
		MaxWidth: castWidth, MaxHeight: castHeight, EveryNthFrame: 1, MaxFramesInFlight: int64(pace.InFlight),
	}, func(_ pcdp.Empty, err error) {
		if err == nil || cdp.IsGone(err) {
			return
		}
		s.b.log.Debug("could not take pictures of a tab yet", "error", err)
		// This may run with the lock held.
		c.failed.Store(true)
		time.AfterFunc(castRetry, s.nudge)
	})
}

// frame hands a picture on, if it is of what is on screen.
func (s *Screencast) frame(c *cast, ev page.EventScreencastFrame) {
	f := &CastFrame{Tab: c.tab, JPEG: ev.Data, id: ev.SessionID, Taken: time.Now()}
	if m := ev.Metadata; m != nil {
		f.Width, f.Height, f.OffsetTop = m.DeviceWidth, m.DeviceHeight, m.OffsetTop
		if m.Timestamp > 0 {
			f.Taken = time.UnixMicro(int64(m.Timestamp.Float64() * 1e6))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cast != c {
		f.Done()
		return
	}
	s.opts.OnFrame(f)
}
