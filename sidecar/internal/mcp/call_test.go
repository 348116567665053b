package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
)

func TestArguments(t *testing.T) {
	deep := strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth)
	for _, c := range []struct{ name, tool, args, seen, refused string }{
		{"absent", "browser_click", ``, `{}`, ""},
		{"null", "browser_click", `null`, `{}`, ""},
		{"as they are", "browser_tabs", `{"action":"list"}`, `{"action":"list"}`, ""},
		{"numbers keep their text", "browser_click", `{"n":12345678901234567890.10}`, `{"n":12345678901234567890.10}`, ""},
		{"no html escapes", "browser_type", `{"text":"<&>"}`, `{"text":"<&>"}`, ""},
		{"_meta is taken out", "browser_navigate", `{"url":"/orders","_meta":{"raw":true}}`, `{"url":"http://127.0.0.1:3000/orders"}`, ""},
		{"the last of equal keys", "browser_navigate", `{"url":"http://evil.test/","url":"/a"}`, `{"url":"http://127.0.0.1:3000/a"}`, ""},
		{"keys that differ by case", "browser_navigate", `{"url":"/a","URL":"http://evil.test/","uRl":1}`, `{"url":"http://127.0.0.1:3000/a"}`, ""},
		{"new tab", "browser_tabs", `{"action":"new","url":" /a "}`, `{"action":"new","url":"http://127.0.0.1:3000/a"}`, ""},
		{"new tab without url", "browser_tabs", `{"action":"new"}`, `{"action":"new"}`, ""},
		{"a url that opens nothing", "browser_tabs", `{"action":"select","index":0,"url":"x"}`, `{"action":"select","index":0,"url":"x"}`, ""},
		{"new tab elsewhere", "browser_tabs", `{"action":"new","url":"http://10.0.0.1/"}`, "", "may only open pages of the sandbox app at "},
		{"new tab elsewhere by case", "browser_tabs", `{"action":"list","Action":"new","url":"http://10.0.0.1/"}`, `{"action":"list","url":"http://10.0.0.1/"}`, ""},
		{"elsewhere", "browser_navigate", `{"url":"http://169.254.169.254/latest"}`, "", "may only open pages of the sandbox app at "},
		{"a file", "browser_navigate", `{"url":"file:///etc/passwd"}`, "", "may only open pages of the sandbox app at "},
		{"no url", "browser_navigate", `{}`, "", `"" was not opened`},
		{"null url", "browser_navigate", `{"url":null}`, "", `"" was not opened`},
		{"a number for a url", "browser_navigate", `{"url":5}`, "", `"5" was not opened`},
		{"a pair of surrogates", "browser_type", `{"text":"\ud83d\ude00 \u00e9"}`, `{"text":"\ud83d\ude00 \u00e9"}`, ""},
		{"a lone high surrogate", "browser_type", `{"text":"\ud83d"}`, "", "half of a surrogate pair"},
		{"a lone low surrogate", "browser_type", `{"text":"\ude00\ud83d"}`, "", "half of a surrogate pair"},
		{"a high surrogate and a letter", "browser_type", `{"text":"\ud83d\u0041"}`, "", "half of a surrogate pair"},
		{"NUL", "browser_type", `{"text":"a\u0000b"}`, "", "a NUL character"},
		{"a backslash before u0000", "browser_type", `{"text":"a\\u0000b"}`, `{"text":"a\\u0000b"}`, ""},
		{"brackets in text", "browser_type", `{"text":"` + deep + deep + `"}`, `{"text":"` + deep + deep + `"}`, ""},
		{"deep", "browser_type", `{"text":` + deep + `}`, "", "nested deeper than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, Options{}, nil)
			session := h.open()
			params := `"name":"` + c.tool + `"`
			if c.args != "" {
				params += `,"arguments":` + c.args
			}
			a := h.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+params+`,"_meta":{"progressToken":1}}}`)
			text, isError := a.toolText()
			if c.refused != "" {
				if !isError || !strings.HasPrefix(text, "### Error\n") || !strings.Contains(text, c.refused) {
					t.Errorf("answer %s, want a refusal with %q", a.body, c.refused)
				}
				if seen := h.toolset(0).calls(); len(seen) > 0 {
					t.Errorf("the tool saw %q", seen)
				}
				return
			}
			if d := cmp.Diff([]string{c.tool + " " + c.seen}, h.toolset(0).calls()); d != "" || isError {
				t.Errorf("answer %s; the tool saw (-want +got):\n%s", a.body, d)
			}
		})
	}
}

