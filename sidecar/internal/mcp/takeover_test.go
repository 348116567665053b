package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// TestTakeoverOfARunningCall has a person take control while a tool runs: one
// that has done nothing runs again when control is back, one that has is told
// that it was interrupted.
func TestTakeoverOfARunningCall(t *testing.T) {
	for _, c := range []struct {
		name   string
		begins bool // the tool has sent input
		back   bool // the person hands back in time
		runs   int
		want   []string
	}{
		{"before its input", false, true, 2, []string{"clicked"}},
		{"before its input, kept", false, false, 1, []string{"Ada is driving this browser by hand", "did not hand it back", "Nothing was done."}},
		{"after its input", true, false, 1, []string{"Ada is driving this browser by hand", "browser_click", "part of its work"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lease := takeover.New(takeover.Options{AgentWait: 300 * time.Millisecond, Grace: time.Minute})
			runs, running := 0, make(chan struct{}, 1)
			h := newHarness(t, Options{Gate: lease}, func(ctx context.Context, _ string, _ json.RawMessage) *sdk.CallToolResult {
				runs++
				if err := takeover.Enter(ctx); err != nil {
					return toolError(err.Error())
				}
				if c.begins {
					if err := takeover.Check(ctx); err != nil {
						return toolError(err.Error())
					}
				}
				if runs == 1 {
					running <- struct{}{}
					<-ctx.Done()
					return toolError(context.Cause(ctx).Error())
				}
				return textResult("clicked")
			})
			answer := h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`))
			<-running
			ada := "Ada"
			lease.Acquire(1, takeover.Person{ID: &ada, Name: &ada})
			lease.Settle(t.Context())
			if c.back {
				lease.Release(1)
			}
			a := want(t, answer)
			text, _ := a.toolText()
			for _, part := range c.want {
				if !strings.Contains(text, part) {
					t.Errorf("the answer lacks %q: %s", part, text)
				}
			}
			if held := strings.Contains(a.body, `"activeagents/takeover":{"held_by":"Ada","since":"`); held == c.back {
				t.Errorf("_meta: %v in %s", held, a.body)
			}
			if runs != c.runs {
				t.Errorf("the tool ran %d times, want %d", runs, c.runs)
			}
		})
	}
}
