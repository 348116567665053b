package browsertest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Shared is a browser without rules that the tests of a package share; they keep
// it in a variable of the test.
type Shared struct {
	Script string // the browser's option of that name

	once    sync.Once
	browser *browser.Browser
	err     error
	undo    undo
}

// Main is the package's TestMain; see the package's.
func (s *Shared) Main(m *testing.M) { testMain(m, s.undo.run) }

// Browser starts the browser when it is first asked for. Its dialogs wait for an
// answer.
func (s *Shared) Browser(t testing.TB) *browser.Browser {
	t.Helper()
	s.once.Do(func() { s.browser, s.err = s.start() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.browser
}

func (s *Shared) start() (*browser.Browser, error) {
	b, err := startFree(&s.undo, func(o *browser.Options) {
		o.Script = s.Script
		o.MaxTabs = 500 // a tab each for the tests that run side by side or fail to close theirs
	})
	if err == nil {
		b.HoldDialogs()
	}
	return b, err
}

// Free starts a browser without rules for one test, for what a shared one can't
// have: options of its own.
func Free(t testing.TB, change ...func(*browser.Options)) *browser.Browser {
	t.Helper()
	var undo undo
	t.Cleanup(func() {
		if err := undo.run(); err != nil {
			t.Error(err)
		}
	})
	b, err := startFree(&undo, change...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func startFree(undo *undo, change ...func(*browser.Options)) (*browser.Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := launch(ctx, undo)
	if err != nil {
		return nil, err
	}
	proxy := &http.Server{Handler: http.HandlerFunc(forward), ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = proxy.Serve(l.seat.Listener()) // ends with Close
	}()
	undo.add(func() error { err := proxy.Close(); <-served; return err })
	conn, process, err := l.start(ctx, undo)
	if err != nil {
		return nil, err
	}
	o := browser.Options{Conn: conn, Pin: anywhere{}, Viewport: proto.Viewport{Width: 1280, Height: 720}}
	for _, c := range change {
		c(&o)
	}
	b, err := browser.Start(ctx, o)
	if err != nil {
		return nil, process.Explain(err)
	}
	return b, nil
}

// anywhere lets the tabs of tests go where they like.
type anywhere struct{}

func (anywhere) MayNavigate(string) bool { return true }
func (anywhere) OnApp(string) bool       { return true }
func (anywhere) Widening(string) string  { return "" }

// forward is a proxy for plain HTTP and for tunnels, to this machine only.
func forward(w http.ResponseWriter, r *http.Request) {
	if host := r.URL.Hostname(); host != "127.0.0.1" && host != "localhost" {
		http.Error(w, "the tests stay at home", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodConnect {
		apptest.Proxy(&httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)}).ServeHTTP(w, r)
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