// A body that is nested beyond all reason is refused before anything walks it.
func TestDeepBody(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	session := h.open()
	for _, depth := range []int{2_000, 10_000, 1_000_000} {
		a := h.post(session, callBody("1", "browser_click", `{"a":`+strings.Repeat(`[`, depth)+strings.Repeat(`]`, depth)+`}`))
		if _, isError := a.toolText(); !isError && a.status != http.StatusBadRequest {
			t.Errorf("depth %d: %d %.200s", depth, a.status, a.body)
		}
	}
	if seen := h.toolset(0).calls(); len(seen) > 0 {
		t.Errorf("the tool saw %.100q", seen)
	}
}

func TestBodyLimit(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	session := h.open()
	frame := callBody("1", "browser_type", `{"text":""}`)
	fits := callBody("1", "browser_type", `{"text":"`+strings.Repeat("x", defaultBody-len(frame))+`"}`)
	if a := h.post(session, fits); a.status != http.StatusOK {
		t.Errorf("%d bytes: %d %.100s", len(fits), a.status, a.body)
	}
	for _, size := range []int{defaultBody + 1, 5 << 20, 20 << 20} {
		a, err := h.do(t.Context(), http.MethodPost, session, strings.Repeat("x", size))
		if err != nil || a.status != http.StatusRequestEntityTooLarge || a.body != `{"error":"The body is too large"}` {
			t.Errorf("%d bytes: %d %.100s %v", size, a.status, a.body, err)
		}
	}
}

