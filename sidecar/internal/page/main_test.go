package page_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	protocol "github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// chromium is the one browser of all tests here; each test has its own tab.
var chromium struct {
	once    sync.Once
	browser *browser.Browser
	err     error
	cleanup []func()
}

func TestMain(m *testing.M) {
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	code := m.Run()
	for i := len(chromium.cleanup) - 1; i >= 0; i-- {
		chromium.cleanup[i]()
	}
	if left := goroutinesLeft(); left != "" {
		fmt.Fprintln(os.Stderr, "these goroutines outlive the tests:\n"+left)
		code = cmp.Or(code, 1)
	}
	os.Exit(code)
}

// goroutinesLeft are those of this module that do not end by themselves.
func goroutinesLeft() (left string) {
	const patience = 5 * time.Second
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(10 * time.Millisecond) {
		left = ""
		stacks := make([]byte, 1<<20)
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "/sidecar/internal/") && !strings.Contains(g, "goroutinesLeft") {
				left += g + "\n\n"
			}
		}
		if left == "" {
			return ""
		}
	}
	return left
}

// theBrowser starts Chromium the first time it is needed.
func theBrowser(t testing.TB) *browser.Browser {
	t.Helper()
	chromium.once.Do(func() { chromium.browser, chromium.err = launch() })
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	return chromium.browser
}

func launch() (*browser.Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	atEnd := func(f func()) { chromium.cleanup = append(chromium.cleanup, f) }
	user, err := chrome.PickUser()
	if err != nil {
		return nil, err
	}
	atEnd(func() { user.Close() })
	binary, err := chrome.Find(ctx, chrome.Want{Chromium: os.Getenv("PILLION_TEST_CHROMIUM")})
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "pillion-page-test-")
	if err != nil {
		return nil, err
	}
	atEnd(func() { os.RemoveAll(profile) })
	if user != nil && user.Dedicated {
		if err := os.Chown(profile, user.UID, user.GID); err != nil {
			return nil, err
		}
	}
	seat, err := chrome.Prepare(ctx, chrome.Options{Binary: binary, User: user, Profile: profile})
	if err != nil {
		return nil, err
	}
	proxy := &http.Server{Handler: http.HandlerFunc(passOn), ReadHeaderTimeout: time.Minute}
	go proxy.Serve(seat.Listener())
	atEnd(func() { proxy.Close() })
	process, err := seat.Start(ctx, seat.Listener().Addr().String())
	if err != nil {
		return nil, err
	}
	conn := cdp.New(process.Transport())
	atEnd(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		process.Stop(ctx)
		conn.Close()
		<-process.Done()
	})
	b, err := browser.Start(ctx, browser.Options{Conn: conn, Pin: everywhere{}, Viewport: proto.Viewport{Width: 1280, Height: 720}})
	if err != nil {
		return nil, process.Explain(err)
	}
	return b, nil
}

// everywhere lets the tabs of tests go where they like.
type everywhere struct{}

func (everywhere) MayNavigate(string) bool { return true }
func (everywhere) OnApp(string) bool       { return true }

// passOn is a proxy without rules, to loopback only.
func passOn(w http.ResponseWriter, r *http.Request) {
	if host, _, _ := strings.Cut(r.Host, ":"); host != "127.0.0.1" && host != "localhost" {
		http.Error(w, "not in tests", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodConnect {
		(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1}).ServeHTTP(w, r)
		return
	}
	there, err := net.Dial("tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go io.Copy(there, here)
	io.Copy(here, there)
}

// stage is a tab, its view, and a site whose pages are strings or files.
type stage struct {
	t    testing.TB
	ctx  context.Context
	tab  *browser.Tab
	view *page.View
	mux  *http.ServeMux
	url  string
}

// newStage opens a tab; its view is made at once, as numbers of frames are given
// in the order in which the view meets them.
func newStage(t testing.TB) *stage {
	t.Helper()
	b := theBrowser(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tab, err := b.NewTab(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		tab.Close(ctx)
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	return &stage{t: t, ctx: ctx, tab: tab, view: page.New(tab), mux: mux, url: server.URL}
}

// serve answers path with an HTML document; {other} in it is the address of the
// same site under another name, which for a browser is another site.
func (s *stage) serve(path, body string) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		other := strings.Replace(s.url, "127.0.0.1", "localhost", 1)
		io.WriteString(w, "<!doctype html><meta charset=utf-8><title>t</title>"+strings.ReplaceAll(body, "{other}", other))
	})
}

// open serves body as the site's first page and goes there.
func open(t testing.TB, body string) *stage {
	t.Helper()
	s := newStage(t)
	s.serve("/{$}", body)
	s.visit("/")
	return s
}

func (s *stage) visit(path string) {
	s.t.Helper()
	if _, err := s.tab.Navigate(s.ctx, s.url+path); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) snapshot(options ...page.Options) string {
	s.t.Helper()
	snap, err := s.view.Snapshot(s.ctx, append(options, page.Options{})[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return snap.Text
}

// js runs an expression in the page's own world.
func (s *stage) js(expression string) string {
	s.t.Helper()
	yes := true
	res, err := pcdp.Call(s.ctx, s.tab.Session(), protocol.Evaluate, protocol.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
	if err != nil || res.ExceptionDetails != nil {
		s.t.Fatalf("%s: %v %+v", expression, err, res.ExceptionDetails)
	}
	return string(res.Result.Value)
}

// want compares a snapshot with the expected lines.
func (s *stage) want(got string, lines ...string) {
	s.t.Helper()
	if want := strings.Join(lines, "\n"); got != want {
		s.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
