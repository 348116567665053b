package page

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Why is why a ref or element is not there any more.
type Why string

// The reasons, as sentences that complete an error.
const (
	WhyUnknown   Why = "No snapshot of this page has printed it: it may be another tab's, or older than a restart of the browser."
	WhyNavigated Why = "The page navigated since then: its document is gone."
	WhyRemoved   Why = "Its element is gone: it has left the page."
	WhyRenamed   Why = "Its element has another role or name now"
	WhyRestarted Why = "The browser was restarted since then: it has shown no snapshot yet."
)

func (l *lost) why() Why {
	switch {
	case l.Navigated:
		return WhyNavigated
	case l.Gone:
		return WhyRemoved
	case l.Now != "":
		return WhyRenamed
	}
	return WhyUnknown
}

// GoneError says that an element is not there, and why.
type GoneError struct {
	Ref string // as it was given; empty for an element that had none
	Why Why
	Now string // its new ref, with WhyRenamed
}

func (e *GoneError) Error() string {
	if e.Ref == "" {
		if e.Why == WhyNavigated {
			return "the element is gone: the page navigated"
		}
		return "the element is gone: it has left the page"
	}
	why := string(e.Why)
	if e.Why == WhyRenamed {
		why += fmt.Sprintf(", and with it the ref %s.", e.Now)
	}
	return fmt.Sprintf("Ref %s not found in the current page snapshot. Try capturing new snapshot. %s", e.Ref, why)
}

// Element is one element of one document of a frame.
type Element struct {
	frame *browser.Frame
	name  string // by which the page's script knows it
	ref   string
}

// elementAt is the element that the script of f's document calls name.
func elementAt(f *browser.Frame, name string) *Element { return &Element{frame: f, name: name} }

// Frame is the frame that the element is in.
func (e *Element) Frame() *browser.Frame { return e.frame }

// Ref is the ref by which it was found; empty for one that a selector found.
func (e *Element) Ref() string { return e.ref }

// Call is [Call] of a function whose first argument is the element. It fails
// with a *GoneError when the element is not in the page any more.
func (e *Element) Call(ctx context.Context, fn string, result any, args ...any) error {
	lost, err := call(ctx, e.frame, fn, e.name, result, args)
	if err == nil && lost != nil {
		gone := &GoneError{Ref: e.ref, Why: lost.why()}
		if lost.Now != "" {
			gone.Now = prefixOf(e.ref) + lost.Now
		}
		return gone
	}
	return err
}

var refForm = regexp.MustCompile(`^(?:f([0-9]{1,9}))?(e[0-9]{1,9})$`)

// prefixOf is a ref without its own number: "f3" of "f3e5".
func prefixOf(ref string) string {
	if m := refForm.FindStringSubmatch(ref); m != nil {
		return ref[:len(ref)-len(m[2])]
	}
	return ""
}

// Resolve finds the element that the last snapshots called ref. Its *GoneError
// says why there is none.
func (v *View) Resolve(ctx context.Context, ref string) (*Element, error) {
	el, err := v.Printed(ref)
	if err == nil {
		err = el.Call(ctx, "here", nil)
	}
	if err != nil {
		return nil, err
	}
	return el, nil
}

// Printed is Resolve without asking the page: whether the element is still there,
// its first Call says. It fails for what no snapshot called anything.
func (v *View) Printed(ref string) (*Element, error) {
	m := refForm.FindStringSubmatch(ref)
	if m == nil {
		return nil, &GoneError{Ref: ref, Why: WhyUnknown}
	}
	number := 0
	if m[1] != "" {
		number, _ = strconv.Atoi(m[1])
		if number == 0 {
			return nil, &GoneError{Ref: ref, Why: WhyUnknown}
		}
	}
	f, key, why := v.printed(number)
	if f == nil {
		return nil, &GoneError{Ref: ref, Why: why}
	}
	return &Element{frame: f, name: m[2] + "." + key, ref: ref}, nil
}
