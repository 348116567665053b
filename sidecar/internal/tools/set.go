package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// Set is one MCP session's view of the tools: its current tab, and what it has
// been told.
type Set struct {
	kit *Kit

	mu        sync.Mutex
	current   *browser.Tab
	shown     map[*browser.Tab]header
	told      map[*browser.Tab]toldLog // console lines that were told
	downloads int                      // newest event of downloads that was told
	escapes   browser.Mark             // up to where escapes were told
	seen      sight
	lastAsk   lastAsk
}

// sight is the page as the agent saw it last: what changes are told against. Of
// one tab only: an agent that comes back to another looks at all of it again.
type sight struct {
	tab  *browser.Tab
	text string
}

// Tools lists what is offered.
func (s *Set) Tools() []*sdk.Tool { return s.kit.list }

// Close forgets the session; the browser stays as it is.
func (s *Set) Close() {}

// call is one tool call on its way through a Set.
type call struct {
	*Set
	spec      spec
	tab       *browser.Tab // nil for a tool that needs none and found none
	args      json.RawMessage
	mode      string // what of the page to show
	opens     bool   // a tab should open
	downloads int    // newest event of downloads when it began
	reply
}

// tool runs one tool. It writes into c.reply, or fails as a whole.
type tool func(ctx context.Context, c *call) error

// Call runs a tool and composes its answer.
func (s *Set) Call(ctx context.Context, name string, args json.RawMessage) *sdk.CallToolResult {
	i := slices.IndexFunc(s.kit.specs, func(sp spec) bool { return sp.Name == name })
	if i < 0 {
		return failure(fmt.Sprintf("Tool %q not found", oneLine(name)))
	}
	c, err := s.newCall(s.kit.specs[i], args)
	if err != nil {
		return s.fail(ctx, &call{Set: s}, err)
	}
	b := s.kit.opts.Browser
	b.HoldDialogs()
	s.kit.awaitFirstPage(ctx)
	if err := s.prepare(ctx, c); err != nil {
		return s.fail(ctx, c, err)
	}
	if c.spec.acts() && !c.spec.Context && c.spec.Modal == "" {
		unlock, err := c.tab.Lock(ctx)
		if err != nil {
			return s.fail(ctx, c, err)
		}
		defer unlock()
		// A dialog may have opened while another call had the tab.
		if err := s.prepare(ctx, c); err != nil {
			return s.fail(ctx, c, err)
		}
	}
	if c.spec.acts() {
		// A person may have taken over since the call was let in.
		if err := takeover.Enter(ctx); err != nil {
			return s.fail(ctx, c, err)
		}
	}
	mark, began := b.Mark(), time.Now()
	c.downloads = b.LastDownload()
	err = c.run(ctx)
	if c.spec.acts() {
		b.AwaitOpened(ctx, mark, c.opens)
		if text := s.escaped(mark, c.tab); text != "" {
			return failure(text)
		}
		if c.tab != nil && c.tab.TurnedAway(began) {
			c.awaitDownloads(ctx, turnedGrace, true)
		}
		c.awaitDownloads(ctx, downloadGrace, false)
	}
	if err != nil {
		return s.fail(ctx, c, err)
	}
	return s.compose(ctx, c)
}

// newCall is a call whose arguments are right.
func (s *Set) newCall(sp spec, args json.RawMessage) (*call, error) {
	clean, err := checkArgs(sp.Name, sp.schema(), args)
	if err != nil {
		return nil, err
	}
	c := &call{Set: s, spec: sp, args: clean, mode: s.kit.opts.Snapshot}
	var asked struct{ Snapshot string }
	if sp.Shows {
		if err := c.decode(&asked); err != nil {
			return nil, err
		}
	}
	if asked.Snapshot != "" {
		c.mode, c.asked = asked.Snapshot, true
	}
	return c, nil
}

// run runs the tool. One that only reads stops as soon as a dialog keeps the
// page from answering; those that act see to that themselves.
func (c *call) run(ctx context.Context) error {
	if c.tab == nil || c.spec.Name == askTool { // which waits for a person, not for a page
		return c.spec.run(ctx, c)
	}
	reads := !c.spec.acts() && !c.spec.Context
	for try := 1; ; try++ {
		short, stop := attend(ctx, c.tab, reads)
		err := c.spec.run(short, c)
		stop()
		// A dialog that somebody closed at once is no reason to give up.
		if !reads || !errors.Is(err, browser.ErrModal) || len(modalLines(c.tab)) > 0 || try == readTries {
			return err
		}
		c.reply = reply{asked: c.asked}
	}
}

// readTries bounds how often reading is begun anew on a page that opens and
// closes dialogs.
const readTries = 3

// decode fills out with the call's arguments, which are right.
func (c *call) decode(out any) error {
	if err := json.Unmarshal(c.args, out); err != nil {
		return fmt.Errorf("decode the arguments of %s: %w", c.spec.Name, err)
	}
	return nil
}

