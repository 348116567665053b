package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Whatever a body is, it has one answer of the dialect, in JSON, and no tool
// sees arguments that it was promised not to see.
func FuzzMCPBody(f *testing.F) {
	for _, seed := range []string{
		``, `{`, `[]`, `null`, `"x"`, `{"jsonrpc":"2.0"}`,
		initializeBody, pingBody,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":[],"clientInfo":"x"}}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"tools/list","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_click","_meta":7}}`,
		callBody(`"a"`, "browser_navigate", `{"url":"/a","URL":"//evil","_meta":{}}`),
		callBody("1", "browser_tabs", `{"action":"new","url":"http://10.0.0.1"}`),
		callBody("1", "browser_click", `{"t":"\ud83d\ude00 \ud83d \u0000 \\u0000"}`),
		callBody("1", "browser_run_code_unsafe", `{}`),
		callBody("1", "x\xff", `{"\xff":1}`),
		statelessBody("1", "a", "tools/list", ""),
		statelessBody(`"x"`, "a", "server/discover", ""),
		statelessBody("2", "b", "tools/call", `"name":"browser_navigate","arguments":{"url":"/a","URL":"//evil","_meta":{}}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		tools := &fakeTools{tools: fakeToolList(toolNames()...)}
		tools.call = func(_ context.Context, name string, args json.RawMessage) *sdk.CallToolResult {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(args, &fields); err != nil || fields == nil {
				t.Errorf("%s got arguments that are no object: %q", name, args)
			}
			if fields["_meta"] != nil || !utf8.Valid(args) || checkText(args) != nil || denied(name) {
				t.Errorf("%s got %q", name, args)
			}
			return textResult("ok")
		}
		g := New(Options{Resolve: resolveForTest, NewToolset: func(ClientInfo) Toolset { return tools }})
		defer func() {
			if err := g.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		session := g.answer(t.Context(), nil, []byte(initializeBody), nil).session
		m, _ := parseMessage(body)
		var tool string
		readString(object(m.params)["name"], &tool)
		for _, header := range []http.Header{
			{sessionHeader: {session}}, nil, {sessionHeader: {"no such session"}},
			{versionHeader: {firstStateless}, methodHeader: {m.method}, nameHeader: {tool}},
		} {
			checkReply(t, g.answer(t.Context(), header, body, nil), body)
		}
	})
}

func checkReply(t *testing.T, a reply, body []byte) {
	t.Helper()
	switch a.status {
	case http.StatusAccepted:
		if a.body != nil {
			t.Errorf("202 with body %q", a.body)
		}
		return
	case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusServiceUnavailable:
	default:
		t.Fatalf("status %d", a.status)
	}
	var m struct {
		JSONRPC string
		ID      json.RawMessage
		Result  json.RawMessage
		Error   *rpcError
	}
	if err := json.Unmarshal(a.body, &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
		t.Fatalf("answer %q to %q: %v", a.body, body, err)
	}
	if m.ID == nil || !utf8.Valid(a.body) || bytes.ContainsAny(a.body, "\n\r") {
		t.Errorf("answer %q", a.body)
	}
	id := object(body)["id"]
	if id == nil {
		id = json.RawMessage("null")
	}
	if a.status != http.StatusBadRequest && utf8.Valid(body) && !bytes.Equal(m.ID, id) {
		t.Errorf("id %s came back as %s", id, m.ID)
	}
}
