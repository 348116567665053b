package action

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

const (
	// slideExact is how near two values are the same: pages compute them with
	// fractions.
	slideExact = 1e-6
	// pageFrom is how many small steps must be left before a large one is tried:
	// it is ten of them, as a rule.
	pageFrom = 10
)

// position is where a slider stands.
type position struct {
	Now      *float64 // nil: it does not say
	Min, Max float64
}

// slide moves a slider that is made of boxes to a value, by the keys that
// sliders take. It has the focus already. How far a key moves it is learned from
// what the key does, so that steps, directions and jumps are the page's own.
func (s *scene) slide(m mark, el *page.Element, text string) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{fmt.Sprintf(format, args...), s.preview(el)}
	}
	p, err := s.position(el, nil)
	if err != nil {
		return err
	}
	want, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || want < p.Min || want > p.Max {
		return refuse("Malformed value: the slider takes a number from %v to %v", p.Min, p.Max)
	}
	if p.Now == nil {
		return refuse("The slider does not say where it stands (aria-valuenow): move it with browser_press_key or browser_drag")
	}
	moved := map[string]float64{} // by key, what it did when it was pressed
	for math.Abs(want-*p.Now) > slideExact {
		key := nextKey(want, p, moved)
		if key == "" {
			return refuse("The slider stands at %v and no key brings it to %v: it may move in steps, or only by browser_drag", *p.Now, want)
		}
		if s.left() == 0 {
			return s.late(m, el, fmt.Sprintf("at %v", want), []string{fmt.Sprintf("the slider is at %v", *p.Now)})
		}
		if err := s.gate(s.ctx); err != nil {
			return err
		}
		if err := s.tab.Keyboard().Press(s.ctx, key); err != nil {
			return err
		}
		next, err := s.position(el, p.Now)
		if err != nil {
			return err
		}
		if next.Now == nil {
			return refuse("The slider no longer says where it stands")
		}
		moved[key] = *next.Now - *p.Now
		p = next
	}
	return nil
}

// position reads a slider; with before it gives the page a moment to move it
// from there.
func (s *scene) position(el *page.Element, before *float64) (p position, err error) {
	return p, s.call(el, "slid", &p, before)
}

// nextKey chooses what to press to get nearer to want; "" when nothing is known
// to help. A key that has not been pressed yet is tried before it is known.
func nextKey(want float64, p position, moved map[string]float64) string {
	left := want - *p.Now
	// nearer says whether a key leads on, and whether that is known.
	nearer := func(key string) (good, known bool) {
		by, known := moved[key]
		return known && math.Abs(left-by) < math.Abs(left)-slideExact, known
	}
	ends := map[float64]string{p.Min: "Home", p.Max: "End"}
	if key := ends[want]; key != "" {
		if good, known := nearer(key); good || !known {
			return key
		}
	}
	small, large := []string{"ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"}, []string{"PageUp", "PageDown"}
	if left < 0 {
		small, large = []string{"ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"}, []string{"PageDown", "PageUp"}
	}
	step := 0.0
	for _, key := range small {
		if good, known := nearer(key); good {
			step = math.Abs(moved[key])
			break
		} else if !known {
			return key
		}
	}
	if step == 0 || math.Abs(left) >= pageFrom*step {
		for _, key := range large {
			good, known := nearer(key)
			if good && math.Abs(moved[key]) > step || !known && step > 0 {
				return key
			}
		}
	}
	for _, key := range small {
		if good, _ := nearer(key); good {
			return key
		}
	}
	return ""
}
