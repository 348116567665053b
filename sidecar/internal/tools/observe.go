package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

func takeSnapshot(ctx context.Context, c *call) error {
	var args struct {
		Target   string   `json:"target"`
		Filename string   `json:"filename"`
		Depth    *float64 `json:"depth"`
		Boxes    bool     `json:"boxes"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.options = page.Options{Boxes: args.Boxes}
	if args.Depth != nil {
		c.options.Depth = int(max(*args.Depth, 1))
	}
	view := c.kit.view(c.tab)
	if args.Target != "" {
		root, err := view.Locate(ctx, args.Target)
		if err != nil {
			return err
		}
		c.options.Root = root
	}
	if args.Filename == "" {
		c.show = true
		return nil
	}
	snap, err := view.Snapshot(ctx, c.options)
	if err != nil {
		return err
	}
	return c.save("Snapshot", args.Filename, []byte(snap.Text))
}

func find(ctx context.Context, c *call) error {
	var args struct{ Text, Regex, Filename string }
	if err := c.decode(&args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBusy)
	defer cancel()
	found, err := c.kit.view(c.tab).Find(ctx, page.Query{Text: args.Text, Regex: args.Regex})
	if err != nil {
		return err
	}
	return c.deliver("Find results", args.Filename, found, found)
}

// maxWait bounds plain waiting: callers give up after 60 s.
const maxWait = 30 * time.Second

func waitFor(ctx context.Context, c *call) error {
	var args struct {
		Time     float64 `json:"time"`
		Text     string  `json:"text"`
		TextGone string  `json:"textGone"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	if args.Time <= 0 && args.Text == "" && args.TextGone == "" {
		return toolError("Error: Either time, text or textGone must be provided")
	}
	if c.tab == nil {
		return toolError("Error: No open pages available.")
	}
	c.show = true
	if args.Time > 0 {
		if err := c.waitTime(ctx, args.Time); err != nil {
			return err
		}
	}
	for _, w := range []struct {
		text, said string
		gone       bool
	}{{args.TextGone, "Waited for text to be gone: ", true}, {args.Text, "Waited for ", false}} {
		if w.text == "" {
			continue
		}
		if len(modalLines(c.tab)) > 0 {
			return errModalState
		}
		if err := c.actor().WaitText(ctx, w.text, w.gone); err != nil {
			return err
		}
		c.say(w.said + contain(oneLine(w.text)))
	}
	return nil
}

// waitTime waits for so many seconds, or until a dialog opens: nothing else
// will happen on the page then.
func (c *call) waitTime(ctx context.Context, seconds float64) error {
	wait := time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
	opens := c.tab.Modal()
	if len(modalLines(c.tab)) > 0 {
		opens = nil // it was open before
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-opens:
		return browser.ErrModal
	case <-c.tab.Crashed():
		return browser.ErrCrashed
	case <-ctx.Done():
		return fmt.Errorf("wait for %v: %w", wait, context.Cause(ctx))
	}
	if seconds > maxWait.Seconds() {
		c.sayf("Waited for %v seconds (requested %v, maximum is %v)", maxWait.Seconds(), seconds, maxWait.Seconds())
	} else {
		c.sayf("Waited for %v seconds", seconds)
	}
	return nil
}

func evaluate(ctx context.Context, c *call) error {
	var args struct {
		Target   string `json:"target"`
		Function string `json:"function"`
		Filename string `json:"filename"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	value, err := c.actor().Evaluate(ctx, args.Target, args.Function)
	var thrown *browser.ScriptError
	if errors.As(err, &thrown) {
		return toolError(inline(thrown.Stack, "catch it in the function to see all of it"))
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("wait for the function's value: %w", err)
	}
	if err != nil {
		return err
	}
	text := "undefined"
	if value != nil {
		if text, err = indented(value); err != nil {
			return err
		}
	}
	return c.deliver("Evaluation result", args.Filename, text, limited(text, "a filename saves all of it"))
}

// indented writes JSON as JSON.stringify(value, null, 2) would, and on lines of
// its own making alone: what may be a line break within text is escaped.
func indented(value json.RawMessage) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return "", fmt.Errorf("encode the value: %w", err)
	}
	// They can only be within text: JSON has no such white space.
	return strings.NewReplacer("\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(strings.TrimRight(b.String(), "\n")), nil
}
