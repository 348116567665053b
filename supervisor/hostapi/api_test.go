package hostapi_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

const (
	browserPath = "/api/sandboxes/s1/browser"
	ticketsPath = browserPath + "/tickets"
)

type change = func(*bench, *hostapi.Options)

// rule is one sentence of what the API promises, and what shows it.
type rule struct {
	name   string
	change change
	check  func(t *testing.T, b *bench)
}

func checkRules(t *testing.T, rules []rule) {
	t.Parallel()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var changes []change
			if r.change != nil {
				changes = append(changes, r.change)
			}
			b := newBench(t, changes...)
			r.check(t, b)
			for _, s := range b.backend.started { // whatever was asked: the secrets rule
				if strings.Contains(b.seen.String(), s.token()) || strings.Contains(b.seen.String(), s.server.URL) {
					t.Errorf("an answer holds the token or the MCP endpoint:\n%s", &b.seen)
				}
			}
		})
	}
}

// refused checks a start's refusal, and that nothing was started.
func refused(status int, code proto.Code, request string) func(*testing.T, *bench) {
	return func(t *testing.T, b *bench) {
		got := b.do("POST", browserPath, request)
		text, _ := got.body["error"].(string)
		if got.status != status || got.code() != string(code) || text == "" {
			t.Errorf("got %d %s, want %d %s", got.status, got.text, status, code)
		}
		if n := b.backend.count(); n != 0 {
			t.Errorf("%d were started", n)
		}
	}
}

// with puts another sandbox in the place of s1.
func with(change func(*hostapi.Sandbox, time.Time)) change {
	return func(b *bench, _ *hostapi.Options) {
		s, _ := b.sandboxes.Sandbox(context.Background(), owner, "s1")
		change(&s, b.clock.Now())
		b.sandboxes.Put(s)
	}
}

