package httpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

const testToken = "token-0123456789-0123456789-0123456789"

// fakeMCP stands for the gateway.
type fakeMCP struct {
	mu    sync.Mutex
	seen  []string // "METHOD session body"
	serve http.HandlerFunc
	stop  func(context.Context) error
}

func (f *fakeMCP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.seen = append(f.seen, r.Method+" "+r.Header.Get("Mcp-Session-Id")+" "+string(body))
	serve := f.serve
	f.mu.Unlock()
	if serve != nil {
		serve(w, r)
		return
	}
	w.Header().Set("Mcp-Session-Id", "the-session")
	writeJSON(w, http.StatusOK, map[string]int{"answer": 42})
}

func (f *fakeMCP) Stop(ctx context.Context) error {
	if f.stop != nil {
		return f.stop(ctx)
	}
	return nil
}

func (f *fakeMCP) calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.seen...)
}

// harness is a server on a port of the loopback.
type harness struct {
	*Server
	t    testing.TB
	mcp  *fakeMCP
	port int
}

func newHarness(t testing.TB, o Options) *harness {
	t.Helper()
	h := &harness{t: t}
	if o.MCP == nil {
		h.mcp = new(fakeMCP)
		o.MCP = h.mcp
	}
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	o.Token, o.Version = proto.NewSecret(testToken), "1.2.3"
	h.Server = New(o)
	var err error
	if h.port, err = h.Listen(); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := h.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return h
}

// host is the server's own Host value.
func (h *harness) host() string { return fmt.Sprintf("127.0.0.1:%d", h.port) }

// dial opens a connection that does not outlive the test.
func (h *harness) dial() net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.listener.Addr().String())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

// raw sends bytes and gives all that comes back until the connection ends.
// HOST and TOKEN stand for the right ones; newlines are HTTP's.
func (h *harness) raw(request string) string {
	h.t.Helper()
	conn := h.dial()
	if _, err := io.WriteString(conn, h.fill(request)); err != nil {
		h.t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		h.t.Fatalf("%q: after %q: %v", request, answer, err)
	}
	return string(answer)
}

func (h *harness) fill(request string) string {
	return strings.NewReplacer("\n", "\r\n", "HOST", h.host(), "TOKEN", testToken).Replace(request)
}

// ask sends a request line and headers with Connection: close, and gives the
// status and the body.
func (h *harness) ask(lines ...string) (status int, body string, header http.Header) {
	h.t.Helper()
	answer := h.raw(strings.Join(append(lines, "Connection: close"), "\n") + "\n\n")
	method, _, _ := strings.Cut(lines[0], " ")
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), &http.Request{Method: method})
	if err != nil {
		h.t.Fatalf("%q: %q: %v", lines, answer, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatalf("%q: %q: %v", lines, answer, err)
	}
	return resp.StatusCode, string(data), resp.Header
}
