package tools

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
	"github.com/pillion-browser/pillion/sidecar/internal/page/selector"
)

// done is the Result of a check that came out well.
const done = "Done"

func generateLocator(ctx context.Context, c *call) error {
	el, err := c.element(ctx)
	if err != nil {
		return err
	}
	code, err := el.LocatorFor(ctx)
	if err != nil {
		return err
	}
	c.say(contain(oneLine(code)))
	return nil
}

// element finds the element that the call's target names.
func (c *call) element(ctx context.Context) (*page.Element, error) {
	var args struct{ Target string }
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	return c.kit.view(c.tab).Locate(ctx, args.Target)
}

func verifyElement(ctx context.Context, c *call) error {
	var args struct{ Role, AccessibleName string }
	if err := c.decode(&args); err != nil {
		return err
	}
	steps := []selector.Step{{Kind: selector.KindRole, Role: args.Role, Text: &selector.Text{Value: args.AccessibleName}}}
	found, err := c.inAnyFrame(ctx, func(ctx context.Context, f *browser.Frame) (bool, error) {
		var n int
		err := page.Call(ctx, f, "count", &n, steps, false)
		return n > 0, err
	})
	return c.verdict(found, err, fmt.Sprintf("Element with role \"%s\" and accessible name \"%s\" not found", oneLine(args.Role), oneLine(args.AccessibleName)))
}

func verifyText(ctx context.Context, c *call) error {
	var args struct{ Text string }
	if err := c.decode(&args); err != nil {
		return err
	}
	found, err := c.inAnyFrame(ctx, func(ctx context.Context, f *browser.Frame) (seen bool, err error) {
		err = page.Call(ctx, f, "awaitText", &seen, args.Text, false, 0)
		return seen, err
	})
	return c.verdict(found, err, "Text not found")
}

// inAnyFrame asks all frames of the tab at once. One that is not there any more
// has nothing.
func (c *call) inAnyFrame(ctx context.Context, ask func(context.Context, *browser.Frame) (bool, error)) (bool, error) {
	frames := c.tab.Frames()
	yes, errs := make([]bool, len(frames)), make([]error, len(frames))
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBusy)
	defer cancel()
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() {
			yes[i], errs[i] = ask(ctx, f)
		})
	}
	wg.Wait()
	if slices.Contains(yes, true) {
		return true, nil
	}
	for i, err := range errs {
		if err != nil && (i == 0 || !page.IsGone(err)) {
			return false, err
		}
	}
	return false, nil
}

// verdict answers a check.
func (c *call) verdict(ok bool, err error, otherwise string) error {
	switch {
	case err != nil:
		return err
	case ok:
		c.say(done)
	default:
		c.failf("%s", otherwise)
	}
	return nil
}

func verifyList(ctx context.Context, c *call) error {
	var args struct{ Items []string }
	if err := c.decode(&args); err != nil {
		return err
	}
	el, err := c.element(ctx)
	if err != nil {
		return err
	}
	var missing []string
	if err := el.Call(ctx, "lacks", &missing, args.Items); err != nil {
		return err
	}
	for _, item := range missing {
		c.failf("Item \"%s\" not found", oneLine(item))
	}
	if len(missing) == 0 {
		c.say(done)
	}
	return nil
}

func verifyValue(ctx context.Context, c *call) error {
	var args struct{ Type, Value string }
	if err := c.decode(&args); err != nil {
		return err
	}
	el, err := c.element(ctx)
	if err != nil {
		return err
	}
	if args.Type == "checkbox" || args.Type == "radio" {
		return c.verifyChecked(ctx, el, args.Value == "true")
	}
	var is struct {
		Same  bool
		Value *string
		Error string
	}
	if err := el.Call(ctx, "compare", &is, args.Value); err != nil {
		return err
	}
	if is.Error != "" {
		return toolError("Error: " + is.Error)
	}
	got := "another one, which is a secret"
	if is.Value != nil {
		got = `"` + shortLine(*is.Value) + `"`
	}
	return c.verdict(is.Same, nil, fmt.Sprintf("Expected value \"%s\", but got %s", shortLine(args.Value), got))
}

func (c *call) verifyChecked(ctx context.Context, el *page.Element, want bool) error {
	var is struct {
		Checked any // true, false or "mixed"
		Error   string
	}
	if err := el.Call(ctx, "checkState", &is); err != nil {
		return err
	}
	if is.Error != "" {
		return toolError("Error: " + is.Error)
	}
	return c.verdict(is.Checked == want, nil, fmt.Sprintf("Expected value \"%t\", but got \"%v\"", want, is.Checked))
}
