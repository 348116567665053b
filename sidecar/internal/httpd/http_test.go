package httpd

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

const (
	hostLine  = "Host: HOST"
	tokenLine = "Authorization: Bearer TOKEN"
)

func exportNothing(context.Context) (proto.StorageState, error) { return proto.StorageState{}, nil }

func TestRoutes(t *testing.T) {
	h := newHarness(t, Options{StorageState: func(context.Context) (proto.StorageState, error) {
		return proto.StorageState{Cookies: []proto.Cookie{{Name: "<s>", Value: "1", Domain: "127.0.0.1", Path: "/", Expires: -1, SameSite: "Lax"}}}, nil
	}})
	const (
		notFound = `{"error":"Not found"}`
		noHost   = `{"error":"Host not allowed"}`
		noOrigin = `{"error":"Origin not allowed"}`
		noToken  = `{"error":"Missing or invalid bearer token"}`
		mcp      = `{"answer":42}`
		health   = `{"status":"ok","version":"1.2.3"}`
		state    = `{"storage_state":{"cookies":[{"name":"<s>","value":"1","domain":"127.0.0.1","path":"/","expires":-1,"httpOnly":false,"secure":false,"sameSite":"Lax"}],"origins":[]}}`
	)
	authorised := []string{hostLine, tokenLine}
	for _, c := range []struct {
		line    string
		headers []string
		status  int
		body    string
		mcp     bool // the gateway is asked
	}{
		{"GET /health HTTP/1.1", authorised, 200, health, false},
		{"GET /health?x=1 HTTP/1.1", authorised, 200, health, false},
		{"GET /health/ HTTP/1.1", authorised, 404, notFound, false},
		{"HEAD /health HTTP/1.1", authorised, 404, "", false},
		{"POST /health HTTP/1.1", authorised, 404, notFound, false},
		{"GET /health HTTP/1.1", []string{hostLine}, 401, noToken, false},
		{"GET /health HTTP/1.1", []string{hostLine, tokenLine + "x"}, 401, noToken, false},
		{"GET /health?token=TOKEN HTTP/1.1", []string{hostLine}, 401, noToken, false},
		{"GET /health HTTP/1.0", authorised, 200, health, false},
		{"GET /health HTTP/1.0", []string{tokenLine}, 403, noHost, false},
		{"GET /storage-state HTTP/1.1", authorised, 200, state, false},
		{"GET /storage-state HTTP/1.1", []string{hostLine}, 401, noToken, false},
		{"POST /storage-state HTTP/1.1", authorised, 404, notFound, false},

		{"POST /mcp HTTP/1.1", authorised, 200, mcp, true},
		{"POST /mcp?a=b HTTP/1.1", authorised, 200, mcp, true},
		{"GET /mcp HTTP/1.1", authorised, 200, mcp, true}, // the gateway's to refuse
		{"DELETE /mcp HTTP/1.1", authorised, 200, mcp, true},
		{"POST /mcp HTTP/1.1", []string{hostLine}, 401, noToken, false},
		{"POST /mcp HTTP/1.1", []string{"Host: evil.test", tokenLine}, 403, noHost, false},
		{"POST /mcp HTTP/1.1", []string{hostLine, tokenLine, "Origin: http://HOST"}, 403, noOrigin, false},
		{"POST /mcp HTTP/1.1", []string{hostLine, tokenLine, "Origin:"}, 403, noOrigin, false},
		{"OPTIONS /mcp HTTP/1.1", []string{hostLine, "Origin: http://evil.test", "Access-Control-Request-Method: POST"}, 403, noOrigin, false},

		{"GET /elsewhere HTTP/1.1", authorised, 404, notFound, false},
		{"GET / HTTP/1.1", authorised, 404, notFound, false},
		{"GET /live HTTP/1.1", authorised, 404, notFound, false},
		{"POST /%6dcp HTTP/1.1", authorised, 404, notFound, false},
		{"POST /mcp/ HTTP/1.1", authorised, 404, notFound, false},
		{"POST //mcp HTTP/1.1", authorised, 404, notFound, false},
		{"POST /./mcp HTTP/1.1", authorised, 404, notFound, false},
		{"POST /x/../mcp HTTP/1.1", authorised, 404, notFound, false},
		{"POST /MCP HTTP/1.1", authorised, 404, notFound, false},
		{"POST \\mcp HTTP/1.1", authorised, 400, "", false},
		{"GET // HTTP/1.1", authorised, 404, notFound, false},
		{"GET // HTTP/1.1", []string{hostLine}, 401, noToken, false},
		{"OPTIONS * HTTP/1.1", authorised, 404, notFound, false},
		{"OPTIONS * HTTP/1.1", []string{"Host: evil.test"}, 403, noHost, false},
		{"POST http://evil.test/mcp HTTP/1.1", authorised, 403, noHost, false},
		{"POST http://HOST/mcp HTTP/1.1", []string{"Host: evil.test", tokenLine}, 403, noHost, false},
		{"CONNECT HOST HTTP/1.1", authorised, 403, noHost, false},

		{"GET /health HTTP/1.1", []string{tokenLine}, 400, "", false},
		{"GET /health HTTP/1.1", []string{hostLine, "Host: evil.test", tokenLine}, 400, "", false},
		{"PRI * HTTP/2.0", nil, 400, "", false}, // HTTP/2 by prior knowledge
		{"PRI * HTTP/2.0", []string{"Host: evil.test"}, 403, noHost, false},
		{"POST /mcp HTTP/1.1", []string{hostLine, tokenLine, "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"}, 200, mcp, true},
	} {
		t.Run(c.line+" "+strings.Join(c.headers, " "), func(t *testing.T) {
			before := len(h.mcp.calls())
			status, body, header := h.ask(append([]string{c.line}, c.headers...)...)
			if status != c.status {
				t.Errorf("status %d, want %d; body %q", status, c.status, body)
			}
			if asked := len(h.mcp.calls()) > before; asked != c.mcp {
				t.Errorf("gateway asked: %v", asked)
			}
			if status == http.StatusBadRequest {
				return // net/http's own answer
			}
			if d := cmp.Diff(c.body, body); d != "" {
				t.Errorf("body (-want +got):\n%s", d)
			}
			length := strconv.Itoa(len(body))
			if strings.HasPrefix(c.line, "HEAD ") {
				length = strconv.Itoa(len(notFound))
			}
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Cache-Control": "no-store", "Content-Length": length,
				"Access-Control-Allow-Origin": "", "Www-Authenticate": "", "Location": "", "Transfer-Encoding": "",
			} {
				if got := header.Get(name); got != value {
					t.Errorf("%s: %q, want %q", name, got, value)
				}
			}
		})
	}
}

