package hostapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestGateway(t *testing.T) {
	checkRules(t, []rule{
		{"a call reaches the browser with its token and nothing of the host's", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			got := b.do("POST", "/mcp/"+b.sessionOf(started), call, header{
				"Authorization": "Bearer of-the-host", "Cookie": "host=1", "X-Forwarded-For": "10.0.0.1",
				"Mcp-Session-Id": "agent-session", "Mcp-Protocol-Version": "2025-06-18", "Accept": "application/json", "Content-Type": "application/json",
			})
			if got.status != 200 || got.text != `{"jsonrpc":"2.0","id":1,"result":{}}` || got.header.Get("Mcp-Session-Id") != "agent-session" {
				t.Fatalf("got %d %s", got.status, got.text)
			}
			seen := s.mcp[0]
			if s.bodies[0] != call || seen.Method != "POST" || "http://"+seen.Host != s.server.URL {
				t.Errorf("got %s for %s: %s", seen.Method, seen.Host, s.bodies[0])
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer " + s.token(), "Cookie": "", "X-Forwarded-For": "", "X-User": "", "Origin": "",
				"Mcp-Session-Id": "agent-session", "Mcp-Protocol-Version": "2025-06-18", "Accept": "application/json",
			} {
				if got := seen.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}},
		{"a message is passed on whole, however it came", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			// A body whose length the client does not tell.
			request, err := http.NewRequest("POST", b.server.URL+"/mcp/"+b.sessionOf(started), io.MultiReader(strings.NewReader(call)))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-User", "7")
			request.Header.Set("X-Owner", owner)
			response, err := b.server.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if seen := s.mcp[0]; seen.ContentLength != int64(len(call)) || len(seen.TransferEncoding) > 0 || s.bodies[0] != call {
				t.Errorf("the browser got %d bytes (%v): %s", seen.ContentLength, seen.TransferEncoding, s.bodies[0])
			}
		}},
		{"a message that no browser takes goes no further", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			if got := b.do("POST", "/mcp/"+b.sessionOf(started), strings.Repeat(" ", 4<<20+1)); got.status != 413 || len(s.mcp) > 0 {
				t.Errorf("got %d %s after %d calls", got.status, got.text, len(s.mcp))
			}
		}},
		{"every method of the route passes", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			for _, method := range []string{"POST", "GET", "DELETE"} {
				if got := b.do(method, "/mcp/"+b.sessionOf(started), ""); got.status != 200 || s.mcp[len(s.mcp)-1].Method != method {
					t.Errorf("%s: %d %s", method, got.status, got.text)
				}
			}
		}},
		{"a browser that has been taken over shows nothing as the host's", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			s.mu.Lock()
			s.hostile = true
			s.mu.Unlock()
			b.server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			got := b.do("POST", "/mcp/"+b.sessionOf(started), call)
			got.header.Del("Date")
			got.header.Del("Content-Length")
			want := http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}
			if d := cmp.Diff(want, got.header); d != "" {
				t.Error(d)
			}
		}},
		{"a page may not drive a browser", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			got := b.do("POST", "/mcp/"+b.sessionOf(started), call, header{"Origin": b.server.URL})
			if got.status != 403 || got.code() != string(proto.CodeOriginDenied) || len(s.mcp) != 0 {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"a stopped browser's session answers with a code, and calls nothing", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			b.do("DELETE", browserPath, "")
			b.start("") // the sandbox has another one by now
			got := b.do("POST", "/mcp/"+b.sessionOf(started), call)
			data, _ := got.body["error"].(map[string]any)["data"].(map[string]any)
			if got.status != http.StatusGone || got.body["jsonrpc"] != "2.0" || data["code"] != string(proto.CodeBrowserStopped) {
				t.Errorf("got %d %s", got.status, got.text)
			}
			if len(s.mcp)+len(b.backend.last().mcp) != 0 {
				t.Error("something was called")
			}
		}},
		{"a browser that dies under a call says so", nil, func(t *testing.T, b *bench) {
			started, s := b.start("")
			s.server.Close() // its listener goes first
			time.AfterFunc(10*time.Millisecond, s.crash)
			got := b.do("POST", "/mcp/"+b.sessionOf(started), call)
			if got.status != http.StatusGone || !strings.Contains(got.text, string(proto.CodeBrowserStopped)) {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"recordings are asked for the agent's actions", nil, func(t *testing.T, b *bench) {
			if _, s := b.start(""); s.config["recording"].(map[string]any)["actions"] != true {
				t.Errorf("config %v", s.config["recording"])
			}
		}},
	})
}

func TestRuns(t *testing.T) {
	ctx, who := context.Background(), hostapi.Identity{Owner: owner, User: "7"}
	checkRules(t, []rule{
		{"a run that is made while the browser runs reaches it by its server key", nil, func(t *testing.T, b *bench) {
			started, _ := b.start("")
			run, err := b.host.NewRun(ctx, who, "s1")
			if err != nil {
				t.Fatal(err)
			}
			server, err := b.host.Reach(ctx, who, run)
			want := &hostapi.Server{Key: "browser:" + b.sessionOf(started), Path: "/mcp/" + b.sessionOf(started)}
			if err != nil || !cmp.Equal(server, want) {
				t.Errorf("got %+v, %v", server, err)
			}
			if got := b.do("POST", server.Path, call); got.status != 200 {
				t.Errorf("called: %d %s", got.status, got.text)
			}
		}},
		{"a run that is made without one has none, also when one starts", nil, func(t *testing.T, b *bench) {
			run, err := b.host.NewRun(ctx, who, "s1")
			if err != nil {
				t.Fatal(err)
			}
			b.start("")
			if server, err := b.host.Reach(ctx, who, run); server != nil || err != nil {
				t.Errorf("got %+v, %v", server, err)
			}
		}},
		{"a run whose browser has stopped fails, also when another one runs", nil, func(t *testing.T, b *bench) {
			b.start("")
			run, _ := b.host.NewRun(ctx, who, "s1")
			b.do("DELETE", browserPath, "")
			b.start("")
			if server, err := b.host.Reach(ctx, who, run); server != nil || !errors.Is(err, proto.CodeBrowserStopped) {
				t.Errorf("got %+v, %v", server, err)
			}
		}},
		{"a run reaches its own sandbox's browser alone", nil, func(t *testing.T, b *bench) {
			b.sandbox(hostapi.Sandbox{ID: "s2"})
			b.start("")
			run, _ := b.host.NewRun(ctx, who, "s1")
			run.Sandbox = "s2"
			if server, err := b.host.Reach(ctx, who, run); server != nil || !errors.Is(err, proto.CodeBrowserStopped) {
				t.Errorf("got %+v, %v", server, err)
			}
		}},
		{"and no other account's", nil, func(t *testing.T, b *bench) {
			b.start("")
			run, _ := b.host.NewRun(ctx, who, "s1")
			rival := hostapi.Identity{Owner: "rival"}
			if server, err := b.host.Reach(ctx, rival, run); server != nil || !errors.Is(err, proto.CodeBrowserStopped) {
				t.Errorf("got %+v, %v", server, err)
			}
			if _, err := b.host.NewRun(ctx, rival, "s1"); !errors.Is(err, proto.CodeSandboxUnknown) {
				t.Errorf("got %v", err)
			}
		}},
	})
}
