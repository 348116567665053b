package action_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// shared is the one browser of all tests; each test has a tab of its own.
var shared struct {
	once    sync.Once
	browser *browser.Browser
	err     error
	stop    []func()
}

func TestMain(m *testing.M) {
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	code := m.Run()
	for _, stop := range shared.stop {
		stop()
	}
	if left := leftGoroutines(); code == 0 && left != "" {
		fmt.Fprintln(os.Stderr, "FAIL: goroutines outlive the tests:\n"+left)
		code = 1
	}
	os.Exit(code)
}

// leftGoroutines are those of ours that do not end in a moment.
func leftGoroutines() string {
	const grace = 5 * time.Second
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		buf := make([]byte, 1<<20)
		var left []string
		for g := range strings.SplitSeq(string(buf[:goruntime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "pillion/sidecar/internal") && !strings.Contains(g, "leftGoroutines") {
				left = append(left, g)
			}
		}
		if len(left) == 0 || time.Since(start) > grace {
			return strings.Join(left, "\n\n")
		}
	}
}

func anyBrowser(t testing.TB) *browser.Browser {
	t.Helper()
	shared.once.Do(func() { shared.browser, shared.err = startBrowser(os.Getenv("PILLION_TEST_CHROMIUM")) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.browser
}

// startBrowser starts Chromium of a flavour ("" for any) behind a plain proxy.
func startBrowser(flavour string) (*browser.Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	user, err := chrome.PickUser()
	if err != nil {
		return nil, err
	}
	binary, err := chrome.Find(ctx, chrome.Want{Chromium: flavour})
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "pillion-action-test-")
	if err != nil {
		return nil, err
	}
	shared.stop = append(shared.stop, func() { os.RemoveAll(profile) })
	for _, dir := range []string{profile, filepath.Join(profile, "home"), filepath.Join(profile, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if user != nil && user.Dedicated {
			if err := os.Chown(dir, user.UID, user.GID); err != nil {
				return nil, err
			}
		}
	}
	seat, err := chrome.Prepare(ctx, chrome.Options{Binary: binary, User: user, Profile: profile})
	if err != nil {
		return nil, err
	}
	proxy := &http.Server{Handler: http.HandlerFunc(forward), ReadHeaderTimeout: time.Minute}
	go proxy.Serve(seat.Listener())
	process, err := seat.Start(ctx, seat.Listener().Addr().String())
	if err != nil {
		return nil, err
	}
	conn := cdp.New(process.Transport())
	b, err := browser.Start(ctx, browser.Options{Conn: conn, Pin: anywhere{}, Viewport: proto.Viewport{Width: 1280, Height: 720}})
	if err != nil {
		return nil, process.Explain(err)
	}
	b.HoldDialogs()
	shared.stop = append(shared.stop, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		process.Stop(ctx)
		conn.Close()
		<-process.Done()
		proxy.Close()
		user.Close()
	})
	slices.Reverse(shared.stop)
	return b, nil
}

// forward is a proxy for plain HTTP and for tunnels, to this machine only.
func forward(w http.ResponseWriter, r *http.Request) {
	if host := r.URL.Hostname(); host != "127.0.0.1" && host != "localhost" {
		http.Error(w, "the tests stay at home", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodConnect {
		(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)}).ServeHTTP(w, r)
		return
	}
	there, err := net.Dial("tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		there.Close()
		return
	}
	io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { io.Copy(there, here); there.Close() }()
	go func() { io.Copy(here, there); here.Close() }()
}

// anywhere lets the tests' tabs go everywhere.
type anywhere struct{}

func (anywhere) MayNavigate(string) bool { return true }
func (anywhere) OnApp(string) bool       { return true }

// stage is a tab with a page of the test's own, and who acts on it.
type stage struct {
	*action.Actor
	t    testing.TB
	tab  *browser.Tab
	view *page.View
	mux  *http.ServeMux
	url  string
	ctx  context.Context
}

// open serves body as "/" and opens it.
func open(t testing.TB, body string, options ...action.Option) *stage {
	t.Helper()
	s := blank(t, options...)
	s.page("/{$}", body)
	s.visit("/")
	return s
}

// blank is a stage that is still on about:blank.
func blank(t testing.TB, options ...action.Option) *stage {
	t.Helper()
	b := anyBrowser(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	tab, err := b.NewTab(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		if err := tab.Close(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	view := page.New(tab)
	return &stage{Actor: action.New(tab, view, options...), t: t, tab: tab, view: view, mux: mux, url: server.URL, ctx: ctx}
}

func (s *stage) page(pattern, body string) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><meta charset=utf-8><title>t</title>", strings.ReplaceAll(body, "{other}", strings.Replace(s.url, "127.0.0.1", "localhost", 1)))
	})
}

func (s *stage) visit(path string) {
	s.t.Helper()
	if _, err := s.tab.Navigate(s.ctx, s.url+path); err != nil {
		s.t.Fatal(err)
	}
}

// script evaluates an expression in the page's own world.
func (s *stage) script(expression string) (json.RawMessage, error) {
	yes := true
	res, err := pcdp.Call(s.ctx, s.tab.Session(), runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
	if err != nil {
		return nil, err
	}
	if res.ExceptionDetails != nil {
		return nil, browser.Thrown(res.ExceptionDetails)
	}
	return browser.RemoteJSON(res.Result), nil
}

// js evaluates an expression in the page's own world and returns it as JSON with
// sorted keys.
func (s *stage) js(expression string) string {
	s.t.Helper()
	v, err := s.script(expression)
	if err != nil {
		s.t.Fatalf("%s: %v", expression, err)
	}
	var value any
	if err := json.Unmarshal(v, &value); err != nil {
		return string(v)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// want checks an expression's value.
func (s *stage) want(expression, value string) {
	s.t.Helper()
	if got := s.js(expression); got != value {
		s.t.Errorf("%s is %s, want %s", expression, got, value)
	}
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// fails checks that err is there and says each of the words.
func (s *stage) fails(err error, words ...string) {
	s.t.Helper()
	if err == nil {
		s.t.Fatalf("no error, want one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			s.t.Errorf("the error does not say %q:\n%v", w, err)
		}
	}
}

// echoSlowly is a WebSocket that sends back what it hears, after a while.
func echoSlowly(after time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			kind, msg, err := conn.ReadMessage()
			if err != nil {
				return
			}
			time.Sleep(after)
			if conn.WriteMessage(kind, msg) != nil {
				return
			}
		}
	}
}