func TestStartingAndStopping(t *testing.T) {
	checkRules(t, []rule{
		{"a start answers with mode, status, start, server key and live URL", nil, func(t *testing.T, b *bench) {
			got, s := b.start("")
			shown := got.browser()
			if shown["mode"] != "headless" || shown["status"] != "running" || shown["started_at"] != "2027-01-15T08:00:00Z" {
				t.Errorf("got %s", got.text)
			}
			if url, _ := shown["live_url"].(string); !strings.HasPrefix(url, "ws://127.0.0.1:") || !strings.HasSuffix(url, "/live") {
				t.Errorf("live_url %q", url)
			}
			if sid := s.config["live"].(map[string]any)["session_id"]; sid != b.sessionOf(got) {
				t.Errorf("the live view's session is %v", sid)
			}
		}},
		{"GET shows it, DELETE stops it, and both answer in the same shape", nil, func(t *testing.T, b *bench) {
			started, _ := b.start("")
			if got := b.do("GET", browserPath, ""); got.status != 200 || !cmp.Equal(got.body, started.body) {
				t.Errorf("show: %d %s", got.status, got.text)
			}
			for range 2 { // also when it has stopped
				got := b.do("DELETE", browserPath, "")
				shown := got.browser()
				if got.status != 200 || shown["status"] != "stopped" || shown["server_key"] != nil || shown["live_url"] != nil ||
					shown["mode"] != "headless" || shown["started_at"] == nil {
					t.Errorf("stop: %d %s", got.status, got.text)
				}
			}
		}},
		{"without a browser there is none to show or stop", nil, func(t *testing.T, b *bench) {
			for _, method := range []string{"GET", "DELETE"} {
				if got := b.do(method, browserPath, ""); got.status != 200 || got.text != `{"browser":null}`+"\n" {
					t.Errorf("%s: %d %s", method, got.status, got.text)
				}
			}
		}},
		{"while it starts, it is shown as starting", hold, func(t *testing.T, b *bench) {
			done := make(chan reply, 1)
			go func() { done <- b.do("POST", browserPath, "") }()
			await(t, "starting", func() bool { return b.backend.count() == 1 })
			shown := b.do("GET", browserPath, "").browser()
			if shown["status"] != "starting" || shown["started_at"] != nil || shown["server_key"] != nil || shown["live_url"] != nil {
				t.Errorf("got %v", shown)
			}
			close(b.backend.hold)
			if got := <-done; got.browser()["status"] != "running" {
				t.Errorf("then %s", got.text)
			}
		}},
		{"a start that is deleted is given up", hold, func(t *testing.T, b *bench) {
			done := make(chan reply, 1)
			go func() { done <- b.do("POST", browserPath, "") }()
			await(t, "starting", func() bool { return b.backend.count() == 1 })
			if got := b.do("DELETE", browserPath, ""); got.browser()["status"] != "stopped" {
				t.Errorf("stop: %s", got.text)
			}
			if got := <-done; got.status != http.StatusBadGateway || got.code() != string(proto.CodeCancelled) {
				t.Errorf("start: %d %s", got.status, got.text)
			}
			if len(b.meter.all()) != 0 {
				t.Error("minutes of a browser that never ran")
			}
		}},
		{"a browser that crashes has failed, and says why", nil, func(t *testing.T, b *bench) {
			_, s := b.start("")
			s.crash()
			await(t, "failed", func() bool { return b.do("GET", browserPath, "").browser()["status"] == "failed" })
			shown := b.do("GET", browserPath, "").browser()
			if e, _ := shown["error"].(map[string]any); e["code"] != string(proto.CodeSidecarExited) || shown["server_key"] != nil {
				t.Errorf("got %v", shown)
			}
			b.start("") // and makes room for another
		}},
		{"a backend's failure answers with its code", func(b *bench, _ *hostapi.Options) {
			b.backend.refuse = errors.New("no more processes")
		}, refused(http.StatusBadGateway, proto.CodeSpawnFailed, "")},
		{"what the machine lacks refuses the start with the doctor's words", func(b *bench, _ *hostapi.Options) {
			b.backend.refuse = &proto.Error{Code: proto.CodeBrowserMissing, Message: "no Chromium", Hint: "install it"}
		}, func(t *testing.T, b *bench) {
			refused(http.StatusUnprocessableEntity, proto.CodeBrowserMissing, "")(t, b)
			if got := b.do("GET", browserPath, "").browser(); got["status"] != "failed" || got["error"].(map[string]any)["hint"] != "install it" {
				t.Errorf("shown: %v", got)
			}
		}},
		{"a sidecar of another version is refused", func(b *bench, o *hostapi.Options) {
			o.Supervisor.ExpectVersion = "9.9.9"
		}, func(t *testing.T, b *bench) {
			if got := b.do("POST", browserPath, ""); got.status != 422 || got.code() != string(proto.CodeVersionMismatch) || !strings.Contains(got.text, "9.9.9") {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"headless is the default, and null is too", nil, func(t *testing.T, b *bench) {
			if got, s := b.start(`{"mode":null}`); got.browser()["mode"] != "headless" || s.config["mode"] != "headless" {
				t.Errorf("got %s", got.text)
			}
		}},
		{"an unknown mode is refused", nil, refused(422, proto.CodeModeUnknown, `{"mode":"shown"}`)},
		{"a mode that is no text is refused", nil, refused(422, proto.CodeInvalidArguments, `{"mode":1}`)},
		{"an unknown capability is refused", nil, refused(422, proto.CodeCapabilityUnknown, `{"capabilities":["testing","shell"]}`)},
		{"capabilities that are no list are refused", nil, refused(422, proto.CodeInvalidArguments, `{"capabilities":"pdf"}`)},
		{"a body that is no JSON is refused", nil, refused(400, proto.CodeMessageMalformed, `{"mode"`)},
		{"a body that is no object is refused", nil, refused(400, proto.CodeMessageMalformed, `[]`)},
		{"an endless body is refused", nil, refused(413, proto.CodeTooLarge, strings.Repeat(" ", 70_000))},
		{"capabilities reach the browser", nil, func(t *testing.T, b *bench) {
			_, s := b.start(`{"capabilities":["testing","vision","pdf"]}`)
			if diff := cmp.Diff([]any{"testing", "vision", "pdf"}, s.config["capabilities"]); diff != "" {
				t.Error(diff)
			}
		}},
		{"a sandbox that is not ready gets none", with(func(s *hostapi.Sandbox, _ time.Time) { s.Ready = false }),
			refused(422, proto.CodeSandboxNotReady, "")},
		{"an expired sandbox gets none", with(func(s *hostapi.Sandbox, now time.Time) { s.ExpiresAt = now }),
			refused(422, proto.CodeSandboxNotReady, "")},
		{"nor one that expires within half a minute", with(func(s *hostapi.Sandbox, now time.Time) { s.ExpiresAt = now.Add(30 * time.Second) }),
			refused(422, proto.CodeSandboxExpiring, "")},
		{"a second more is enough", with(func(s *hostapi.Sandbox, now time.Time) { s.ExpiresAt = now.Add(31 * time.Second) }),
			func(t *testing.T, b *bench) { b.start("") }},
		{"a backend that runs no browsers refuses", func(b *bench, _ *hostapi.Options) { b.backend.modes = nil },
			refused(422, proto.CodeBackendUnavailable, "")},
		{"where execution is off, none starts", executionOff, refused(403, proto.CodeExecutionDisabled, "")},
		{"a second browser of a running sandbox is refused", nil, func(t *testing.T, b *bench) {
			b.start("")
			if got := b.do("POST", browserPath, ""); got.status != 422 || got.code() != string(proto.CodeBrowserExists) || b.backend.count() != 1 {
				t.Errorf("got %d %s", got.status, got.text)
			}
			b.do("DELETE", browserPath, "")
			b.start("") // and when it has stopped, not any more
		}},
		{"a second browser of a starting sandbox is refused", hold, func(t *testing.T, b *bench) {
			go func() { // released below; its answer is not what this is about
				_, _ = b.host.Start(context.Background(), hostapi.Identity{Owner: owner}, "s1", hostapi.StartOptions{})
			}()
			await(t, "starting", func() bool { return b.backend.count() == 1 })
			refusedAgain := b.do("POST", browserPath, "")
			close(b.backend.hold)
			if refusedAgain.status != 422 || refusedAgain.code() != string(proto.CodeBrowserExists) {
				t.Errorf("got %d %s", refusedAgain.status, refusedAgain.text)
			}
		}},
		{"two sandboxes have a browser each", nil, func(t *testing.T, b *bench) {
			b.sandbox(hostapi.Sandbox{ID: "s2"})
			first, _ := b.start("")
			second := b.do("POST", "/api/sandboxes/s2/browser", "")
			if second.status != 201 || b.sessionOf(first) == b.sessionOf(second) {
				t.Errorf("got %s", second.text)
			}
			if b.backend.started[0].token() == b.backend.started[1].token() {
				t.Error("they share a token")
			}
		}},
		{"the list has the modes, the sandboxes and their browsers", nil, func(t *testing.T, b *bench) {
			b.sandbox(hostapi.Sandbox{ID: "unready"})
			b.start("")
			got := b.do("GET", "/api/sandboxes", "")
			list, _ := got.body["sandboxes"].([]any)
			if got.status != 200 || len(list) != 2 || !cmp.Equal(got.body["browser_modes"], []any{"headless"}) {
				t.Fatalf("got %d %s", got.status, got.text)
			}
			first, second := list[0].(map[string]any), list[1].(map[string]any)
			if first["id"] != "s1" || first["browser"].(map[string]any)["status"] != "running" || second["browser"] != nil || second["ready"] != false {
				t.Errorf("got %s", got.text)
			}
		}},
		{"an unknown sandbox is not found", nil, func(t *testing.T, b *bench) {
			for _, request := range []string{"POST /browser", "GET /browser", "DELETE /browser", "POST /browser/tickets", "DELETE "} {
				method, path, _ := strings.Cut(request, " ")
				if got := b.do(method, "/api/sandboxes/nowhere"+path, ""); got.status != 404 || got.code() != string(proto.CodeSandboxUnknown) {
					t.Errorf("%s: %d %s", request, got.status, got.text)
				}
			}
		}},
	})
}

func hold(b *bench, _ *hostapi.Options) { b.backend.hold = make(chan struct{}) }

func executionOff(_ *bench, o *hostapi.Options) {
	o.ExecutionEnabled = func(context.Context, string) bool { return false }
}

func headedToo(b *bench, _ *hostapi.Options) {
	b.backend.modes = []proto.Mode{proto.Headless, proto.Headed}
}

func TestModes(t *testing.T) {
	checkRules(t, []rule{
		{"headed is refused where there is no window to show, and headless is not started instead", nil, func(t *testing.T, b *bench) {
			refused(422, proto.CodeModeUnavailable, `{"mode":"headed"}`)(t, b)
			if got := b.do("POST", browserPath, `{"mode":"headed"}`); !strings.Contains(got.text, "headed") {
				t.Errorf("got %s", got.text)
			}
		}},
		{"headed is offered and started where there is one", headedToo, func(t *testing.T, b *bench) {
			if got := b.do("GET", "/api/sandboxes", ""); !cmp.Equal(got.body["browser_modes"], []any{"headless", "headed"}) {
				t.Errorf("got %s", got.text)
			}
			got, s := b.start(`{"mode":"headed"}`)
			if got.browser()["mode"] != "headed" || s.config["mode"] != "headed" {
				t.Errorf("got %s", got.text)
			}
		}},
		{"a list without modes is a list", func(b *bench, _ *hostapi.Options) { b.backend.modes = nil }, func(t *testing.T, b *bench) {
			if got := b.do("GET", "/api/sandboxes", ""); !cmp.Equal(got.body["browser_modes"], []any{}) {
				t.Errorf("got %s", got.text)
			}
		}},
		{"the launch has the app, a token, the times, the recording and the live view", func(b *bench, o *hostapi.Options) {
			o.LiveOrigins = []string{"https://dashboard.example"}
			o.Launch = proto.Launch{Viewport: proto.Viewport{Width: 800, Height: 600}, Live: &proto.Live{MaxViewers: 3}}
		}, func(t *testing.T, b *bench) {
			_, s := b.start("")
			live, recording := s.config["live"].(map[string]any), s.config["recording"].(map[string]any)
			if s.config["app_url"] != "http://127.0.0.1:3000" || len(s.token()) < 32 || s.config["lifeline"] != true ||
				!s.stopAt().Equal(b.clock.Now().Add(time.Hour-30*time.Second)) || recording["actions"] != true || live["max_viewers"] != 3.0 {
				t.Errorf("config %v", s.config)
			}
			if want := []any{"https://dashboard.example", b.server.URL}; !cmp.Equal(live["origins"], want) {
				t.Errorf("origins %v, want %v", live["origins"], want)
			}
			if s.config["storage_state"] != nil {
				t.Error("a browser of a person starts with a profile that is not empty")
			}
		}},
		{"behind a proxy, the live view's origin is the public one", func(_ *bench, o *hostapi.Options) {
			o.PublicURL = "https://dashboard.example/browsers"
		}, func(t *testing.T, b *bench) {
			_, s := b.start("")
			if got := s.config["live"].(map[string]any)["origins"]; !cmp.Equal(got, []any{"https://dashboard.example"}) {
				t.Errorf("origins %v", got)
			}
		}},
		{"a sandbox that never expires has a browser that never does", func(b *bench, _ *hostapi.Options) {
			b.sandboxes.Put(hostapi.Sandbox{ID: "s1", Owner: owner, AppURL: "http://127.0.0.1:3000", Ready: true})
		}, func(t *testing.T, b *bench) {
			if _, s := b.start(""); s.config["stop_at"] != nil {
				t.Errorf("stop_at %v", s.config["stop_at"])
			}
		}},
	})
}

// Nobody sees, starts, stops or reaches anything of another account.
func TestTenants(t *testing.T) {
	other := header{"X-Owner": "rival"}
	checkRules(t, []rule{
		{"another account's sandbox is not found", nil, func(t *testing.T, b *bench) {
			started, _ := b.start("")
			unknown := b.do("GET", "/api/sandboxes/nowhere/browser", "", other)
			for _, request := range []string{"POST /browser", "GET /browser", "DELETE /browser", "POST /browser/tickets", "DELETE "} {
				method, path, _ := strings.Cut(request, " ")
				got := b.do(method, "/api/sandboxes/s1"+path, "", other)
				if got.status != 404 || strings.ReplaceAll(got.text, "s1", "nowhere") != unknown.text {
					t.Errorf("%s: %d %s, for an unknown one %s", request, got.status, got.text, unknown.text)
				}
			}
			if got := b.do("GET", "/api/sandboxes", "", other); !cmp.Equal(got.body["sandboxes"], []any{}) {
				t.Errorf("list: %s", got.text)
			}
			ours, theirs := b.do("POST", "/mcp/nothing", "{}", other), b.do("POST", "/mcp/"+b.sessionOf(started), "{}", other)
			if theirs.status != http.StatusGone || theirs.text != ours.text {
				t.Errorf("mcp: %d %s", theirs.status, theirs.text)
			}
		}},
		{"two accounts may call a sandbox the same", nil, func(t *testing.T, b *bench) {
			b.sandbox(hostapi.Sandbox{ID: "s1", Owner: "rival", AppURL: "http://127.0.0.1:4000"})
			b.start("")
			got := b.do("POST", browserPath, "", other)
			if got.status != 201 || b.backend.last().config["app_url"] != "http://127.0.0.1:4000" {
				t.Errorf("got %d %s", got.status, got.text)
			}
			b.do("DELETE", browserPath, "", other)
			if got := b.do("GET", browserPath, ""); got.browser()["status"] != "running" {
				t.Errorf("ours: %s", got.text)
			}
			if told := b.meter.all(); len(told) != 0 { // no time has passed
				t.Errorf("told %v", told)
			}
		}},
		{"quota and usage are asked about the account", func(b *bench, o *hostapi.Options) {
			o.Quota = hostapi.QuotaFunc(func(_ context.Context, owner, kind string) (any, error) {
				if owner == "rival" && kind == "browser_minutes" {
					return "No browser minutes left", nil
				}
				return nil, nil
			})
		}, func(t *testing.T, b *bench) {
			b.sandbox(hostapi.Sandbox{ID: "s2", Owner: "rival"})
			if got := b.do("POST", "/api/sandboxes/s2/browser", "", other); got.status != 402 {
				t.Errorf("rival: %d %s", got.status, got.text)
			}
			b.start("")
			b.clock.add(time.Second)
			b.do("DELETE", browserPath, "")
			if told := b.meter.all(); len(told) != 1 || told[0].Owner != owner || told[0].Kind != "browser_minutes" || told[0].Sandbox != "s1" {
				t.Errorf("told %v", told)
			}
		}},
		{"a store that answers with another account's sandbox is not believed", func(b *bench, o *hostapi.Options) {
			o.Sandboxes = leakyStore{b.sandboxes}
		}, func(t *testing.T, b *bench) {
			if got := b.do("POST", browserPath, "", other); got.status != 404 || b.backend.count() != 0 {
				t.Errorf("got %d %s", got.status, got.text)
			}
			if got := b.do("GET", "/api/sandboxes", "", other); !cmp.Equal(got.body["sandboxes"], []any{}) {
				t.Errorf("list: %s", got.text)
			}
		}},
		{"who is nobody gets nothing", nil, func(t *testing.T, b *bench) {
			started, _ := b.start("")
			for _, request := range []string{
				"GET /api/sandboxes", "DELETE /api/sandboxes/s1", "GET " + browserPath, "POST " + browserPath, "DELETE " + browserPath,
				"POST " + ticketsPath, "POST /mcp/" + b.sessionOf(started),
			} {
				method, path, _ := strings.Cut(request, " ")
				if got := b.do(method, path, "", header{"X-User": ""}); got.status != 401 || got.code() != string(proto.CodeUnauthorized) {
					t.Errorf("%s: %d %s", request, got.status, got.text)
				}
			}
		}},
		{"pages of other sites get nothing", nil, func(t *testing.T, b *bench) {
			for _, h := range []header{{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}} {
				if got := b.do("POST", browserPath, "", h); got.status != 403 || got.code() != string(proto.CodeOriginDenied) {
					t.Errorf("%v: %d %s", h, got.status, got.text)
				}
			}
			if got := b.do("POST", browserPath, "", header{"Origin": b.server.URL}); got.status != 201 {
				t.Errorf("our own page: %d %s", got.status, got.text)
			}
		}},
	})
}

// leakyStore forgets to ask whose sandbox it is.
type leakyStore struct{ *hostapi.MemorySandboxes }

func (l leakyStore) Sandbox(ctx context.Context, _, id string) (hostapi.Sandbox, error) {
	return l.MemorySandboxes.Sandbox(ctx, owner, id)
}

func (l leakyStore) List(ctx context.Context, _ string) ([]hostapi.Sandbox, error) {
	all, err := l.MemorySandboxes.List(ctx, owner)
	return slices.Clone(all), err
}
