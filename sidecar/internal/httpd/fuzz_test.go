package httpd

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Whatever a request target is, it reaches a route only in that route's one
// spelling, under our own name, and the server goes on.
func FuzzRequestTarget(f *testing.F) {
	for _, seed := range []string{
		"/mcp", "/mcp?x", "/%6dcp", "//", "//mcp", "/mcp/", "/./mcp", "/a/../mcp", "/mcp#x", "/mcp;x", "/mcp%00", "*", "",
		"http://evil.test/mcp", "http:/mcp", "http:mcp", "http://", "evil.test:80", "\\mcp", "/mcp\\", "/mcp%", "/%2fmcp",
		"/health?/mcp", "/storage-state", "/live", "/live?ticket=x", "/\xff", "/mcp HTTP/1.1", "/mcp\tx",
	} {
		f.Add(seed)
	}
	shared := newHarness(f, Options{}) // one for all: a listener each would use up the ports
	f.Fuzz(func(t *testing.T, target string) {
		if strings.ContainsAny(target, "\r\n") {
			t.Skip("more than a target")
		}
		own := *shared
		own.t = t
		h := &own
		before := len(h.mcp.calls())
		conn := h.dial()
		line := "GET " + target + " HTTP/1.1\r\n"
		if _, err := io.WriteString(conn, line+h.fill(hostLine+"\n"+tokenLine+"\nConnection: close\n\n")); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", target, err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		path, _, _ := strings.Cut(target, "?")
		want := map[int]bool{http.StatusNotFound: true, http.StatusForbidden: true, http.StatusBadRequest: true, http.StatusRequestHeaderFieldsTooLarge: true}
		switch {
		case resp.StatusCode == http.StatusBadRequest: // net/http could not read it
		case path == "/mcp", path == "/health":
			want = map[int]bool{http.StatusOK: true}
		}
		if !want[resp.StatusCode] {
			t.Errorf("%q: %d %s", target, resp.StatusCode, body)
		}
		if asked := len(h.mcp.calls()) > before; asked != (resp.StatusCode == http.StatusOK && path == "/mcp") {
			t.Errorf("%q: gateway asked: %v", target, asked)
		}
		if status, _, _ := h.ask("GET /health HTTP/1.1", hostLine, tokenLine); status != http.StatusOK {
			t.Errorf("after %q: %d", target, status)
		}
	})
}