// Results are written as they are: no HTML escapes, no keys of newer revisions.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		result *sdk.CallToolResult
		want   string
	}{
		{&sdk.CallToolResult{}, `{"content":[]}`},
		{textResult("<a> & \"b\"\n\u2028 木"), `{"content":[{"type":"text","text":"<a> & \"b\"\n\u2028 木"}]}`},
		{&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{}, &sdk.ImageContent{Data: []byte{0xff, 0xd8, 0}, MIMEType: "image/jpeg"}}},
			`{"content":[{"type":"text","text":""},{"type":"image","data":"/9gA","mimeType":"image/jpeg"}]}`},
		{&sdk.CallToolResult{IsError: true, StructuredContent: []int{1}, Meta: sdk.Meta{"k": "<"}},
			`{"content":[],"structuredContent":[1],"isError":true,"_meta":{"k":"<"}}`},
		{&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "x", Meta: sdk.Meta{"a": 1}}}},
			`{"content":[{"type":"text","text":"x","_meta":{"a":1}}]}`},
		{nil, `{"content":[{"type":"text","text":"### Error\nbrowser_click gave no result."}],"isError":true}`},
	} {
		h := newHarness(t, Options{}, func(context.Context, string, json.RawMessage) *sdk.CallToolResult { return c.result })
		got := h.post(h.open(), callBody("1", "browser_click", `{}`)).body
		want := `{"jsonrpc":"2.0","id":1,"result":` + strings.ReplaceAll(c.want, "\u2028", `\u2028`) + `}`
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// Two calls of one session run side by side.
func TestCallsOfASessionOvertake(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	session := h.open()
	click := h.later(t.Context(), session, callBody("1", "browser_click", `{}`))
	<-b.started
	if text, _ := h.post(session, callBody("2", "browser_snapshot", `{}`)).toolText(); text != "did browser_snapshot" {
		t.Errorf("snapshot: %q", text)
	}
	close(b.release)
	want(t, click)
}

func TestCancelledNotification(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	session, other := h.open(), h.open()
	click := h.later(t.Context(), session, callBody(`"c1"`, "browser_click", `{}`))
	<-b.started
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c1","reason":"changed my mind"}}`
	h.post(other, cancel) // another session's id of that name is another request
	h.post(session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c2"}}`)
	h.post(session, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	select {
	case a := <-click:
		t.Fatalf("answered by somebody else's cancellation: %s", a.body)
	case cause := <-b.ended:
		t.Fatalf("ended by somebody else's cancellation: %v", cause)
	default:
	}
	if a := h.post(session, cancel); a.status != http.StatusAccepted || a.body != "" {
		t.Errorf("notification: %d %q", a.status, a.body)
	}
	const cancelled = `{"jsonrpc":"2.0","id":"c1","error":{"code":-32800,"message":"The request was cancelled"}}`
	if a := want(t, click); a.status != http.StatusOK || a.body != cancelled {
		t.Errorf("call: %d %s", a.status, a.body)
	}
	if cause := <-b.ended; cause != errCancelled {
		t.Errorf("the tool ended for %v", cause)
	}
}

// A tool that does not look at its context is not waited for.
func TestCancelIsAnsweredWithoutTheTool(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	h := newHarness(t, Options{}, func(context.Context, string, json.RawMessage) *sdk.CallToolResult {
		close(started)
		<-release
		return textResult("late")
	})
	session := h.open()
	click := h.later(t.Context(), session, callBody("1", "browser_click", `{}`))
	<-started
	h.post(session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if a := want(t, click); !strings.Contains(a.body, "was cancelled") {
		t.Errorf("call: %s", a.body)
	}
	close(release)
}

func TestDisconnectCancels(t *testing.T) {
	b := newBlocking()
	records := make(chan CallRecord, 1)
	h := newHarness(t, Options{OnCall: func(r CallRecord) { records <- r }}, b.call)
	ctx, hangUp := context.WithCancel(t.Context())
	h.later(ctx, h.open(), callBody("1", "browser_click", `{}`))
	<-b.started
	hangUp()
	if cause := <-b.ended; cause != context.Canceled {
		t.Errorf("the tool ended for %v", cause)
	}
	if r := <-records; r.Outcome != OutcomeCancelled {
		t.Errorf("outcome %q", r.Outcome)
	}
}

func TestPanics(t *testing.T) {
	var log lockedBuffer
	h := newHarness(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))},
		func(context.Context, string, json.RawMessage) *sdk.CallToolResult { panic("of the tool") })
	session := h.open()
	text, isError := h.post(session, callBody("1", "browser_click", `{"text":"hunter2"}`)).toolText()
	if !isError || !strings.HasPrefix(text, "### Error\nbrowser_click failed") || strings.Contains(text, "of the tool") {
		t.Errorf("answer %q", text)
	}
	if got := log.String(); !strings.Contains(got, "of the tool") || !strings.Contains(got, "call_test.go") || strings.Contains(got, "hunter2") {
		t.Errorf("log: %s", got)
	}
	if !h.alive(session) {
		t.Error("the session did not survive")
	}
}

// What tools fail with after the browser's end is answered with that end; what
// they still achieved is not.
func TestEndedBrowser(t *testing.T) {
	var ended error
	h := newHarness(t, Options{Ended: func() error { return ended }}, func(_ context.Context, name string, _ json.RawMessage) *sdk.CallToolResult {
		if name == "browser_click" {
			return toolError("the connection is closed (reading: EOF)")
		}
		return textResult("all is well")
	})
	session := h.open()
	for _, c := range []struct {
		ended      error
		tool, text string
	}{
		{nil, "browser_click", "### Error\nthe connection is closed (reading: EOF)"},
		{errors.New("The browser is over."), "browser_click", "### Error\nThe browser is over."},
		{errors.New("The browser is over."), "browser_snapshot", "all is well"},
	} {
		ended = c.ended
		if text, _ := h.post(session, callBody("1", c.tool, "{}")).toolText(); text != c.text {
			t.Errorf("%s after %v: %q", c.tool, c.ended, text)
		}
	}
}

// A panic of what is wired to the gateway ends neither process nor session.
func TestPanicsAroundTheTool(t *testing.T) {
	h := newHarness(t, Options{
		Gate:   gateFunc(func(tool string) { panicIf(tool == "browser_click") }),
		OnCall: func(r CallRecord) { panicIf(r.Tool == "browser_type") },
	}, nil)
	session := h.open()
	const internal = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"tools/call failed inside of the browser sidecar; its log says where"}}`
	if a := h.post(session, callBody("1", "browser_click", `{}`)); a.body != internal {
		t.Errorf("gate: %s", a.body)
	}
	if text, isError := h.post(session, callBody("1", "browser_type", `{}`)).toolText(); text != "did browser_type" || isError {
		t.Errorf("record: %q", text)
	}
}

type gateFunc func(tool string)

func (f gateFunc) Admit(ctx context.Context, tool string, _ json.RawMessage) (context.Context, func() (bool, error), error) {
	f(tool)
	return ctx, func() (bool, error) { return false, nil }, nil
}

func panicIf(yes bool) {
	if yes {
		panic("of the wiring")
	}
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestOnCall(t *testing.T) {
	clock := newClock()
	var mu sync.Mutex
	var records []CallRecord
	var announced []string
	h := newHarness(t, Options{
		Now: clock.now,
		BeforeCall: func(tool string, _ json.RawMessage) {
			mu.Lock()
			defer mu.Unlock()
			announced = append(announced, tool)
		},
		OnCall: func(r CallRecord) {
			mu.Lock()
			defer mu.Unlock()
			r.Duration = 0
			records = append(records, r)
		},
	}, func(_ context.Context, name string, _ json.RawMessage) *sdk.CallToolResult {
		switch name {
		case "browser_click":
			return toolError("no such element")
		case "browser_type":
			panic("typing")
		}
		return textResult("ok")
	})
	session := h.open()
	h.post(session, callBody("1", "browser_navigate", `{"url":"/orders"}`))
	h.post(session, callBody("1", "browser_navigate", `{"url":"http://evil.test/"}`))
	h.post(session, callBody("1", "browser_run_code_unsafe", `{}`))
	h.post(session, callBody("1", "browser_nope", `{}`))
	h.post(session, callBody("1", "browser_click", `{"target":"e1"}`))
	h.post(session, callBody("1", "browser_type", `{}`))
	record := func(tool, args string, outcome Outcome) CallRecord {
		return CallRecord{Session: session, Client: ClientInfo{"agent", "9"}, Tool: tool, Args: json.RawMessage(args), Start: clock.now(), Outcome: outcome}
	}
	if d := cmp.Diff([]CallRecord{
		record("browser_navigate", `{"url":"http://127.0.0.1:3000/orders"}`, OutcomeOK),
		record("browser_click", `{"target":"e1"}`, OutcomeError),
		record("browser_type", `{}`, OutcomePanic),
	}, records); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"browser_navigate", "browser_click", "browser_type"}, announced); d != "" {
		t.Errorf("announced (-want +got):\n%s", d)
	}
}

// What a tool says of an escape is what the client gets, for that call alone.
func TestToolsOwnRefusal(t *testing.T) {
	const guard = "A page was redirected to http://sso.test, outside the sandbox app, and was closed"
	n := 0
	h := newHarness(t, Options{}, func(context.Context, string, json.RawMessage) *sdk.CallToolResult {
		if n++; n == 2 {
			return toolError(guard)
		}
		return textResult("fine")
	})
	session := h.open()
	for i, expected := range []string{"fine", "### Error\n" + guard, "fine"} {
		if text, isError := h.post(session, callBody("1", "browser_click", `{}`)).toolText(); text != expected || isError != (i == 1) {
			t.Errorf("call %d: %q %v", i, text, isError)
		}
	}
}

func TestNoResolve(t *testing.T) {
	g := New(Options{})
	args, bad := g.arguments("browser_navigate", json.RawMessage(`{"url":"x"}`))
	if string(args) != `{"url":"x"}` || bad != nil {
		t.Errorf("%s %v", args, bad)
	}
	refuse := New(Options{Resolve: func(string) (string, *proto.Error) {
		return "", &proto.Error{Code: proto.CodeOffApp, Message: "no", Hint: "ask"}
	}})
	if _, bad := refuse.arguments("browser_navigate", json.RawMessage(`{"url":"x"}`)); bad == nil || bad.text != "no. ask" {
		t.Errorf("%+v", bad)
	}
}
