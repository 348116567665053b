package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
)

// fakeTools is a toolset whose tools are functions. It keeps what it was called
// with.
type fakeTools struct {
	client ClientInfo
	tools  []*sdk.Tool
	call   func(ctx context.Context, name string, args json.RawMessage) *sdk.CallToolResult

	mu      sync.Mutex
	seen    []string // "name args" of each call
	running int
	closed  int
	late    bool // Close came while a call ran
}

func (f *fakeTools) Tools() []*sdk.Tool { return f.tools }

func (f *fakeTools) Call(ctx context.Context, name string, args json.RawMessage) *sdk.CallToolResult {
	f.mu.Lock()
	f.seen = append(f.seen, name+" "+string(args))
	f.running++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running--
		f.mu.Unlock()
	}()
	if f.call != nil {
		return f.call(ctx, name, args)
	}
	return textResult("did " + name)
}

func (f *fakeTools) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	f.late = f.late || f.running > 0
}

func (f *fakeTools) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.seen...)
}

func (f *fakeTools) closes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

func textResult(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func fakeToolList(names ...string) []*sdk.Tool {
	var tools []*sdk.Tool
	for _, n := range names {
		tools = append(tools, &sdk.Tool{Name: n, Description: "does <" + n + ">", InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	return tools
}

// toolNames are not in the order of the alphabet, and one of them is denied.
func toolNames() []string {
	return []string{"browser_snapshot", "browser_navigate", "browser_tabs", "browser_run_code_unsafe", "browser_click", "browser_type"}
}

// harness is a gateway on a real socket with one fake toolset a session.
type harness struct {
	*Gateway
	t   *testing.T
	url string

	mu   sync.Mutex
	sets []*fakeTools
}

// newHarness starts a gateway whose tools do call (nil: answer at once).
func newHarness(t *testing.T, o Options, call func(context.Context, string, json.RawMessage) *sdk.CallToolResult) *harness {
	t.Helper()
	h := &harness{t: t}
	o.Version = "1.2.3"
	o.NewToolset = func(client ClientInfo) Toolset {
		f := &fakeTools{client: client, tools: fakeToolList(toolNames()...), call: call}
		h.mu.Lock()
		h.sets = append(h.sets, f)
		h.mu.Unlock()
		return f
	}
	if o.Resolve == nil {
		o.Resolve = resolveForTest
	}
	h.Gateway = New(o)
	server := httptest.NewServer(h.Gateway)
	h.url = server.URL
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := h.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		server.CloseClientConnections()
		server.Close()
		for i, f := range h.sets {
			if f.closes() != 1 || f.late {
				t.Errorf("toolset %d: closed %d times, before its last call returned: %v", i, f.closes(), f.late)
			}
		}
	})
	return h
}

// resolveForTest knows one app.
func resolveForTest(raw string) (string, *proto.Error) {
	const app = "http://127.0.0.1:3000"
	raw = strings.TrimSpace(raw)
	if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") {
		return app + raw, nil
	}
	if raw == app || strings.HasPrefix(raw, app+"/") {
		return raw, nil
	}
	return "", &proto.Error{Code: proto.CodeOffApp, Message: `"` + raw + `" was not opened: this browser may only open pages of the sandbox app at ` + app}
}

func (h *harness) toolset(i int) *fakeTools {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sets[i]
}

// answered is one HTTP answer.
type answered struct {
	status  int
	session string
	body    string
	header  http.Header
}

// isError says whether the answer is a tool error, and gives its text.
func (a answered) toolText() (text string, isError bool) {
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	_ = json.Unmarshal([]byte(a.body), &m)
	for _, c := range m.Result.Content {
		text += c.Text
	}
	return text, m.Result.IsError
}

// do sends one request; it may be called from any goroutine.
func (h *harness) do(ctx context.Context, method, session, body string) (answered, error) {
	header := http.Header{}
	if session != "" {
		header.Set(sessionHeader, session)
	}
	return h.send(ctx, method, header, body)
}

// send is do with any headers.
func (h *harness) send(ctx context.Context, method string, header http.Header, body string) (answered, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.url, strings.NewReader(body))
	if err != nil {
		return answered{}, err
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answered{}, err
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	_, err = io.Copy(&buf, resp.Body)
	return answered{resp.StatusCode, resp.Header.Get(sessionHeader), buf.String(), resp.Header}, err
}

func (h *harness) post(session, body string) answered {
	h.t.Helper()
	a, err := h.do(context.Background(), http.MethodPost, session, body)
	if err != nil {
		h.t.Fatalf("POST %s: %v", body, err)
	}
	return a
}

// open starts a session and gives its id.
func (h *harness) open() string {
	h.t.Helper()
	a := h.post("", initializeBody)
	if a.status != http.StatusOK || a.session == "" {
		h.t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	return a.session
}

const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"agent","version":"9"}}}`

// callBody is a tools/call; args is a JSON object.
func callBody(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

// later runs a request on its own goroutine and gives where its answer will be.
func (h *harness) later(ctx context.Context, session, body string) <-chan answered {
	ch := make(chan answered, 1)
	go func() {
		a, err := h.do(ctx, http.MethodPost, session, body)
		if err != nil {
			a.body = "error: " + err.Error()
		}
		ch <- a
	}()
	return ch
}

// want waits for an answer.
func want(t *testing.T, ch <-chan answered) answered {
	t.Helper()
	select {
	case a := <-ch:
		return a
	case <-time.After(5 * time.Second):
		t.Fatal("no answer")
		return answered{}
	}
}

// blocking is a tool that tells when it runs and waits to be let go, or for the
// end of its context.
type blocking struct {
	started chan string
	release chan struct{}
	ended   chan error // the cause that ended a call
}

func newBlocking() *blocking {
	return &blocking{make(chan string, 100), make(chan struct{}), make(chan error, 100)}
}

func (b *blocking) call(ctx context.Context, name string, _ json.RawMessage) *sdk.CallToolResult {
	if name != "browser_click" {
		return textResult("did " + name)
	}
	b.started <- name
	select {
	case <-b.release:
		return textResult("clicked")
	case <-ctx.Done():
		b.ended <- context.Cause(ctx)
		return toolError("context ended")
	}
}
