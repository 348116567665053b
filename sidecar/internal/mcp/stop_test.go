package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestStopAnswersWaitingCallsFirst(t *testing.T) {
	gate := newFakeGate("Ada", 5*time.Second)
	h := newHarness(t, Options{Gate: gate, Limits: Limits{StopGrace: time.Minute}}, nil)
	session := h.open()
	click := h.later(t.Context(), session, callBody("1", "browser_click", `{}`))
	<-gate.waitings
	if err := h.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	const stopping = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"### Error\nThe browser is stopping. Nothing was done."}],"isError":true}}`
	if a := want(t, click); a.status != http.StatusOK || a.body != stopping {
		t.Errorf("waiting call: %d %s", a.status, a.body)
	}
	if seen := h.toolset(0).calls(); len(seen) > 0 || h.toolset(0).closes() != 1 {
		t.Errorf("the tool saw %q, closed %d times", seen, h.toolset(0).closes())
	}
	for _, c := range []struct {
		session, body string
		status        int
		answer        string
	}{
		{session, callBody("1", "browser_click", `{}`), 200, stopping},
		{"", initializeBody, 503, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The browser is stopping"}}`},
		{session, pingBody, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"The session closed"}}`},
		{session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{session, `rubbish`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The body is not JSON"}}`},
	} {
		if a := h.post(c.session, c.body); a.status != c.status || a.body != c.answer {
			t.Errorf("after the stop, %s: %d %s", c.body, a.status, a.body)
		}
	}
	if h.CloseSession(session) {
		t.Error("closed again")
	}
}

func TestStopLetsRunningCallsFinish(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{Limits: Limits{StopGrace: time.Minute}}, b.call)
	click := h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`))
	<-b.started
	stopped := make(chan error, 1)
	go func() { stopped <- h.Stop(context.Background()) }()
	waitFor(t, "stopping", func() bool {
		a, _ := h.do(t.Context(), "DELETE", "x", "")
		return a.status == 404 && !h.table.enterForTest()
	})
	close(b.release)
	if text, isError := want(t, click).toolText(); text != "clicked" || isError {
		t.Errorf("running call: %q", text)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// enterForTest says whether requests still get in, without staying in.
func (t *table) enterForTest() bool {
	if !t.enter() {
		return false
	}
	t.leave()
	return true
}

func TestStopInterrupts(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{Limits: Limits{StopGrace: time.Millisecond}}, b.call)
	click := h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`))
	<-b.started
	if err := h.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	text, isError := want(t, click).toolText()
	if !isError || !strings.Contains(text, "The browser is stopping. browser_click was interrupted") || strings.Contains(text, "Nothing was done") {
		t.Errorf("running call: %q", text)
	}
	if cause := <-b.ended; cause != errInterrupted {
		t.Errorf("the tool ended for %v", cause)
	}
}

func TestStopDoesNotWaitForStubbornTools(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	h := newHarness(t, Options{Limits: Limits{StopGrace: time.Millisecond}},
		func(context.Context, string, json.RawMessage) *sdk.CallToolResult {
			close(started)
			<-release
			return textResult("late")
		})
	click := h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`))
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := h.Stop(ctx); err != context.DeadlineExceeded {
		t.Errorf("stop: %v", err)
	}
	if text, _ := want(t, click).toolText(); !strings.Contains(text, "was interrupted") {
		t.Errorf("running call: %q", text)
	}
	if h.toolset(0).closes() != 0 {
		t.Error("the toolset closed under its call")
	}
	close(release)
	waitFor(t, "toolset closed", func() bool { return h.toolset(0).closes() == 1 })
	h.stopErr = nil // the harness stops again, and asks
}

// The times of production, on a clock of the test's own.
func TestDeadlines(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		method string
		tool   func(ctx context.Context) *sdk.CallToolResult
		after  time.Duration
		want   string
	}{
		{"the tool's own words", Limits{}, "tools/call", func(ctx context.Context) *sdk.CallToolResult {
			<-ctx.Done()
			time.Sleep(time.Second)
			return toolError("waited for the page to load")
		}, 56 * time.Second, `{"content":[{"type":"text","text":"### Error\nwaited for the page to load"}],"isError":true}`},
		{"a tool that does not look", Limits{}, "tools/call", func(context.Context) *sdk.CallToolResult {
			time.Sleep(10 * time.Minute)
			return textResult("late")
		}, 57 * time.Second, "browser_click was still unfinished after 55s and was given up"},
		{"a tool in time", Limits{}, "tools/call", func(context.Context) *sdk.CallToolResult {
			time.Sleep(54 * time.Second)
			return textResult("in time")
		}, 54 * time.Second, `"text":"in time"`},
		{"the dialect's own limit", Limits{Call: time.Hour}, "tools/call", func(context.Context) *sdk.CallToolResult {
			time.Sleep(10 * time.Minute)
			return textResult("late")
		}, 120 * time.Second, `"error":{"code":-32001,"message":"The request timed out"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := New(Options{Limits: c.limits, NewToolset: func(ClientInfo) Toolset {
					return &fakeTools{tools: fakeToolList("browser_click"), call: func(ctx context.Context, _ string, _ json.RawMessage) *sdk.CallToolResult {
						return c.tool(ctx)
					}}
				}})
				session := g.answer(t.Context(), nil, []byte(initializeBody), nil).session
				begin := time.Now()
				a := g.answer(t.Context(), http.Header{sessionHeader: {session}}, []byte(callBody("1", "browser_click", `{}`)), nil)
				if took := time.Since(begin); took != c.after || !strings.Contains(string(a.body), c.want) {
					t.Errorf("after %v: %s", took, a.body)
				}
				if err := g.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// The wait at the gate is a part of the call's time.
func TestDeadlineAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := newFakeGate("Ada", time.Hour)
		g := New(Options{Gate: gate, NewToolset: func(ClientInfo) Toolset {
			return &fakeTools{tools: fakeToolList("browser_click")}
		}})
		session := g.answer(t.Context(), nil, []byte(initializeBody), nil).session
		begin := time.Now()
		a := g.answer(t.Context(), http.Header{sessionHeader: {session}}, []byte(callBody("1", "browser_click", `{}`)), nil)
		if took := time.Since(begin); took != defaultCall || !strings.Contains(string(a.body), "browser_click could not begin within 55s") {
			t.Errorf("after %v: %s", took, a.body)
		}
		if err := g.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
