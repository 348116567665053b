package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

// fakeGate is held by a person until it is released or closed.
type fakeGate struct {
	wait  time.Duration
	since time.Time

	mu       sync.Mutex
	holder   string
	free     chan struct{} // closed when nobody holds
	closed   bool
	asked    []string
	waitings chan string
}

func newFakeGate(holder string, wait time.Duration) *fakeGate {
	return &fakeGate{
		wait: wait, since: time.UnixMilli(1_800_000_000_123), holder: holder,
		free: make(chan struct{}), waitings: make(chan string, 10),
	}
}

func (g *fakeGate) Admit(ctx context.Context, tool string, args json.RawMessage) (context.Context, func() (bool, error), error) {
	return ctx, func() (bool, error) { return false, nil }, g.admit(ctx, tool, args)
}

func (g *fakeGate) admit(ctx context.Context, tool string, args json.RawMessage) error {
	g.mu.Lock()
	g.asked = append(g.asked, tool+" "+string(args))
	held := g.holder != ""
	g.mu.Unlock()
	if !held || tool == "browser_snapshot" {
		return nil
	}
	begin := time.Now()
	g.waitings <- tool
	select {
	case <-g.free:
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.closed {
			return &proto.Error{Code: proto.CodeStopping, Message: "the browser is stopping"}
		}
		return nil
	case <-time.After(g.wait):
		return &HeldError{By: &g.holder, Since: g.since, Waited: time.Since(begin)}
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *fakeGate) release(closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holder, g.closed = "", closed
	close(g.free)
}

func TestGateWaitsAndObservingToolsDoNot(t *testing.T) {
	gate := newFakeGate("Ada", 5*time.Second)
	h := newHarness(t, Options{Gate: gate}, nil)
	session := h.open()
	click := h.later(t.Context(), session, callBody("1", "browser_click", `{"target":"e1","_meta":{}}`))
	<-gate.waitings
	if text, _ := h.post(session, callBody("2", "browser_snapshot", `{}`)).toolText(); text != "did browser_snapshot" {
		t.Errorf("snapshot: %q", text)
	}
	if d := cmp.Diff([]string{`browser_snapshot {}`}, h.toolset(0).calls()); d != "" {
		t.Errorf("tools ran before the release (-want +got):\n%s", d)
	}
	gate.release(false)
	if text, isError := want(t, click).toolText(); text != "did browser_click" || isError {
		t.Errorf("click: %q", text)
	}
	if d := cmp.Diff([]string{`browser_click {"target":"e1"}`, `browser_snapshot {}`}, gate.asked); d != "" {
		t.Errorf("the gate was asked (-want +got):\n%s", d)
	}
}

func TestGateRefuses(t *testing.T) {
	gate := newFakeGate("Ada", 30*time.Millisecond)
	h := newHarness(t, Options{Gate: gate}, nil)
	session := h.open()
	a := h.post(session, callBody("1", "browser_navigate", `{"url":"/orders"}`))
	var got struct {
		Result struct {
			IsError bool
			Meta    map[string]struct {
				HeldBy   *string `json:"held_by"`
				Since    string  `json:"since"`
				WaitedMS int     `json:"waited_ms"`
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatal(err)
	}
	text, isError := a.toolText()
	const said = "### Error\nAda is driving this browser by hand and did not hand it back within 0 seconds. Nothing was done."
	if a.status != http.StatusOK || !isError || text != said {
		t.Errorf("answer %d %q", a.status, text)
	}
	meta := got.Result.Meta["activeagents/takeover"]
	if meta.HeldBy == nil || *meta.HeldBy != "Ada" || meta.Since != "2027-01-15T08:00:00.123Z" || meta.WaitedMS < 30 {
		t.Errorf("_meta %+v", meta)
	}
	if seen := h.toolset(0).calls(); len(seen) > 0 {
		t.Errorf("the tool saw %q", seen)
	}
	// An address off the app is refused at once, whoever drives.
	if text, _ := h.post(session, callBody("1", "browser_navigate", `{"url":"http://evil.test/"}`)).toolText(); !strings.Contains(text, "may only open") {
		t.Errorf("off the app: %q", text)
	}
}

func TestHeldError(t *testing.T) {
	ada := "Ada"
	for _, c := range []struct {
		err  HeldError
		want string
	}{
		{HeldError{By: &ada, Waited: 499 * time.Millisecond}, "Ada is driving this browser by hand and did not hand it back within 0 seconds. Nothing was done."},
		{HeldError{By: &ada, Waited: 500 * time.Millisecond}, "Ada is driving this browser by hand and did not hand it back within 1 seconds. Nothing was done."},
		{HeldError{Waited: 20 * time.Second}, "A person is driving this browser by hand and did not hand it back within 20 seconds. Nothing was done."},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if !errors.Is(&c.err, proto.CodeHeld) {
			t.Error("not of its code")
		}
	}
	meta := string(encode(heldMeta(&HeldError{Since: time.UnixMilli(0)})))
	if meta != `{"activeagents/takeover":{"held_by":null,"since":"1970-01-01T00:00:00.000Z","waited_ms":0}}` {
		t.Errorf("meta of nobody: %s", meta)
	}
}

func TestGateCloses(t *testing.T) {
	gate := newFakeGate("Ada", 5*time.Second)
	h := newHarness(t, Options{Gate: gate}, nil)
	click := h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`))
	<-gate.waitings
	gate.release(true)
	const stopping = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"### Error\nThe browser is stopping. Nothing was done."}],"isError":true}}`
	if a := want(t, click); a.body != stopping {
		t.Errorf("answer %s", a.body)
	}
}

// A call that is cancelled, or whose session closes, while it waits never runs.
func TestWaitingCallsEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(h *harness, session string)
		want string
	}{
		{"cancelled", func(h *harness, session string) {
			h.post(session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		}, `"error":{"code":-32800,"message":"The request was cancelled"}`},
		{"closed", func(h *harness, session string) { h.CloseSession(session) },
			`"error":{"code":-32000,"message":"The session closed"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			gate := newFakeGate("Ada", 5*time.Second)
			h := newHarness(t, Options{Gate: gate}, nil)
			session := h.open()
			click := h.later(t.Context(), session, callBody("1", "browser_click", `{}`))
			<-gate.waitings
			c.end(h, session)
			if a := want(t, click); !strings.Contains(a.body, c.want) {
				t.Errorf("answer %s", a.body)
			}
			gate.release(false)
			if seen := h.toolset(0).calls(); len(seen) > 0 {
				t.Errorf("the tool saw %q", seen)
			}
		})
	}
}

// A session with a call that waits is busy: it does not give way to another.
func TestWaitingSessionIsBusy(t *testing.T) {
	gate := newFakeGate("Ada", 5*time.Second)
	h := newHarness(t, Options{Gate: gate, Limits: Limits{Sessions: 1, Kept: 1}}, nil)
	click := h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`))
	<-gate.waitings
	if a := h.post("", initializeBody); a.status != http.StatusServiceUnavailable {
		t.Errorf("second session: %d %s", a.status, a.body)
	}
	gate.release(false)
	want(t, click)
}
