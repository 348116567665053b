package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// snapshotTool shows the page whatever the session's mode is.
const snapshotTool = "browser_snapshot"

// tabsTool lists the tabs as its result.
const tabsTool = "browser_tabs"

// snapshot is how browser_snapshot wants the page shown.
type snapshot = page.Options

// lookTimeout is what the page gets to be read for an answer. The largest pages
// take a few seconds; one that takes longer is kept busy by a script.
const lookTimeout = 20 * time.Second

// compose writes the answer of a call that came to something: the tool's own
// words, then what the browser looks like now.
func (s *Set) compose(ctx context.Context, c *call) *sdk.CallToolResult {
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	var modal, look []string
	if current != nil {
		modal = modalLines(current)
	}
	if c.shows() && len(modal) == 0 && current != nil && !current.IsCrashed() {
		var err error
		look, err = s.look(ctx, c, current)
		// A dialog may have opened while the page was read.
		if modal = modalLines(current); err != nil && len(modal) == 0 {
			if c.spec.Name == snapshotTool || !errors.Is(err, errBusy) {
				return s.fail(ctx, &call{Set: s, spec: c.spec, tab: current}, err)
			}
			c.say("The page can't be shown: it does not respond, since a script on it keeps it busy.")
		}
	}
	tabs := s.kit.opts.Browser.Tabs()
	headers := headersOf(ctx, tabs, current, len(look) > 0 && c.options.Root == nil)

	var out sections
	out.add("Error", c.errors...)
	out.add("Result", c.result...)
	if s.remember(tabs, headers) || c.shows() {
		if len(tabs) != 1 && (c.shows() || c.spec.Name != tabsTool) {
			out.add("Open tabs", tabLines(headers)...)
		}
		if i := slices.Index(tabs, current); i >= 0 {
			out.add("Page", headers[i].page()...)
		}
	}
	out.add("Modal state", modal...)
	out.add("Snapshot", look...)
	out.add("Events", append(c.events, s.news(current)...)...)
	return answer(out.b.String(), len(c.errors) > 0, c.images)
}

// look reads the page for an answer: the lines of the Snapshot section.
func (s *Set) look(ctx context.Context, c *call, tab *browser.Tab) ([]string, error) {
	// No pulse: on a huge page it is our own script that keeps it busy.
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBusy)
	defer cancel()
	ctx, stop := untilModal(ctx, tab)
	defer stop()
	options := c.options
	options.MaxChars = s.kit.opts.SnapshotMaxChars
	whole := options == snapshot{MaxChars: options.MaxChars}
	snap, err := s.kit.view(tab).Snapshot(ctx, options)
	switch {
	case errors.Is(context.Cause(ctx), errBusy):
		return nil, errBusy
	case err != nil:
		return nil, fmt.Errorf("read the page: %w", err)
	}
	text, note := snap.Text, snap.Note
	if whole {
		before := s.glance(tab, text)
		if c.mode == proto.SnapshotChanges && c.spec.Shows && before.tab == tab {
			if diff, ok := changes(before.text, text); ok {
				text, note = diff, ""
			}
		}
	}
	if note != "" {
		text += "\n# " + note
	}
	return []string{"```yaml", text, "```"}, nil
}

// glance remembers what the agent sees now, and returns what it saw before.
func (s *Set) glance(tab *browser.Tab, text string) sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.seen
	s.seen = sight{tab, text}
	return before
}

// remember stores what the agent is told of the tabs and reports whether it
// differs from what it was told before.
func (s *Set) remember(tabs []*browser.Tab, headers []header) (changed bool) {
	now := make(map[*browser.Tab]header, len(tabs))
	for i, t := range tabs {
		now[t] = headers[i]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = !maps.Equal(s.shown, now)
	s.shown = now
	maps.DeleteFunc(s.told, func(t *browser.Tab, _ toldLog) bool { return isClosed(t) })
	if s.seen.tab != nil && isClosed(s.seen.tab) {
		s.seen = sight{}
	}
	return changed
}
