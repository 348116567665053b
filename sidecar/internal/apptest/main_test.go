package apptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// fakeEnv makes this test binary play a sidecar of the named character.
const fakeEnv = "PILLION_APPTEST_FAKE"

func TestMain(m *testing.M) {
	if character := os.Getenv(fakeEnv); character != "" {
		os.Exit(fakeSidecar(character))
	}
	Main(m)
}

// fakeSidecar reads a config and answers tools/call with the tool's name.
func fakeSidecar(character string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	lines := proto.NewLineReader(os.Stdin)
	first, err := lines.Next()
	if err != nil {
		return 1
	}
	var config struct {
		Token   string `json:"token"`
		Workdir string `json:"workdir"`
	}
	if err := json.Unmarshal(first, &config); err != nil || character == "refuses" {
		fmt.Fprintln(os.Stderr, "fake: invalid configuration")
		return 3
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := lines.Next(); err != nil {
				return
			}
			fmt.Println(`{"type":"pong","at":1,"detail":{"id":"x"}}`)
		}
	}()
	srv := httptest.NewServer(fakeGateway(config.Token))
	defer srv.Close()
	profile := filepath.Join(config.Workdir, "profile")
	os.Mkdir(profile, 0o700)
	if character != "messy" {
		defer os.RemoveAll(profile)
	}
	ready, _ := proto.Ready{Port: 1, Version: "0", PID: os.Getpid(), MCPURL: srv.URL + "/mcp"}.Encode()
	fmt.Printf("%s\n", ready)
	fmt.Fprintln(os.Stderr, "fake: ready")
	select {
	case <-signals:
	case <-ended:
	}
	fmt.Println(`{"type":"stopped","at":2,"reason":"signal"}`)
	return 0
}

func fakeGateway(token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, `{"error":"no"}`, http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodDelete {
			fmt.Fprint(w, `{"closed":true}`)
			return
		}
		var q struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
			Params struct {
				Name      string         `json:"name"`
				Arguments map[string]any `json:"arguments"`
			} `json:"params"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": q.ID}
		switch q.Method {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			answer["result"] = map[string]any{}
		case "tools/list":
			answer["result"] = map[string]any{"tools": []any{map[string]any{"name": "echo", "annotations": map[string]any{"readOnlyHint": true}}}}
		case "tools/call":
			if q.Params.Name == "missing" {
				answer["error"] = map[string]any{"code": -32601, "message": "Method not found"}
				break
			}
			answer["result"] = map[string]any{"isError": q.Params.Name == "fail", "content": []any{
				map[string]any{"type": "text", "text": q.Params.Name}, map[string]any{"type": "text", "text": fmt.Sprint(q.Params.Arguments)},
				map[string]any{"type": "image", "mimeType": "image/png", "data": "AQI="},
			}}
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		json.NewEncoder(w).Encode(answer)
	})
}

// recorder is a testing.TB that keeps failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

// attempt runs f with a recorder and returns what it complained about.
func attempt(t *testing.T, f func(t testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // its own goroutine, so that Fatalf can end it
		defer close(done)
		defer func() {
			for i := len(r.cleanups) - 1; i >= 0; i-- {
				r.cleanups[i]()
			}
		}()
		f(r)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the helper hangs")
	}
	return r.failures
}

func (r *recorder) Helper()                   {}
func (r *recorder) Logf(string, ...any)       {}
func (r *recorder) Failed() bool              { return len(r.failures) > 0 }
func (r *recorder) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(f string, a ...any) { r.failures = append(r.failures, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatalf(f string, a ...any) {
	r.Errorf(f, a...)
	runtime.Goexit()
}
func (r *recorder) Fatal(a ...any) {
	r.failures = append(r.failures, fmt.Sprint(a...))
	runtime.Goexit()
}