// prepare finds the tab that the call works on and refuses what an open dialog
// forbids.
func (s *Set) prepare(ctx context.Context, c *call) error {
	if c.tab == nil || c.spec.Context {
		tab, err := s.tab(ctx, !c.spec.Context)
		if err != nil {
			return err
		}
		c.tab = tab
	}
	if c.tab == nil || c.spec.Context {
		return nil
	}
	dialog, chooser := c.tab.Dialog() != nil, c.tab.Chooser() != nil
	switch {
	case c.spec.Modal == "dialog" && !dialog, c.spec.Modal == "chooser" && !chooser:
		return toolError(fmt.Sprintf("Error: The tool %q can only be used when there is related modal state present.", c.spec.Name))
	case c.spec.Modal == "" && (dialog || chooser):
		return errModalState
	}
	return nil
}

// errModalState is answered with the Modal state section beside it.
const errModalState = toolError("modal state")

// tab is the session's current tab: where it was, or the first when it has none
// yet or its own is gone. With must, one is opened where there is none, and one
// that crashed is replaced.
func (s *Set) tab(ctx context.Context, must bool) (*browser.Tab, error) {
	b := s.kit.opts.Browser
	tabs := b.Tabs()
	s.mu.Lock()
	cur := s.current
	if cur == nil || !slices.Contains(tabs, cur) {
		cur = nil
		if len(tabs) > 0 {
			cur = tabs[0]
		}
		s.current = cur
	}
	s.mu.Unlock()
	if cur == nil && must {
		t, err := b.NewTab(ctx)
		if err != nil {
			return nil, err
		}
		s.setCurrent(t)
		return t, nil
	}
	if cur != nil && cur.IsCrashed() {
		return s.replaceCrashed(ctx, cur)
	}
	return cur, nil
}

// replaceCrashed puts a blank tab in a crashed one's place and says so.
func (s *Set) replaceCrashed(ctx context.Context, dead *browser.Tab) (*browser.Tab, error) {
	fresh, err := s.kit.opts.Browser.NewTab(ctx)
	if err != nil {
		return nil, err
	}
	if err := dead.Close(ctx); err != nil && !cdp.IsGone(err) {
		return nil, err
	}
	s.setCurrent(fresh)
	return nil, toolError("Error: Target crashed: the page at " + oneLine(dead.URL()) + " crashed. A blank tab took its place; navigate again.")
}

func (s *Set) setCurrent(t *browser.Tab) {
	s.mu.Lock()
	s.current = t
	s.mu.Unlock()
}

// escaped words the refusal of a call that led the tab off the app.
func (s *Set) escaped(mark browser.Mark, tab *browser.Tab) string {
	if tab == nil {
		return ""
	}
	var origins, settings []string
	now := s.kit.opts.Browser.Mark()
	for _, e := range s.kit.opts.Browser.EscapesSince(mark, tab) {
		if !slices.Contains(origins, e.Origin) {
			origins = append(origins, e.Origin)
		}
		if e.Setting != "" && !slices.Contains(settings, e.Setting) {
			settings = append(settings, e.Setting)
		}
	}
	if len(origins) == 0 {
		return ""
	}
	s.mu.Lock()
	s.escapes = now
	s.mu.Unlock()
	text := "A page was redirected to " + oneLine(strings.Join(origins, ", ")) + ", outside the sandbox app, and was closed. " +
		"Nothing was sent there, and the tab stays on the app."
	if len(settings) > 0 {
		text += " The host can allow an origin with " + strings.Join(settings, " or ") + "."
	}
	return text
}

// fail answers a call that came to nothing.
func (s *Set) fail(ctx context.Context, c *call, err error) *sdk.CallToolResult {
	var te toolError
	switch {
	case errors.Is(err, errModalState):
		var out sections
		out.add("Error", fmt.Sprintf("Error: Tool %q does not handle the modal state.", c.spec.Name))
		out.add("Modal state", modalLines(c.tab)...)
		return answer(out.b.String(), true, nil)
	case errors.Is(err, browser.ErrModal) && c.tab != nil:
		// The dialog that the call met is its outcome, not a failure.
		if len(modalLines(c.tab)) == 0 {
			c.say("A dialog or file chooser opened and is closed again; what follows is how the page looks now.")
		}
		return s.compose(ctx, c)
	case errors.As(err, &te):
		return failure(string(te))
	case errors.Is(err, errBusy):
		return failure(errBusy.Error() + ". " + busyHint)
	case errors.Is(err, browser.ErrCrashed):
		return failure("Error: Target crashed. The next call gets a blank tab in its place.")
	default:
		var out sections
		out.add("Error", contain(errorText(ctx, err)))
		if c.spec.Modal != "" && c.tab != nil {
			out.add("Modal state", modalLines(c.tab)...) // it still waits for an answer
		}
		return answer(out.b.String(), true, nil)
	}
}

// errorText is an error as an agent reads it: what class it is, what was meant
// to happen, what stood in the way.
func errorText(ctx context.Context, err error) string {
	text := err.Error()
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return "TimeoutError: the call ran out of its time: " + text
	}
	if strings.HasPrefix(text, "Error: ") || strings.HasPrefix(text, "TimeoutError: ") {
		return text
	}
	return "Error: " + text
}

// shows says whether the answer shows the page.
func (c *call) shows() bool {
	if c.spec.Shows && c.asked {
		return c.mode != proto.SnapshotNone
	}
	return c.show && (c.mode != proto.SnapshotNone || c.spec.Name == snapshotTool)
}
