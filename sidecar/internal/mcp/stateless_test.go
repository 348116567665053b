package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// statelessBody is a request of the newest revision from a client of this name.
func statelessBody(id, client, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{"progressToken":"p1",%q:"2026-07-28",%q:{},%q:{"name":%q,"version":"1"}}}}`,
		id, method, params, sdk.MetaKeyProtocolVersion, sdk.MetaKeyClientCapabilities, sdk.MetaKeyClientInfo, client)
}

func statelessHeader(method, tool string) http.Header {
	h := http.Header{}
	h.Set(versionHeader, "2026-07-28")
	h.Set(methodHeader, method)
	if tool != "" {
		h.Set(nameHeader, tool)
	}
	return h
}

// callStateless calls a tool without arguments and without a session.
func (h *harness) callStateless(ctx context.Context, id, client, tool string) <-chan answered {
	ch := make(chan answered, 1)
	go func() {
		a, err := h.send(ctx, http.MethodPost, statelessHeader(methodCallTool, tool),
			statelessBody(id, client, methodCallTool, fmt.Sprintf(`"name":%q,"arguments":{}`, tool)))
		if err != nil {
			a.body = "error: " + err.Error()
		}
		ch <- a
	}()
	return ch
}

// Each kind of agent has a toolset of its own, which its requests share; nobody
// reaches it as a session, and two agents of a kind may use the same ids.
func TestStatelessAgents(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	first := h.callStateless(t.Context(), "1", "a", "browser_click")
	second := h.callStateless(t.Context(), "1", "a", "browser_click")
	<-b.started
	<-b.started
	third := h.callStateless(t.Context(), "1", "b", "browser_click")
	<-b.started
	close(b.release)
	for _, ch := range []<-chan answered{first, second, third} {
		if text, failed := want(t, ch).toolText(); failed || text != "clicked" {
			t.Errorf("answer %q", text)
		}
	}
	if a, b := h.toolset(0).client.Name, h.toolset(1).client.Name; len(h.sets) != 2 || a != "a" || b != "b" {
		t.Errorf("%d toolsets, of %q and %q", len(h.sets), a, b)
	}
	for id := range h.table.sessions {
		if h.table.find(id) != nil || h.CloseSession(id) {
			t.Errorf("session %s is there for all", id)
		}
	}
}

// A session that was closed to make room comes back with the next request.
func TestStatelessAgentsMakeRoom(t *testing.T) {
	h := newHarness(t, Options{Limits: Limits{Sessions: 2, Kept: 2}}, nil)
	for _, client := range []string{"a", "b", "c", "a"} {
		a := want(t, h.callStateless(t.Context(), "1", client, "browser_type"))
		if text, failed := a.toolText(); failed || text != "did browser_type" {
			t.Fatalf("%s: %s", client, a.body)
		}
	}
	if len(h.sets) != 4 || len(h.table.agents) != 2 || len(h.table.sessions) != 2 {
		t.Errorf("%d toolsets, %d agents, %d sessions", len(h.sets), len(h.table.agents), len(h.table.sessions))
	}
}

func TestStatelessCancellation(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)

	// By closing the connection.
	ctx, hangUp := context.WithCancel(t.Context())
	h.callStateless(ctx, "1", "a", "browser_click")
	<-b.started
	hangUp()
	if cause := <-b.ended; cause != context.Canceled {
		t.Errorf("the tool ended for %v", cause)
	}

	// By a notification, where it can mean one request only.
	cancel := func(id string) {
		t.Helper()
		a, err := h.send(t.Context(), http.MethodPost, statelessHeader(methodCancelled, ""),
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`)
		if err != nil || a.status != http.StatusAccepted || a.body != "" {
			t.Errorf("cancel: %v %d %s", err, a.status, a.body)
		}
	}
	seven := h.callStateless(t.Context(), "7", "a", "browser_click")
	eight := h.callStateless(t.Context(), "8", "a", "browser_click")
	other := h.callStateless(t.Context(), "8", "b", "browser_click")
	for range 3 {
		<-b.started
	}
	cancel("8")
	cancel("9")
	cancel("7.0")
	if a := want(t, seven); !strings.Contains(a.body, `"code":-32800`) {
		t.Errorf("cancelled: %s", a.body)
	}
	if cause := <-b.ended; cause != errCancelled {
		t.Errorf("the tool ended for %v", cause)
	}
	close(b.release)
	for _, ch := range []<-chan answered{eight, other} {
		if text, _ := want(t, ch).toolText(); text != "clicked" {
			t.Errorf("answer %q", text)
		}
	}
}

func TestStatelessWhileStopping(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{Limits: Limits{StopGrace: time.Millisecond}}, b.call)
	running := h.callStateless(t.Context(), "1", "a", "browser_click")
	<-b.started
	if err := h.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, failed := want(t, running).toolText(); !failed || !strings.Contains(text, "was interrupted") {
		t.Errorf("running: %q", text)
	}
	late := want(t, h.callStateless(t.Context(), "2", "a", "browser_click"))
	if text, failed := late.toolText(); !failed || !strings.Contains(text, textStopping) || !strings.Contains(late.body, `"resultType":"complete"`) {
		t.Errorf("late: %s", late.body)
	}
}

