package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/dashboard"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// newHost has a sandbox of "me", who is everybody on loopback.
func newHost(t *testing.T) *hostapi.Host {
	t.Helper()
	sandboxes := &hostapi.MemorySandboxes{}
	sandboxes.Put(hostapi.Sandbox{ID: "s1", Owner: "me", Title: "<b>Shop</b>", AppURL: "http://127.0.0.1:1", Ready: true})
	sandboxes.Put(hostapi.Sandbox{ID: "s2", Owner: "somebody else"})
	host, err := hostapi.New(hostapi.Options{
		Sandboxes: sandboxes, Authenticator: hostapi.LoopbackUser{Identity: hostapi.Identity{Owner: "me", Name: "Me"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func get(o dashboard.Options, path, host, peer string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.Host, r.RemoteAddr = host, peer
	w := httptest.NewRecorder()
	dashboard.New(o).ServeHTTP(w, r)
	return w
}

func TestFilesAreThereForWhomTheHostKnows(t *testing.T) {
	t.Parallel()
	o := dashboard.Options{Host: newHost(t)}
	for path, kind := range map[string]string{
		"/": "text/html", "/dashboard/page.css": "text/css", "/dashboard/page.js": "text/javascript", "/dashboard/views.js": "text/javascript",
		"/dashboard/state.json": "application/json",
	} {
		w := get(o, path, "localhost:80", "127.0.0.1:9")
		h := w.Header()
		if w.Code != 200 || !strings.HasPrefix(h.Get("Content-Type"), kind) || w.Body.Len() == 0 {
			t.Errorf("%s: %d %s", path, w.Code, h.Get("Content-Type"))
		}
		for _, rule := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), rule) {
				t.Errorf("%s: policy %s", path, h.Get("Content-Security-Policy"))
			}
		}
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, h)
		}
		for _, stranger := range [][2]string{{"rebound.example", "127.0.0.1:9"}, {"localhost", "10.0.0.7:9"}} {
			if w := get(o, path, stranger[0], stranger[1]); w.Code != 403 || strings.Contains(w.Body.String(), "Shop") {
				t.Errorf("%s for %v: %d %s", path, stranger, w.Code, w.Body)
			}
		}
	}
	for _, path := range []string{"/dashboard/", "/dashboard/page.html", "/dashboard/doctor.json", "/nowhere"} {
		if w := get(o, path, "localhost", "127.0.0.1:9"); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	o := dashboard.Options{Host: newHost(t)}
	read := func(path string) (map[string]any, int) {
		w := get(o, path, "localhost", "127.0.0.1:9")
		var v map[string]any
		json.Unmarshal(w.Body.Bytes(), &v)
		return v, w.Code
	}
	bare, _ := read("/dashboard/state.json")
	list, _ := bare["sandboxes"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["title"] != "<b>Shop</b>" || bare["version"] != proto.Version || bare["user"] != "Me" {
		t.Errorf("got %v", bare)
	}
	for _, part := range []string{"minutes", "recordings", "agent", "events"} {
		if _, there := bare[part]; there {
			t.Errorf("%s is there unasked", part)
		}
	}
	asked := ""
	o.Minutes = func(_ context.Context, owner string) (int, error) { asked = owner; return 7, nil }
	o.Recordings = func(context.Context, string) ([]dashboard.Recording, error) { return []dashboard.Recording{}, nil }
	o.Agent = func(string) *dashboard.Agent { return &dashboard.Agent{Status: "working"} }
	o.Events = func(string) []dashboard.Event { return []dashboard.Event{{At: time.Unix(1, 0), Type: "page"}} }
	o.Doctor = func(context.Context) ([]supervisor.Check, error) {
		return []supervisor.Check{{Name: "chromium", State: "missing", Text: "install it"}}, nil
	}
	full, _ := read("/dashboard/state.json")
	if full["minutes"] != 7.0 || asked != "me" || full["recordings"] == nil || full["agent"] == nil || full["events"] == nil || full["doctor"] != true {
		t.Errorf("got %v, asked about %q", full, asked)
	}
	report, _ := read("/dashboard/doctor.json")
	if checks := report["checks"].([]any); len(checks) != 1 || checks[0].(map[string]any)["text"] != "install it" {
		t.Errorf("got %v", report)
	}
	o.Doctor = func(context.Context) ([]supervisor.Check, error) {
		return nil, &proto.Error{Code: proto.CodeBinaryMissing, Message: "no sidecar", Hint: "install one"}
	}
	report, _ = read("/dashboard/doctor.json")
	if checks := report["checks"].([]any); len(checks) != 1 || checks[0].(map[string]any)["text"] != "no sidecar. install one" {
		t.Errorf("got %v", report)
	}
	o.Minutes = func(context.Context, string) (int, error) { return 0, errors.New("secret dsn") }
	w := get(o, "/dashboard/state.json", "localhost", "127.0.0.1:9")
	if w.Code != 500 || strings.Contains(w.Body.String(), "dsn") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
