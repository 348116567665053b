package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func benchGateway(b *testing.B, result *sdk.CallToolResult) (*Gateway, string) {
	tools := &fakeTools{tools: fakeToolList(toolNames()...)}
	g := New(Options{NewToolset: func(ClientInfo) Toolset { return noRecord{tools, result} }})
	b.Cleanup(func() { _ = g.Stop(context.Background()) })
	return g, g.answer(context.Background(), nil, []byte(initializeBody), nil).session
}

// noRecord is a toolset that keeps nothing, so that a benchmark measures ours.
type noRecord struct {
	*fakeTools
	result *sdk.CallToolResult
}

func (n noRecord) Call(context.Context, string, json.RawMessage) *sdk.CallToolResult { return n.result }

func BenchmarkCall(b *testing.B) {
	snapshot := textResult("### Snapshot\n" + strings.Repeat("- button \"Save\" [ref=e12]\n", 2000))
	screenshot := &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "### Result"}, &sdk.ImageContent{Data: make([]byte, 1<<20), MIMEType: "image/png"},
	}}
	for _, c := range []struct {
		name   string
		result *sdk.CallToolResult
	}{{"small", textResult("ok")}, {"snapshot50KB", snapshot}, {"screenshot1MB", screenshot}} {
		b.Run(c.name, func(b *testing.B) {
			g, session := benchGateway(b, c.result)
			body := []byte(callBody("1", "browser_click", `{"target":"e1"}`))
			b.ReportAllocs()
			for b.Loop() {
				g.answer(context.Background(), http.Header{sessionHeader: {session}}, body, nil)
			}
		})
	}
}

func BenchmarkCallHTTP(b *testing.B) {
	g, session := benchGateway(b, textResult("ok"))
	server := httptest.NewServer(g)
	defer server.Close()
	for b.Loop() {
		req, _ := http.NewRequest("POST", server.URL, strings.NewReader(callBody("1", "browser_click", `{"target":"e1"}`)))
		req.Header.Set(sessionHeader, session)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}

// BenchmarkSession reports what a session that waits keeps in memory, without
// its toolset, and how many goroutines.
func BenchmarkSession(b *testing.B) {
	const sessions = 2000
	g := New(Options{
		Limits:     Limits{Kept: sessions + 1},
		NewToolset: func(ClientInfo) Toolset { return noRecord{} },
	})
	g.answer(context.Background(), nil, []byte(initializeBody), nil)
	memory := func() (bytes, goroutines int64) {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse), int64(runtime.NumGoroutine())
	}
	b.ReportAllocs()
	for b.Loop() {
		bytes, goroutines := memory()
		for range sessions {
			g.answer(context.Background(), nil, []byte(initializeBody), nil)
		}
		bytesAfter, goroutinesAfter := memory()
		b.ReportMetric(float64(bytesAfter-bytes)/sessions, "bytes/session")
		b.ReportMetric(float64(goroutinesAfter-goroutines)/sessions, "goroutines/session")
		for _, s := range g.table.removeAll(errSessionClosed) {
			_ = s
		}
	}
}
