package page

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page/selector"
)

// NoMatchError says that a selector leads to no element.
type NoMatchError struct{ Target string }

func (e *NoMatchError) Error() string {
	return fmt.Sprintf("%q does not match any elements.", e.Target)
}

// Candidate is one of several elements that a selector leads to.
type Candidate struct {
	Preview string `json:"preview"`
	Locator string `json:"locator"` // names this one alone
}

// AmbiguousError says that a selector leads to more than one element.
type AmbiguousError struct {
	Target     string
	Count      int
	Candidates []Candidate // the first ten
}

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "strict mode violation: %s resolved to %d elements:", e.Target, e.Count)
	for i, c := range e.Candidates {
		fmt.Fprintf(&b, "\n    %d) %s aka %s", i+1, c.Preview, c.Locator)
	}
	if more := e.Count - len(e.Candidates); more > 0 {
		fmt.Fprintf(&b, "\n    ... and %d more", more)
	}
	return b.String()
}

// found is the page's answer to "find".
type found struct {
	Count   int
	Key     string
	Several []Candidate
	Mistake string
}

// Locate finds the one element that target names: a ref of the last snapshot, a
// selector or a locator expression (see package selector). It does not wait for
// one to appear. A selector works in the main frame unless it enters another.
func (v *View) Locate(ctx context.Context, target string) (*Element, error) {
	t, err := selector.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("%w. %s", err, selector.Understood)
	}
	if t.Ref != "" {
		return v.Resolve(ctx, t.Ref)
	}
	frame := v.tab.MainFrame()
	for i, steps := range t.Frames {
		el, err := findOne(ctx, frame, target, steps)
		if err != nil || i == len(t.Frames)-1 {
			return el, err
		}
		if frame, err = contentFrame(ctx, el); err != nil {
			return nil, fmt.Errorf("enter the frame of %s: %w", target, err)
		}
	}
	return nil, &NoMatchError{target}
}

func findOne(ctx context.Context, f *browser.Frame, target string, steps []selector.Step) (*Element, error) {
	var r found
	if err := Call(ctx, f, "find", &r, steps); err != nil {
		return nil, err
	}
	switch {
	case r.Mistake != "":
		return nil, fmt.Errorf("%q is not a selector: %s", target, r.Mistake)
	case r.Count == 0:
		return nil, &NoMatchError{target}
	case r.Count > 1:
		return nil, &AmbiguousError{target, r.Count, r.Several}
	}
	return Kept(f, r.Key), nil
}

// Count is how many elements of the main frame a selector leads to; with seen,
// how many of them can be seen.
func (v *View) Count(ctx context.Context, target string, seen bool) (int, error) {
	t, err := selector.Parse(target)
	if err != nil {
		return 0, fmt.Errorf("%w. %s", err, selector.Understood)
	}
	if t.Ref != "" || len(t.Frames) != 1 {
		return 0, errors.New("only a selector within the page can be counted")
	}
	var n int
	err = Call(ctx, v.tab.MainFrame(), "count", &n, t.Frames[0], seen)
	return n, err
}

// LocatorFor is the expression by which a person would name the element in test
// code, such as getByRole('button', { name: 'Save' }).
func (e *Element) LocatorFor(ctx context.Context) (string, error) {
	var code string
	if err := e.Call(ctx, "locatorFor", &code); err != nil {
		return "", err
	}
	for f := e.Frame(); f.Parent() != nil; f = f.Parent() {
		owner, err := Owner(ctx, f)
		if err != nil {
			return "", err
		}
		var outer string
		if err := owner.Call(ctx, "locatorFor", &outer); err != nil {
			return "", err
		}
		code = outer + ".contentFrame()." + code
	}
	return code, nil
}

// contentFrame is the frame inside of an <iframe> or <frame> element.
func contentFrame(ctx context.Context, el *Element) (*browser.Frame, error) {
	for _, f := range el.Frame().Children() {
		owner, err := Owner(ctx, f)
		if err != nil {
			continue
		}
		var same bool
		if err := owner.Call(ctx, "isElement", &same, el.name); err == nil && same {
			return f, nil
		}
	}
	return nil, errors.New("the element holds no frame")
}

// Owner is the element that holds the frame f, in the frame around it.
func Owner(ctx context.Context, f *browser.Frame) (*Element, error) {
	parent := f.Parent()
	if parent == nil {
		return nil, errors.New("a main frame has no element around it")
	}
	key, err := ownerKey(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("find the frame's element: %w", err)
	}
	return Kept(parent, key), nil
}

// Kept is the element that the page's keep has given a key.
func Kept(f *browser.Frame, key string) *Element { return elementAt(f, key) }
