package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// snapshot is how browser_snapshot wants the page shown.
type snapshot = page.Options

// compose writes the answer of a call that came to something: the tool's own
// words, then what the browser looks like now.
func (s *Set) compose(ctx context.Context, c *call) *sdk.CallToolResult {
	tabs := s.kit.opts.Browser.Tabs()
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	modal := []string(nil)
	if current != nil {
		modal = modalLines(current)
	}
	yaml, shown := "", false
	if c.show && len(modal) == 0 && current != nil && !current.IsCrashed() {
		snap, err := s.kit.view(current).Snapshot(ctx, c.options)
		if err != nil {
			// A dialog may have opened while the page was read.
			if modal = modalLines(current); len(modal) == 0 {
				return s.fail(ctx, &call{Set: s, spec: c.spec, tab: current}, fmt.Errorf("read the page: %w", err))
			}
		} else {
			yaml, shown = snap.Text, true
		}
	}
	headers := make([]header, len(tabs))
	var now header
	for i, t := range tabs {
		title := t.Title()
		if t == current && len(modal) == 0 && !t.IsCrashed() {
			title = t.ReadTitle(ctx)
		}
		headers[i] = headerOf(t, title, t == current)
		if t == current {
			now = headers[i]
		}
	}

	var out sections
	out.add("Error", c.errors...)
	out.add("Result", c.result...)
	if c.show || s.remember(tabs, headers) {
		s.remember(tabs, headers)
		if len(tabs) != 1 {
			out.add("Open tabs", tabLines(headers)...)
		}
		if current != nil {
			out.add("Page", now.page()...)
		}
	}
	out.add("Modal state", modal...)
	if shown {
		out.add("Snapshot", "```yaml", yaml, "```")
	}
	out.add("Events", s.news(current)...)
	return answer(out.b.String(), len(c.errors) > 0, c.images)
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
	return changed
}

// news is what happened beside the call: console entries, downloads, refusals.
func (s *Set) news(tab *browser.Tab) []string {
	var lines []string
	s.mu.Lock()
	if tab != nil {
		messages := tab.Messages(true)
		fresh := 0
		for _, m := range messages {
			if m.N > s.logged[tab] {
				fresh++
			}
		}
		if fresh > 0 {
			s.logged[tab] = messages[len(messages)-1].N
			lines = append(lines, fmt.Sprintf("- New console entries: %d, see browser_console_messages", fresh))
		}
	}
	for _, d := range s.kit.opts.Browser.Downloads(s.told) {
		s.told = d.N
		lines = append(lines, fmt.Sprintf("- Refused to download %q: this browser saves no files", oneLine(d.Name)))
	}
	// Those that an acting call led to were its error; these came by themselves.
	var origins []string
	now := s.kit.opts.Browser.Mark()
	for _, e := range s.kit.opts.Browser.EscapesSince(s.escapes, nil) {
		if !slices.Contains(origins, e.Origin) {
			origins = append(origins, e.Origin)
			lines = append(lines, "- Refused a navigation to "+oneLine(e.Origin)+", outside the sandbox app")
		}
	}
	s.escapes = now
	s.mu.Unlock()
	k := s.kit
	k.mu.Lock()
	for _, r := range k.refuse {
		lines = append(lines, "- "+oneLine(r))
	}
	k.refuse = nil
	k.mu.Unlock()
	return lines
}
