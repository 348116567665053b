package httpd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/sidecar/internal/mcp"
)

// tools is a toolset of one tool that waits for the end of its context.
type tools struct{ began chan struct{} }

func (tools) Tools() []*sdk.Tool {
	return []*sdk.Tool{{Name: "browser_click", InputSchema: json.RawMessage(`{"type":"object"}`)}}
}

func (s tools) Call(ctx context.Context, _ string, _ json.RawMessage) *sdk.CallToolResult {
	s.began <- struct{}{}
	<-ctx.Done()
	return &sdk.CallToolResult{}
}

func (tools) Close() {}

// bearer adds the token to each request.
type bearer struct{ http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testToken)
	return b.RoundTripper.RoundTrip(r)
}

// Listener and gateway together: an official client works through the guard, hears
// of its call while that runs, and a stop answers it before the connections are cut.
func TestGatewayBehindTheListener(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { testGatewayBehindTheListener(t, version) })
	}
}

func testGatewayBehindTheListener(t *testing.T, version string) {
	set := tools{began: make(chan struct{}, 1)}
	gateway := mcp.New(mcp.Options{
		NewToolset: func(mcp.ClientInfo) mcp.Toolset { return set },
		Limits:     mcp.Limits{StopGrace: 10 * time.Millisecond, Progress: 10 * time.Millisecond},
	})
	h := newHarness(t, Options{MCP: gateway})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	progress := make(chan string, 1)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "official", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			select {
			case progress <- fmt.Sprint(r.Params.ProgressToken, " ", r.Params.Message):
			default:
			}
		},
	}).Connect(t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint:   "http://" + h.host() + "/mcp",
			HTTPClient: &http.Client{Transport: bearer{transport}},
			MaxRetries: -1, DisableStandaloneSSE: true,
		}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 {
		t.Fatalf("tools: %+v %v", list, err)
	}
	type answer struct {
		result *sdk.CallToolResult
		err    error
	}
	running := make(chan answer, 1)
	go func() {
		params := &sdk.CallToolParams{Name: "browser_click"}
		params.SetProgressToken("mine")
		result, err := session.CallTool(context.Background(), params)
		running <- answer{result, err}
	}()
	<-set.began
	if got := <-progress; !strings.HasPrefix(got, "mine browser_click has been running for ") {
		t.Errorf("progress %q", got)
	}
	if err := h.Stop(t.Context()); err != nil {
		t.Errorf("stop: %v", err)
	}
	a := <-running
	if a.err != nil || !a.result.IsError || !strings.Contains(a.result.Content[0].(*sdk.TextContent).Text, "The browser is stopping.") {
		t.Errorf("running call: %+v %v", a.result, a.err)
	}
	_ = session.Close() // its server is gone
}

func TestGatewayRoute(t *testing.T) {
	gateway := mcp.New(mcp.Options{NewToolset: func(mcp.ClientInfo) mcp.Toolset { return tools{} }})
	h := newHarness(t, Options{MCP: gateway})
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
	request := func(method, session, body string) *http.Response {
		r, err := http.NewRequest(method, "http://"+h.host()+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Mcp-Session-Id", session)
		client := &http.Client{Transport: bearer{&http.Transport{DisableKeepAlives: true}}}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	session := request("POST", "", initialize).Header.Get("Mcp-Session-Id")
	for _, c := range []struct {
		method, session, body string
		status                int
		answer                string
	}{
		{"POST", session, `not json`, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The body is not JSON"}}`},
		{"POST", session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"POST", session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ``},
		{"GET", session, ``, 405, `{"error":"POST JSON-RPC here"}`},
		{"HEAD", session, ``, 405, ``},
		{"OPTIONS", session, ``, 405, `{"error":"POST JSON-RPC here"}`},
		{"PUT", session, ``, 405, `{"error":"POST JSON-RPC here"}`},
		{"DELETE", session, ``, 200, `{"closed":true}`},
		{"DELETE", session, ``, 404, `{"error":"Session not found"}`},
		{"DELETE", "", ``, 404, `{"error":"Session not found"}`},
	} {
		resp := request(c.method, c.session, c.body)
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != c.status || string(body) != c.answer {
			t.Errorf("%s %s: %d %s %v", c.method, c.body, resp.StatusCode, body, err)
		}
		allow := ""
		if c.status == http.StatusMethodNotAllowed {
			allow = "POST, DELETE"
		}
		if got := resp.Header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow %q", c.method, got)
		}
	}
}

// A body that is too large is answered, though the client is still sending it.
func TestBodyTooLarge(t *testing.T) {
	gateway := mcp.New(mcp.Options{NewToolset: func(mcp.ClientInfo) mcp.Toolset { return tools{} }})
	h := newHarness(t, Options{MCP: gateway})
	for _, c := range []struct {
		name, head string
		body       func() io.Reader
	}{
		{"announced", "Content-Length: 5242880\n", func() io.Reader { return strings.NewReader(strings.Repeat("x", 5<<20)) }},
		{"64 MB", "Content-Length: 67108864\n", func() io.Reader { return io.LimitReader(zeros{}, 64<<20) }},
		{"in chunks", "Transfer-Encoding: chunked\n", func() io.Reader {
			return strings.NewReader("500000\r\n" + strings.Repeat("x", 5<<20) + "\r\n0\r\n\r\n")
		}},
		{"held back until asked for", "Content-Length: 5242880\nExpect: 100-continue\n", func() io.Reader { return strings.NewReader("") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := h.dial()
			if _, err := io.WriteString(conn, h.fill("POST /mcp HTTP/1.1\n"+hostLine+"\n"+tokenLine+"\n"+c.head+"\n")); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(conn, c.body()); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 413 ") || !strings.HasSuffix(string(answer), "\r\n\r\n"+`{"error":"The body is too large"}`) {
				t.Errorf("answer %q %v", answer, err)
			}
		})
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
