package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// leaveAfter is how long a page that is about to be left may go on with what it
// is doing.
const leaveAfter = 2 * time.Second

func navigate(ctx context.Context, c *call) error {
	var args struct {
		URL string `json:"url"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	tab, err := c.Set.tab(ctx, true)
	if err != nil {
		return err
	}
	c.tab = tab
	unlock, err := tab.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if tab.Dialog() != nil {
		return errModalState
	}
	// A chooser does not hold the page, and goes with it.
	if err := tab.ChooseFiles(ctx, nil); err != nil && !errors.Is(err, browser.ErrNoChooser) {
		return err
	}
	c.show = true
	return c.went(ctx, tab, args.URL)
}

func navigateBack(ctx context.Context, c *call) error {
	if err := c.decode(&struct{}{}); err != nil {
		return err
	}
	c.show = true
	nav, err := c.tab.Back(ctx)
	return c.arrived(ctx, nav, err)
}

// went navigates and words how it ended.
func (c *call) went(ctx context.Context, tab *browser.Tab, url string) error {
	if err := leave(ctx, tab); err != nil {
		return err
	}
	nav, err := tab.Navigate(ctx, url)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("wait for %s: %w", shortLine(url), err)
	}
	if nav.Download {
		c.awaitDownloads(ctx, navigatedGrace, true)
	}
	return c.arrived(ctx, nav, err)
}

// leave stops a script that keeps the page busy that is about to be left: a
// navigation would have to wait for it, for ever with some.
func leave(ctx context.Context, tab *browser.Tab) error {
	short, cancel := context.WithTimeout(ctx, leaveAfter)
	defer cancel()
	if err := tab.Pulse(short); err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	again, cancel := context.WithTimeout(ctx, leaveAfter)
	defer cancel()
	// If that does not help, the navigation says why it came to nothing.
	_ = tab.StopScripts(again)
	return nil
}

// arrived words how a navigation ended.
func (c *call) arrived(ctx context.Context, nav browser.Navigation, err error) error {
	var failed *browser.NavigationError
	switch {
	case errors.As(err, &failed) && strings.HasPrefix(failed.Text, "net::ERR_CERT_"):
		return fmt.Errorf("%w: the host can allow a certificate of the app's own with app_ca or ignore_https_errors", err)
	case errors.Is(err, browser.ErrNoHistory):
		return toolError("Error: There is no page to go back to in this tab.")
	case err != nil:
		return err
	case nav.Download:
		c.say("The address is a file to download, not a page; the tab stays where it was.")
	case nav.Broken != "":
		c.say("The page broke off while it loaded (" + nav.Broken + "); this is what there is of it.")
	case !nav.Loaded:
		c.say("The page is still loading; this is what there is so far.")
	default:
		return c.actor().Arrive(ctx)
	}
	return nil
}

func tabs(ctx context.Context, c *call) error {
	var args struct {
		Action string   `json:"action"`
		Index  *float64 `json:"index"`
		URL    string   `json:"url"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	b := c.kit.opts.Browser
	open := b.Tabs()
	at := func() (*browser.Tab, error) {
		if *args.Index != math.Trunc(*args.Index) || *args.Index < 0 || int(*args.Index) >= len(open) {
			return nil, toolError(fmt.Sprintf("Error: Tab %v not found", *args.Index))
		}
		return open[int(*args.Index)], nil
	}
	switch args.Action {
	case "list":
		if len(open) == 0 {
			if _, err := c.Set.tab(ctx, true); err != nil {
				return err
			}
		}
	case "new":
		t, err := b.NewTab(ctx)
		if err != nil {
			return err
		}
		c.setCurrent(t)
		c.tab = t
		if args.URL != "" {
			c.show = true
			if err := c.went(ctx, t, args.URL); err != nil {
				return err
			}
		}
	case "select":
		if args.Index == nil {
			return toolError("Error: Tab index is required")
		}
		t, err := at()
		if err != nil {
			return err
		}
		if err := t.Activate(ctx); err != nil {
			return err
		}
		c.setCurrent(t)
		c.tab = t
	case "close":
		t := c.tab
		if args.Index != nil {
			var err error
			if t, err = at(); err != nil {
				return err
			}
		}
		if err := c.closeTab(ctx, t); err != nil {
			return err
		}
	}
	return c.listTabs(ctx)
}

// closeTab closes t; the current tab is then the one in its place.
func (c *call) closeTab(ctx context.Context, t *browser.Tab) error {
	if t == nil {
		return nil
	}
	b := c.kit.opts.Browser
	index := 0
	before := b.Tabs()
	for i, o := range before {
		if o == t {
			index = i
		}
	}
	// Chromium exits with its last tab, and the browser belongs to the sandbox.
	if len(before) == 1 {
		if _, err := b.NewTab(ctx); err != nil {
			return err
		}
	}
	if err := t.Close(ctx); err != nil {
		return err
	}
	if after := b.Tabs(); t == c.tab && len(after) > 0 {
		c.tab = after[min(index, len(after)-1)]
		c.setCurrent(c.tab)
	}
	return nil
}

// listTabs is the Result of browser_tabs.
func (c *call) listTabs(ctx context.Context) error {
	c.mu.Lock()
	current := c.current
	c.mu.Unlock()
	c.say(tabLines(headersOf(ctx, c.kit.opts.Browser.Tabs(), current, false))...)
	return nil
}

func closeBrowser(ctx context.Context, c *call) error {
	if err := c.decode(&struct{}{}); err != nil {
		return err
	}
	fresh, err := c.kit.opts.Browser.NewTab(ctx)
	if err != nil {
		return err
	}
	for _, t := range c.kit.opts.Browser.Tabs() {
		if t != fresh {
			if err := t.Close(ctx); err != nil {
				return err
			}
		}
	}
	c.tab = fresh
	c.setCurrent(fresh)
	c.say("Every tab is closed but one blank one. Navigate to go on.")
	return nil
}

// maxSide is Chromium's limit for an emulated page area.
const maxSide = 10000

func resize(ctx context.Context, c *call) error {
	var args struct{ Width, Height float64 }
	if err := c.decode(&args); err != nil {
		return err
	}
	if !(args.Width >= 0 && args.Width <= maxSide && args.Height >= 0 && args.Height <= maxSide) {
		return toolError(fmt.Sprintf("Error: width and height must be from 0 to %d", maxSide))
	}
	return c.tab.Resize(ctx, proto.Viewport{Width: int(args.Width), Height: int(args.Height)})
}
