package hostapi_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// A sandbox that is deleted leaves nothing behind, whatever happens meanwhile.
func TestDeletedMeansGone(t *testing.T) {
	signIns := &hostapi.MemorySignIns{}
	checkRules(t, []rule{
		{"no browser starts for a sandbox that is deleted under the start", func(b *bench, o *hostapi.Options) {
			o.Quota = hostapi.QuotaFunc(func(ctx context.Context, owner, kind string) (any, error) {
				return nil, b.host.DeleteSandbox(ctx, hostapi.Identity{Owner: owner}, "s1")
			})
		}, func(t *testing.T, b *bench) {
			got := b.do("POST", browserPath, "")
			if got.status != 404 || got.code() != string(proto.CodeSandboxUnknown) || b.backend.count() != 0 {
				t.Errorf("got %d %s, %d started", got.status, got.text, b.backend.count())
			}
		}},
		{"its own sign-in goes with it, that of a project stays", func(b *bench, o *hostapi.Options) {
			keyed(b, o)
			o.SignIns = signIns
			b.sandbox(hostapi.Sandbox{ID: "s2", Project: "shop"})
		}, func(t *testing.T, b *bench) {
			for _, id := range []string{"s1", "s2"} {
				if got := b.do("POST", "/api/sandboxes/"+id+"/browser", `{"sign_in":true}`); got.status != 201 {
					t.Fatalf("start: %d %s", got.status, got.text)
				}
				b.backend.last().state = storageOf(cookieValue)
				if got := b.do("DELETE", "/api/sandboxes/"+id, ""); got.status != 200 {
					t.Fatalf("delete: %d %s", got.status, got.text)
				}
			}
			if sealed, _ := signIns.Load(context.Background(), owner, "sandbox s1"); sealed != nil {
				t.Error("nobody can delete it any more, and the next sandbox of this name would have it")
			}
			if sealed, _ := signIns.Load(context.Background(), owner, "project shop"); sealed == nil {
				t.Error("the project's is gone")
			}
		}},
		{"also where the host's own store dropped it", func(b *bench, o *hostapi.Options) {
			keyed(b, o)
			o.SignIns = signIns
		}, func(t *testing.T, b *bench) {
			ctx := context.Background()
			_, s := b.start(`{"sign_in":true}`)
			s.state = storageOf(cookieValue)
			b.sandboxes.Delete(ctx, owner, "s1")
			for range 2 { // the first one stops the browser
				if err := b.host.Reap(ctx); err != nil {
					t.Error(err)
				}
			}
			if sealed, _ := signIns.Load(ctx, owner, "sandbox s1"); sealed != nil {
				t.Error("it is kept for ever")
			}
		}},
	})
}

// The live view's routes work for every name of a sandbox and behind a proxy.
func TestLiveViewIsReached(t *testing.T) {
	checkRules(t, []rule{
		{"whatever the sandbox is called", nil, func(t *testing.T, b *bench) {
			for _, id := range []string{"a/b", "a b", "50%", "%2F", "ä?#", `"><script>`, "a!b/c", "a//b"} {
				b.sandbox(hostapi.Sandbox{ID: id})
				path := url.PathEscape(id)
				if got := b.do("POST", "/api/sandboxes/"+path+"/browser", ""); got.status != 201 {
					t.Errorf("%q: start: %d %s", id, got.status, got.text)
				}
				if got := b.do("GET", "/live/"+path+"/", ""); got.status != 200 || !strings.Contains(got.text, "<title>") {
					t.Errorf("%q: page: %d %s", id, got.status, got.text)
				}
				if got := b.do("POST", "/live/"+path+"/tickets", `{"mode":"view"}`, header{"Content-Type": "application/json"}); got.status != 200 {
					t.Errorf("%q: ticket: %d %s", id, got.status, got.text)
				}
			}
		}},
		{"behind a proxy that names this host otherwise", func(_ *bench, o *hostapi.Options) {
			o.PublicURL = "https://Dashboard.example:443/pillion"
		}, func(t *testing.T, b *bench) {
			b.start("")
			for origin, want := range map[string]int{"https://dashboard.example": 200, b.server.URL: 200, "https://evil.example": 403, "http://dashboard.example": 403} {
				got := b.do("POST", "/live/s1/tickets", `{"mode":"view"}`, header{"Content-Type": "application/json", "Origin": origin})
				if got.status != want {
					t.Errorf("from %s: %d %s", origin, got.status, got.text)
				}
			}
		}},
	})
}

// A stream that its agent leaves is told like every other request.
func TestStreamsAreTold(t *testing.T) {
	t.Parallel()
	tracer := &spans{}
	b := newBench(t, func(_ *bench, o *hostapi.Options) { o.Tracer = tracer })
	started, s := b.start("")
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", b.server.URL+"/mcp/"+b.sessionOf(started), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-User", "7")
	r.Header.Set("X-Owner", owner)
	r.Header.Set("Accept", "text/event-stream")
	s.mu.Lock()
	s.stream = true
	s.mu.Unlock()
	response, err := b.server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if line, err := bufio.NewReader(response.Body).ReadString('\n'); line != "event\n" {
		t.Fatalf("%q, %v", line, err)
	}
	leave()
	await(t, "the span ends", func() bool {
		tracer.mu.Lock()
		defer tracer.mu.Unlock()
		return slices.Contains(tracer.log, "browser.mcp <nil>")
	})
}
