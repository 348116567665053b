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
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// shared is the one browser of a test process.
var shared struct {
	once    sync.Once
	browser *browser.Browser
	err     error
	undo    undo
}

// Shared is the browser without rules that a package's tests share. Its dialogs
// wait for an answer.
func Shared(t testing.TB) *browser.Browser {
	t.Helper()
	shared.once.Do(func() { shared.browser, shared.err = startShared() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.browser
}

func stopShared() error { return shared.undo.run() }

func startShared() (*browser.Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := launch(ctx, &shared.undo)
	if err != nil {
		return nil, err
	}
	proxy := &http.Server{Handler: http.HandlerFunc(forward), ReadHeaderTimeout: patience, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = proxy.Serve(l.seat.Listener()) // ends with Close
	}()
	shared.undo.add(func() error { err := proxy.Close(); <-served; return err })
	conn, process, err := l.start(ctx, &shared.undo)
	if err != nil {
		return nil, err
	}
	b, err := browser.Start(ctx, browser.Options{
		Conn: conn, Pin: anywhere{}, Viewport: proto.Viewport{Width: 1280, Height: 720},
		MaxTabs: 500, // a tab each for the tests that run side by side or fail to close theirs
	})
	if err != nil {
		return nil, process.Explain(err)
	}
	b.HoldDialogs()
	return b, nil
}

// anywhere lets the tabs of tests go where they like.
type anywhere struct{}

func (anywhere) MayNavigate(string) bool { return true }
func (anywhere) OnApp(string) bool       { return true }

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
