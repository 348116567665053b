package httpd

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// Strangers who hold all the connections there are lose the oldest of them, and
// whoever has the token is served all the same.
func TestACrowdOfStrangersKeepsNobodyOut(t *testing.T) {
	h := newHarness(t, Options{})
	agent := h.dial() // with a connection of its own, kept from request to request
	askOn := func(conn net.Conn) int {
		t.Helper()
		if _, err := io.WriteString(conn, h.fill("GET /health HTTP/1.1\n"+hostLine+"\n"+tokenLine+"\n\n")); err != nil {
			return 0
		}
		buf := make([]byte, 4096)
		n, err := conn.Read(buf)
		if err != nil || n < 12 {
			return 0
		}
		return int(buf[9]-'0')*100 + int(buf[10]-'0')*10 + int(buf[11]-'0')
	}
	if status := askOn(agent); status != http.StatusOK {
		t.Fatalf("the agent's first request: %d", status)
	}
	var crowd []net.Conn
	for i := range maxCrowd + 50 {
		conn := h.dial()
		if i%3 == 0 {
			_, _ = io.WriteString(conn, "GET /health HTTP/1.1\r\n") // and no more
		}
		if i%3 == 1 {
			_, _ = io.WriteString(conn, h.fill("GET /health HTTP/1.1\n"+hostLine+"\n\n")) // a refusal, and it stays
		}
		crowd = append(crowd, conn)
	}
	// The first ones are closed.
	closed := 0
	for _, conn := range crowd[:40] {
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.Copy(io.Discard, conn); !errors.Is(err, os.ErrDeadlineExceeded) {
			closed++
		}
	}
	if closed != 40 {
		t.Errorf("%d of the first 40 were closed", closed)
	}
	h.crowd.mu.Lock()
	waiting := h.crowd.waiting.Len()
	h.crowd.mu.Unlock()
	if waiting > maxCrowd {
		t.Errorf("%d strangers are held", waiting)
	}
	if status := askOn(h.dial()); status != http.StatusOK {
		t.Errorf("a new connection with the token: %d", status)
	}
}

func TestTheCrowdForgets(t *testing.T) {
	h := newHarness(t, Options{})
	conns := []net.Conn{h.dial(), h.dial(), h.dial()}
	for _, c := range conns {
		_ = c.Close()
	}
	if status, _, _ := h.ask("GET /health HTTP/1.1", hostLine, tokenLine); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		h.crowd.mu.Lock()
		n := h.crowd.waiting.Len() + len(h.crowd.place)
		h.crowd.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d are remembered", n)
		}
	}
}

// Of two tokens, the one that one reader takes is not the one that another does.
func TestTwoAuthorizationsAreNone(t *testing.T) {
	h := newHarness(t, Options{})
	for _, lines := range [][]string{{tokenLine, tokenLine}, {tokenLine, "Authorization: Bearer x"}, {"Authorization: Bearer x", tokenLine}} {
		if status, _, _ := h.ask(append([]string{"GET /health HTTP/1.1", hostLine}, lines...)...); status != http.StatusUnauthorized {
			t.Errorf("%q: %d", lines, status)
		}
	}
}
