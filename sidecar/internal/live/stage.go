package live

import (
	"os"
	"sync"

	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Stage is the [Screen] of a real browser: the tab that is on screen.
type Stage struct {
	b    *browser.Browser
	opts StageOptions
	cast *browser.Screencast

	mu      sync.Mutex
	tab     *browser.Tab
	touched *browser.Tab // whose input a person may hold down; nil = nothing is held

	pick      *pickers // set by Raise
	titles    *titles  // likewise
	downloads int      // newest event of downloads that was told; the screencast's
}

// StageOptions are what a [Stage] needs of the session.
type StageOptions struct {
	// Resolve turns what a person wants to open into a URL of the app, or refuses;
	// nil: anything is opened as it is.
	Resolve func(raw string) (href string, refusal *proto.Error)
	// Upload puts files where Chromium can read them; nil: there are none.
	Upload func([]File) (paths []string, err error)
	// Saved opens a file that was downloaded, as its storing called it, and gives a
	// name for it that is safe anywhere; nil: there are none.
	Saved func(d browser.Download) (file *os.File, name string, err error)
}

// NewStage makes a stage. It shows nothing before [Stage.Raise].
func NewStage(b *browser.Browser, o StageOptions) *Stage { return &Stage{b: b, opts: o} }

// Raise begins to show the browser's tabs to a hub.
func (s *Stage) Raise(h *Hub) {
	s.downloads = s.b.LastDownload()
	s.titles = newTitles()
	s.watchPickers(h)
	s.cast = s.b.Screencast(browser.CastOptions{
		OnView: func(v browser.View) {
			s.turnTo(v.Tab)
			if v.Tab == nil {
				h.Show(nil, nil)
				return
			}
			page := &proto.PageState{Tab: v.Index, Tabs: v.Tabs}
			if v.URL != "" {
				page.URL = &v.URL
			}
			h.Show(page, v.Tab)
		},
		OnModel: func(v browser.View) {
			s.titles.want(s.b.Tabs())
			h.Deal(s.look(v))
			h.downloaded(s.newDownloads())
		},
		OnFrame: func(f *browser.CastFrame) {
			h.Draw(Picture{
				JPEG: f.JPEG, Width: f.Width, Height: f.Height, OffsetTop: f.OffsetTop, Taken: f.Taken, Done: f.Done,
			})
		},
	})
}

// Close ends it. The hub is told nothing any more.
func (s *Stage) Close() {
	s.cast.Close()
	s.titles.close()
	s.pick.stop()
	<-s.pick.done
}

// turnTo makes another tab the one that input goes to.
func (s *Stage) turnTo(tab *browser.Tab) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tab != tab {
		s.release()
		s.tab = tab
	}
}

// Watch starts and stops the pictures.
func (s *Stage) Watch(on bool) { s.cast.Watch(on) }

// SetPace says how they are taken.
func (s *Stage) SetPace(p browser.Pace) { s.cast.SetPace(p) }

// Mouse passes a mouse event on.
func (s *Stage) Mouse(p input.DispatchMouseEventParams) {
	s.touch(func(t *browser.Tab) { t.RelayMouse(p) })
	if p.Type == input.DispatchMouseEventTypeMousePressed || p.Type == input.DispatchMouseEventTypeMouseReleased {
		s.pick.pressed()
	}
}

// Key passes a key event on.
func (s *Stage) Key(p input.DispatchKeyEventParams) {
	s.touch(func(t *browser.Tab) { t.RelayKey(p) })
	s.pick.pressed()
}

// Touch passes on which fingers are down.
func (s *Stage) Touch(down []*input.TouchPoint, modifiers int64, cancel bool) {
	s.touch(func(t *browser.Tab) { t.RelayTouch(down, modifiers, cancel) })
	if len(down) == 0 {
		s.pick.pressed()
	}
}

// Text passes text on.
func (s *Stage) Text(text string) { s.touch(func(t *browser.Tab) { t.RelayText(text) }) }

func (s *Stage) touch(send func(*browser.Tab)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tab != nil {
		s.touched = s.tab
		send(s.tab)
	}
}

// Release lets go of what a person holds down. What the agent holds down on a tab
// that no person has touched stays so.
func (s *Stage) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

func (s *Stage) release() {
	if s.pick.open != nil {
		s.pick.drop = true
		s.pick.pressed()
	}
	if s.touched != nil {
		s.touched.ReleaseInput()
		s.touched = nil
	}
}
