package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The official client of the SDK asks for the newest revision first, and one that
// is told not to gets a session of the newest revision with one.
func TestOfficialClient(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) { testOfficialClient(t, version) })
	}
}

func testOfficialClient(t *testing.T, version string) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := sdk.NewClient(&sdk.Implementation{Name: "official", Version: "1"}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint:   h.url,
		HTTPClient: &http.Client{Transport: transport},
	}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	server := session.InitializeResult()
	if server.ProtocolVersion != version || server.ServerInfo.Name != serverName || server.ServerInfo.Version != "1.2.3" {
		t.Errorf("revision %q of %+v", server.ProtocolVersion, server.ServerInfo)
	}
	stateless := version >= firstStateless
	if err := session.Ping(ctx, nil); (err != nil) != stateless {
		t.Errorf("ping: %v", err)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "browser_snapshot browser_navigate browser_tabs browser_click browser_type" {
		t.Errorf("tools %s", got)
	}
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "browser_navigate", Arguments: map[string]any{"url": "/orders"}})
	if err != nil || result.IsError || result.Content[0].(*sdk.TextContent).Text != "did browser_navigate" {
		t.Errorf("navigate: %+v %v", result, err)
	}
	result, err = session.CallTool(ctx, &sdk.CallToolParams{Name: "browser_navigate", Arguments: map[string]any{"url": "https://example.com/"}})
	if err != nil || !result.IsError {
		t.Errorf("off the app: %+v %v", result, err)
	}
	var rpc *jsonrpc.Error
	if _, err := session.ListPrompts(ctx, nil); !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("prompts: %v", err)
	}

	// A cancelled context of the client reaches the tool.
	callCtx, cancelCall := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := session.CallTool(callCtx, &sdk.CallToolParams{Name: "browser_click"})
		done <- err
	}()
	<-b.started
	cancelCall()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v", err)
	}
	select {
	case <-b.ended:
	case <-ctx.Done():
		t.Error("the tool goes on")
	}

	if got := h.toolset(0).client; got != (ClientInfo{"official", "1"}) || len(h.sets) != 1 {
		t.Errorf("client %+v, %d toolsets", got, len(h.sets))
	}
	id := session.ID()
	if (id == "") != stateless {
		t.Errorf("session %q", id)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if h.table.find(id) != nil {
		t.Error("the session is still there")
	}
}

// A client of the Go SDK that knows only the oldest revisions gets what it asks.
func TestOfficialClientOfAnOldRevision(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "old", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: h.url, HTTPClient: &http.Client{Transport: transport}, DisableStandaloneSSE: true},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-03-26"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != "2025-03-26" {
		t.Errorf("revision %q", got)
	}
	if got := h.toolset(0).client; got != (ClientInfo{"old", "1"}) {
		t.Errorf("client %+v", got)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_type", Arguments: json.RawMessage(`{"text":"<b>"}`)})
	if err != nil || result.IsError {
		t.Errorf("type: %+v %v", result, err)
	}
	if seen := h.toolset(0).calls(); len(seen) != 1 || seen[0] != `browser_type {"text":"<b>"}` {
		t.Errorf("the tool saw %q", seen)
	}
}
