package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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
		c.options.Depth = int(*args.Depth)
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

// Times of browser_wait_for.
const (
	maxWait  = 30 * time.Second // of plain waiting; callers give up after 60
	textWait = 5 * time.Second  // for each text
)

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
		wait := time.Duration(min(args.Time, maxWait.Seconds()) * float64(time.Second))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("wait for %v: %w", wait, context.Cause(ctx))
		}
		if args.Time > maxWait.Seconds() {
			c.sayf("Waited for %v seconds (requested %v, maximum is %v)", maxWait.Seconds(), args.Time, maxWait.Seconds())
		} else {
			c.sayf("Waited for %v seconds", args.Time)
		}
	}
	for _, w := range []struct {
		text string
		gone bool
	}{{args.TextGone, true}, {args.Text, false}} {
		if w.text == "" {
			continue
		}
		if len(modalLines(c.tab)) > 0 {
			return errModalState
		}
		short, cancel := context.WithTimeout(ctx, textWait)
		err := c.actor().WaitText(short, w.text, w.gone)
		late := short.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case late:
			verb := "appear"
			if w.gone {
				verb = "go away"
			}
			return toolError(fmt.Sprintf("TimeoutError: Timeout %dms exceeded.\nCall log:\n  - waiting for text %q to %s", textWait.Milliseconds(), oneLine(w.text), verb))
		case err != nil:
			return err
		case w.gone:
			c.say("Waited for text to be gone: " + oneLine(w.text))
		default:
			c.say("Waited for " + oneLine(w.text))
		}
	}
	return nil
}

func screenshot(ctx context.Context, c *call) error {
	var args struct {
		Target   string `json:"target"`
		Element  string `json:"element"`
		Type     string `json:"type"`
		Filename string `json:"filename"`
		FullPage bool   `json:"fullPage"`
		Scale    string `json:"scale"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	if args.FullPage && args.Target != "" {
		return toolError("Error: fullPage cannot be used with element screenshots.")
	}
	shot := browser.Shot{Format: pictureType(args.Type, args.Filename), FullPage: args.FullPage}
	title := "Screenshot of viewport"
	prefix := "page"
	switch {
	case args.FullPage:
		title = "Screenshot of full page"
	case args.Target != "":
		title, prefix = "Screenshot of element", "element"
		if args.Element != "" {
			title = "Screenshot of " + strings.NewReplacer("[", "(", "]", ")").Replace(oneLine(args.Element))
		}
		box, err := c.actor().Reveal(ctx, args.Target)
		if err != nil {
			return err
		}
		shot.Clip = &browser.Rect{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height}
	}
	picture, err := c.tab.Screenshot(ctx, shot)
	if err != nil {
		return err
	}
	data := picture.Data
	if args.Filename != "" {
		return c.save(title, args.Filename, data)
	}
	name := stamped(prefix, shot.Format)
	if err := c.keep(name, data); err != nil {
		return err
	}
	c.sayf("- [%s](%s)", title, name)
	c.images = append(c.images, image{mime: "image/" + shot.Format, data: data})
	return nil
}

func pictureType(typ, filename string) string {
	if typ != "" {
		return typ
	}
	switch strings.ToLower(filepath.Ext(filename)) {
	case ".jpg", ".jpeg":
		return "jpeg"
	case ".webp":
		return "webp"
	default:
		return "png"
	}
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
		return toolError(contain(thrown.Stack))
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
	return c.deliver("Evaluation result", args.Filename, text)
}

// indented writes JSON as JSON.stringify(value, null, 2) would.
func indented(value json.RawMessage) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return "", fmt.Errorf("encode the value: %w", err)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}