func TestMCPIsHandedTheRequest(t *testing.T) {
	h := newHarness(t, Options{})
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	answer := h.raw("POST /mcp HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\nMcp-Session-Id: abc\nContent-Length: " +
		strconv.Itoa(len(body)) + "\nConnection: close\n\n" + body)
	if d := cmp.Diff([]string{"POST abc " + body}, h.mcp.calls()); d != "" {
		t.Errorf("the gateway saw (-want +got):\n%s", d)
	}
	if !strings.Contains(answer, "Mcp-Session-Id: the-session\r\n") {
		t.Errorf("answer %q", answer)
	}
}

func TestStorageState(t *testing.T) {
	h := newHarness(t, Options{})
	if status, body, _ := h.ask("GET /storage-state HTTP/1.1", hostLine, tokenLine); status != 404 || body != `{"error":"Not found"}` {
		t.Errorf("without a browser: %d %s", status, body)
	}
	h = newHarness(t, Options{StorageState: exportNothing})
	if status, body, _ := h.ask("GET /storage-state HTTP/1.1", hostLine, tokenLine); status != 200 || body != `{"storage_state":{"cookies":[],"origins":[]}}` {
		t.Errorf("of nothing: %d %s", status, body)
	}
	var log lockedBuffer
	h = newHarness(t, Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
		StorageState: func(context.Context) (proto.StorageState, error) {
			return proto.StorageState{}, errors.New("page hung")
		},
	})
	if status, body, _ := h.ask("GET /storage-state HTTP/1.1", hostLine, tokenLine); status != 500 || body != `{"error":"Internal error"}` {
		t.Errorf("failing: %d %s", status, body)
	}
	if !strings.Contains(log.String(), "page hung") {
		t.Errorf("log: %s", log.String())
	}
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestPanics(t *testing.T) {
	var log lockedBuffer
	gateway := &fakeMCP{serve: func(http.ResponseWriter, *http.Request) { panic("of a handler") }}
	h := newHarness(t, Options{MCP: gateway, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if status, body, header := h.ask("POST /mcp HTTP/1.1", hostLine, tokenLine); status != 500 ||
		body != `{"error":"Internal error"}` || header.Get("Cache-Control") != "no-store" {
		t.Errorf("answer %d %s", status, body)
	}
	if got := log.String(); !strings.Contains(got, "of a handler") || !strings.Contains(got, "http_test.go") || strings.Contains(got, testToken) {
		t.Errorf("log: %s", got)
	}
	gateway.mu.Lock()
	gateway.serve = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"half":`)
		panic("too late")
	}
	gateway.mu.Unlock()
	answer := h.raw("POST /mcp HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\n\n")
	if strings.Contains(answer, "Internal error") || !strings.HasPrefix(answer, "HTTP/1.1 200 OK") {
		t.Errorf("answer %q", answer)
	}
}

func TestHeaderLimit(t *testing.T) {
	h := newHarness(t, Options{})
	for _, c := range []struct {
		size   int // of request line and headers
		status int
	}{{15 << 10, 200}, {17 << 10, 431}} {
		head := h.fill("GET /health HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\nConnection: close\nX: ")
		conn := h.dial()
		if _, err := io.WriteString(conn, head+strings.Repeat("x", c.size-len(head)-4)+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(conn) // what was not read of the request may reset the connection
		if !strings.HasPrefix(string(answer), "HTTP/1.1 "+strconv.Itoa(c.status)) {
			t.Errorf("%d bytes: %.100q", c.size, answer)
		}
	}
}

func TestUpgrades(t *testing.T) {
	const ws = "Upgrade: websocket\nConnection: keep-alive, Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n"
	live := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n\r\nlive")
	})
	without := newHarness(t, Options{LiveOrigins: []string{dashboard}})
	with := newHarness(t, Options{Live: live, LiveOrigins: []string{dashboard}})
	const bare = "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	for _, c := range []struct {
		name    string
		h       *harness
		request string
		want    string
	}{
		{"mcp without token", without, "GET /mcp HTTP/1.1\n" + hostLine + "\n", "HTTP/1.1 401 Unauthorized" + bare},
		{"mcp, foreign host", without, "GET /mcp HTTP/1.1\nHost: evil.test\n" + tokenLine + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"mcp, origin", without, "GET /mcp HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"mcp with token", without, "GET /mcp HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\n", "HTTP/1.1 404 Not Found" + bare},
		{"mcp by POST with a body", without, "POST /mcp HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\nContent-Length: 2\n", "HTTP/1.1 404 Not Found" + bare},
		{"no live view, dashboard", without, "GET /live HTTP/1.1\n" + hostLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"no live view, token", without, "GET /live HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\n", "HTTP/1.1 404 Not Found" + bare},
		{"dashboard", with, "GET /live HTTP/1.1\n" + hostLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 101 Switching Protocols\r\n\r\nlive"},
		{"attacker", with, "GET /live HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\nOrigin: http://attacker.test\n", "HTTP/1.1 403 Forbidden" + bare},
		{"no origin", with, "GET /live HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"empty origin", with, "GET /live HTTP/1.1\n" + hostLine + "\nOrigin:\n", "HTTP/1.1 403 Forbidden" + bare},
		{"foreign host", with, "GET /live HTTP/1.1\nHost: evil.test\nOrigin: " + dashboard + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"ticket in the address", with, "GET /live?ticket=abc HTTP/1.1\n" + hostLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 400 Bad Request" + bare},
		{"mcp from the dashboard", with, "GET /mcp HTTP/1.1\n" + hostLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"another spelling", with, "GET /%6cive HTTP/1.1\n" + hostLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 403 Forbidden" + bare},
		{"absolute target", with, "GET http://HOST/live HTTP/1.1\n" + hostLine + "\nOrigin: " + dashboard + "\n", "HTTP/1.1 403 Forbidden" + bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := c.h.dial()
			if _, err := io.WriteString(conn, c.h.fill(c.request+ws)); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(conn)
			if err != nil || string(answer) != c.want {
				t.Errorf("answer %q %v, want %q", answer, err, c.want)
			}
		})
	}
}

func TestListen(t *testing.T) {
	h := newHarness(t, Options{})
	if addr := h.listener.Addr().(*net.TCPAddr); !addr.IP.Equal(net.IPv4(127, 0, 0, 1)) || addr.Port != h.port || h.port == 0 {
		t.Errorf("listens on %v, said %d", addr, h.port)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Host: "127.0.0.1", Port: h.port}, "is taken by another program"},
		{Options{Host: "192.0.2.1"}, "this machine has no address 192.0.2.1:0"},
		{Options{Host: "no-such-host.invalid"}, "no-such-host.invalid:0 does not resolve"},
		{Options{Host: "127.0.0.1", Port: 70000}, "127.0.0.1:70000"},
	} {
		_, err := New(c.o).Listen()
		if !errors.Is(err, proto.CodeListenFailed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