// events reads an event stream to its end.
func events(t *testing.T, a answered) (messages []json.RawMessage) {
	t.Helper()
	if got := a.header.Get("Content-Type"); got != eventStream {
		t.Fatalf("content type %q: %s", got, a.body)
	}
	lines := bufio.NewScanner(strings.NewReader(a.body))
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			messages = append(messages, json.RawMessage(data))
		}
	}
	return messages
}

// A long call is told of as an event stream, to those who asked for it, can read
// it and are of a revision that has it. All others wait for one JSON answer.
func TestProgress(t *testing.T) {
	const both = "application/json, text/event-stream"
	for _, c := range []struct {
		name, version, accept, token string
		stream                       bool
	}{
		{"asked", "2025-11-25", both, `"t\n1"`, true},
		{"a number", "2025-11-25", "text/event-stream;q=0.5,application/json", `7`, true},
		{"stateless", "2026-07-28", both, `"p1"`, true},
		{"no token", "2025-11-25", both, ``, false},
		{"no such token", "2025-11-25", both, `{"a":1}`, false},
		{"JSON only", "2025-11-25", "application/json", `1`, false},
		{"anything", "2025-11-25", "*/*", `1`, false},
		{"stateless, JSON only", "2026-07-28", "application/json", `"p1"`, false},
		{"older revision", "2025-06-18", both, `1`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBlocking()
			h := newHarness(t, Options{Limits: Limits{Progress: 20 * time.Millisecond}}, b.call)
			header := statelessHeader(methodCallTool, "browser_click")
			body := statelessBody(`"c"`, "a", methodCallTool, `"name":"browser_click","arguments":{}`)
			if c.version < firstStateless {
				opened := h.post("", strings.Replace(initializeBody, "2025-03-26", c.version, 1))
				header = http.Header{sessionHeader: {opened.session}, versionHeader: {c.version}}
				body = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"browser_click","arguments":{}}}`
				if c.token != "" {
					body = strings.Replace(body, `"arguments"`, `"_meta":{"progressToken":`+c.token+`},"arguments"`, 1)
				}
			}
			header.Set("Accept", c.accept)
			done := make(chan answered, 1)
			go func() {
				a, _ := h.send(t.Context(), http.MethodPost, header, body)
				done <- a
			}()
			<-b.started
			time.AfterFunc(90*time.Millisecond, func() { close(b.release) })
			a := want(t, done)
			if !c.stream {
				if text, failed := a.toolText(); failed || text != "clicked" || a.header.Get("Content-Type") != "application/json" {
					t.Errorf("%v: %s", a.header, a.body)
				}
				return
			}
			messages := events(t, a)
			if len(messages) < 2 {
				t.Fatalf("%d messages", len(messages))
			}
			last := -1.0
			for _, m := range messages[:len(messages)-1] {
				var told struct {
					Method string
					ID     any
					Params struct {
						ProgressToken json.RawMessage
						Progress      float64
						Message       string
					}
				}
				if err := json.Unmarshal(m, &told); err != nil {
					t.Fatal(err)
				}
				if told.Method != "notifications/progress" || told.ID != nil || string(told.Params.ProgressToken) != c.token ||
					told.Params.Progress <= last || !strings.HasPrefix(told.Params.Message, "browser_click has been running for ") {
					t.Errorf("told %s", m)
				}
				last = told.Params.Progress
			}
			a.body = string(messages[len(messages)-1])
			if text, failed := a.toolText(); failed || text != "clicked" {
				t.Errorf("answer %s", a.body)
			}
		})
	}
}

// Who waits for a person is told so.
func TestProgressAtTheGate(t *testing.T) {
	gate := &slowGate{open: make(chan struct{})}
	h := newHarness(t, Options{Gate: gate, Limits: Limits{Progress: 10 * time.Millisecond}}, nil)
	header := statelessHeader(methodCallTool, "browser_type")
	header.Set("Accept", eventStream)
	time.AfterFunc(50*time.Millisecond, func() { close(gate.open) })
	a, err := h.send(t.Context(), http.MethodPost, header, statelessBody("1", "a", methodCallTool, `"name":"browser_type"`))
	if err != nil {
		t.Fatal(err)
	}
	messages := events(t, a)
	if len(messages) < 2 || !strings.Contains(string(messages[0]), "a person is driving this browser") {
		t.Errorf("told %s", messages)
	}
}

// slowGate lets nobody in until it is open.
type slowGate struct{ open chan struct{} }

func (g *slowGate) Admit(ctx context.Context, _ string, _ json.RawMessage) (context.Context, func() (bool, error), error) {
	select {
	case <-g.open:
	case <-ctx.Done():
	}
	return ctx, func() (bool, error) { return false, nil }, ctx.Err()
}

// Closing the stream cancels as closing a connection does.
func TestClosingTheStreamCancels(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{Limits: Limits{Progress: 5 * time.Millisecond}}, b.call)
	header := statelessHeader(methodCallTool, "browser_click")
	header.Set("Accept", eventStream)
	req, err := http.NewRequest(http.MethodPost, h.url, strings.NewReader(statelessBody("1", "a", methodCallTool, `"name":"browser_click"`)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req) // returns with the first event
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resp.Body.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	select {
	case <-b.ended:
	case <-time.After(5 * time.Second):
		t.Error("the tool goes on")
	}
}

func TestHeaderText(t *testing.T) {
	for in, want := range map[string]string{
		"browser_click": "browser_click", "": "", "=?base64?0LA=?=": "а", "=?base64?%?=": "=?base64?%?=", "=?base64?": "=?base64?",
	} {
		if got := headerText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
