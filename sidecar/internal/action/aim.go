package action

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// need is what an element must be before it is acted on; the page's "ready"
// takes it as it is.
type need struct {
	States []string `json:"need"`
	Stable bool     `json:"stable,omitempty"`
	Scroll bool     `json:"scroll,omitempty"` // in the viewport
	Hit    bool     `json:"hit,omitempty"`    // gets a press at its point
	Guard  string   `json:"guard,omitempty"`  // "press" or "move"
	At     *Point   `json:"at,omitempty"`
	Budget int64    `json:"budget"` // ms
	Tries  int      `json:"tries,omitempty"`
	Aside  bool     `json:"asideOnce,omitempty"` // may ask for the pointer to be moved aside
}

// Point is a place in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Box is a rectangle in CSS pixels.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

func (n need) String() string {
	words := append([]string(nil), n.States...)
	if n.Stable {
		words = append(words, "stable")
	}
	switch len(words) {
	case 0:
		return "there"
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// readiness is the page's answer to "ready", and the part of other answers that
// says why there is none.
type readiness struct {
	X, Y    float64
	Box     Box
	Tries   int
	Gone    bool
	Stopped bool
	Late    bool
	// Hovering: something covers the element that shows only because the pointer
	// rests on it.
	Hovering bool
	Log      []string
}

// mark is an element that an action is for: what it was called, and how to find
// it, again if need be.
type mark struct {
	label string
	find  func() (*page.Element, error)
}

func (s *scene) mark(target string) mark {
	return mark{target, func() (*page.Element, error) { return s.view.Locate(s.ctx, target) }}
}

// unasked is m for what begins with a call to the element, which says where it is
// gone: a ref is at first taken for what it was when it was printed.
func (s *scene) unasked(m mark) mark {
	first := true
	return mark{m.label, func() (*page.Element, error) {
		if el, err := s.view.Printed(m.label); err == nil && first {
			first = false
			return el, nil
		}
		return m.find()
	}}
}

// errGone says that a wait is to be begun again: its element left the page, or
// it was stopped together with one of another call.
var errGone = errors.New("the wait was cut off")

// ended is the error of a wait that did not come to its end; nil when it did.
func (s *scene) ended(m mark, el *page.Element, waiting string, r readiness) error {
	switch {
	case r.Gone, r.Stopped:
		return errGone
	case r.Late:
		return s.late(m, el, waiting, r.Log)
	}
	return nil
}

func (s *scene) late(m mark, el *page.Element, waiting string, log []string) error {
	return &TimeoutError{Action: s.name, Target: m.label, Element: s.preview(el), Waited: s.timeout, Waiting: waiting, Log: log}
}

// preview describes an element for a message; empty when the page can't.
func (s *scene) preview(el *page.Element) string {
	var text string
	if el == nil || s.call(el, "describe", &text) != nil {
		return ""
	}
	return text
}

// retry calls do with the element until it did not leave the page meanwhile: a
// page that renders anew has another one in its place.
func (s *scene) retry(m mark, do func(*page.Element) error) error {
	for {
		el, err := m.find()
		if err != nil {
			return err
		}
		err = do(el)
		if !errors.Is(err, errGone) && !page.IsGone(err) {
			return err
		}
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if s.left() == 0 {
			return s.late(m, nil, "there", []string{"element was replaced all the time"})
		}
	}
}

// frameRetry is the pause before a covered frame is looked at again, in the
// rhythm of the page's own tries.
const frameRetry = 100 * time.Millisecond

// aim waits until the element is as n wants it, and returns it with its point in
// the tab's viewport.
func (s *scene) aim(m mark, n need) (found *page.Element, at Point, box Box, err error) {
	var log []string
	n.Aside = n.Hit
	err = s.retry(s.unasked(m), func(el *page.Element) error {
		found = el
		for {
			n.Budget = s.left()
			var r readiness
			if err := s.call(el, "ready", &r, n); err != nil {
				return err
			}
			r.Log = append(log, r.Log...)
			if r.Hovering {
				n.Aside, n.Tries = false, r.Tries
				if err := s.moveAside(); err != nil {
					return err
				}
				continue
			}
			if err := s.ended(m, el, n.String(), r); err != nil {
				return err
			}
			var why string
			at, why, err = s.outward(el.Frame(), Point{r.X, r.Y}, n.Hit)
			if err != nil || why == "" {
				// The box keeps its place around the point.
				box = Box{X: at.X + r.Box.X - r.X, Y: at.Y + r.Box.Y - r.Y, Width: r.Box.Width, Height: r.Box.Height}
				return err
			}
			n.Tries = r.Tries + 1
			log = addLine(log, why)
			if s.left() == 0 {
				return s.late(m, el, n.String(), log)
			}
			if err := sleep(s.ctx, frameRetry); err != nil {
				return err
			}
		}
	})
	return found, at, box, err
}

// moveAside takes the pointer off whatever it has opened, as a person does who
// wants to get at something behind a menu.
func (s *scene) moveAside() error {
	if err := s.gate(s.ctx); err != nil {
		return err
	}
	return s.tab.Mouse().Move(s.ctx, 0, 0)
}

// outward carries a point of a frame to the tab's viewport. why says what covers
// one of the frames on the way.
func (s *scene) outward(f *browser.Frame, p Point, hit bool) (_ Point, why string, err error) {
	for parent := f.Parent(); parent != nil; f, parent = parent, parent.Parent() {
		owner, err := page.Owner(s.ctx, f)
		if err != nil {
			return Point{}, "", err
		}
		var r struct {
			X, Y float64
			Why  string
		}
		if err := s.call(owner, "frameHit", &r, p.X, p.Y, hit); err != nil {
			return Point{}, "", err
		}
		if r.Why != "" {
			return Point{}, r.Why, nil
		}
		p = Point{r.X, r.Y}
	}
	return p, "", nil
}

func addLine(log []string, line string) []string {
	if n := len(log); n > 0 && log[n-1] == line {
		return log
	}
	return append(log, line)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
