package apptest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// callLimit is longer than the two minutes after which the gateway itself
// gives a call up, so that its answer and not this limit is what a test sees.
const callLimit = 130 * time.Second

// Args are a tool's arguments.
type Args = map[string]any

// MCPClient speaks plain JSON-RPC over POST, one answer a request, the way
// simple agents do. It fails its test on anything that is not an answer.
// Calls may run side by side.
type MCPClient struct {
	URL     string
	Token   string
	Session string // set by Initialize

	t    testing.TB
	http *http.Client
	ids  atomic.Int64
}

// NewMCP returns a client of the gateway at url that sends token.
func NewMCP(t testing.TB, url, token string) *MCPClient {
	// No kept connections: each would hold two goroutines beyond the test.
	return &MCPClient{URL: url, Token: token, t: t, http: &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, Proxy: nil},
		Timeout:   callLimit,
	}}
}

// Answer is what one POST gave.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// RPCError is the error of a JSON-RPC answer.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Tool is one entry of tools/list.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		Title        string `json:"title"`
		ReadOnlyHint bool   `json:"readOnlyHint"`
	} `json:"annotations"`
}

// Image is one picture of a result.
type Image struct {
	MIMEType string
	Data     []byte
}

// Result is what a tool answered.
type Result struct {
	Text    string // of all text blocks, joined by newlines
	IsError bool
	Images  []Image
	Meta    map[string]json.RawMessage
}

// Post sends a body as it is, with the token and the session, and returns
// whatever comes back. header may replace or, with an empty value, remove.
func (c *MCPClient) Post(body string, header map[string]string) Answer {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodPost, c.URL, strings.NewReader(body))
	if err != nil {
		c.t.Fatalf("make request: %v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	return c.do(req, header)
}

func (c *MCPClient) do(req *http.Request, header map[string]string) Answer {
	c.t.Helper()
	req.Header.Set("Authorization", "Bearer "+c.Token)
	if c.Session != "" {
		req.Header.Set("Mcp-Session-Id", c.Session)
	}
	for k, v := range header {
		req.Header.Del(k)
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", req.Method, c.URL, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("read answer of %s: %v", c.URL, err)
	}
	return Answer{resp.StatusCode, resp.Header, b}
}

// Request sends one JSON-RPC request and decodes its result into out (nil to
// leave it). It returns the error of the answer, nil when there is none.
func (c *MCPClient) Request(method string, params, out any) *RPCError {
	c.t.Helper()
	_, rpcErr := c.request(method, params, out)
	return rpcErr
}

func (c *MCPClient) request(method string, params, out any) (Answer, *RPCError) {
	c.t.Helper()
	id := c.ids.Add(1)
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		c.t.Fatalf("encode %s: %v", method, err)
	}
	a := c.Post(body.String(), nil)
	var answer struct {
		ID     any             `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *RPCError       `json:"error"`
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		c.t.Fatalf("%s: status %d, no JSON-RPC: %v: %s", method, a.Status, err, a.Body)
	}
	if answer.Error == nil && answer.ID != float64(id) {
		c.t.Fatalf("%s: asked with id %d, answered with %v", method, id, answer.ID)
	}
	if answer.Error == nil && out != nil {
		if err := json.Unmarshal(answer.Result, out); err != nil {
			c.t.Fatalf("%s: result: %v: %s", method, err, answer.Result)
		}
	}
	return a, answer.Error
}

// Notify sends a notification.
func (c *MCPClient) Notify(method string, params any) {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		c.t.Fatalf("encode %s: %v", method, err)
	}
	if a := c.Post(string(body), nil); a.Status != http.StatusAccepted {
		c.t.Fatalf("%s: status %d: %s", method, a.Status, a.Body)
	}
}

// Initialize opens a session.
func (c *MCPClient) Initialize() {
	c.t.Helper()
	c.Session = ""
	a, rpcErr := c.request("initialize", map[string]any{
		"protocolVersion": "2025-03-26", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "apptest", "version": "1"},
	}, nil)
	if rpcErr != nil {
		c.t.Fatalf("initialize: %d %s", rpcErr.Code, rpcErr.Message)
	}
	c.Session = a.Header.Get("Mcp-Session-Id")
	if c.Session == "" {
		c.t.Fatal("initialize: no session id")
	}
	c.Notify("notifications/initialized", nil)
}

// List returns the tools.
func (c *MCPClient) List() []Tool {
	c.t.Helper()
	var out struct {
		Tools []Tool `json:"tools"`
	}
	if rpcErr := c.Request("tools/list", nil, &out); rpcErr != nil {
		c.t.Fatalf("tools/list: %d %s", rpcErr.Code, rpcErr.Message)
	}
	return out.Tools
}

// Call runs a tool. A JSON-RPC error fails the test; a tool's own error is in
// the result.
func (c *MCPClient) Call(tool string, args Args) Result {
	c.t.Helper()
	if args == nil {
		args = Args{}
	}
	var out struct {
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Data     string `json:"data"`
			MIMEType string `json:"mimeType"`
		} `json:"content"`
		IsError bool                       `json:"isError"`
		Meta    map[string]json.RawMessage `json:"_meta"`
	}
	if rpcErr := c.Request("tools/call", map[string]any{"name": tool, "arguments": args}, &out); rpcErr != nil {
		c.t.Fatalf("%s: %d %s", tool, rpcErr.Code, rpcErr.Message)
	}
	r := Result{IsError: out.IsError, Meta: out.Meta}
	var text []string
	for _, block := range out.Content {
		switch block.Type {
		case "text":
			text = append(text, block.Text)
		case "image":
			data, err := base64.StdEncoding.DecodeString(block.Data)
			if err != nil {
				c.t.Fatalf("%s: picture: %v", tool, err)
			}
			r.Images = append(r.Images, Image{block.MIMEType, data})
		}
	}
	r.Text = strings.Join(text, "\n")
	return r
}

// Must runs a tool and fails the test when it answers with an error. It
// returns the text.
func (c *MCPClient) Must(tool string, args Args) string {
	c.t.Helper()
	r := c.Call(tool, args)
	if r.IsError {
		c.t.Fatalf("%s %v: %s", tool, args, r.Text)
	}
	return r.Text
}

// Ref finds the element of a snapshot in a result's text by what its line
// starts with after the dash, e.g. `textbox "Password"`, and returns its ref.
func (c *MCPClient) Ref(text, element string) string {
	c.t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, " ")
		if rest, ok := strings.CutPrefix(line, "- "+element); ok {
			if _, after, ok := strings.Cut(rest, "[ref="); ok {
				ref, _, _ := strings.Cut(after, "]")
				return ref
			}
		}
	}
	c.t.Fatalf("no %s in the snapshot:\n%s", element, text)
	return ""
}

// Close ends the session.
func (c *MCPClient) Close() Answer {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodDelete, c.URL, nil)
	if err != nil {
		c.t.Fatalf("make request: %v", err)
	}
	return c.do(req, nil)
}
