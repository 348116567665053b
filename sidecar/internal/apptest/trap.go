package apptest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// Mark is in every answer of a trap: where it shows up, a wall has a hole.
const Mark = "pillion-trap-was-reached"

// Trap is an address on loopback that nothing should reach. It counts what
// does, and answers, so that a hole shows on both sides.
type Trap struct {
	addr string // host:port

	mu    sync.Mutex
	hits  int
	bytes int64
	seen  []string
}

// Sniffer starts a trap for TCP on the given host, 127.0.0.1 when there is
// none. HTTP of any method is answered with a page that carries Mark and allows
// everything (cross-origin reads, credentialed prerender); other protocols get
// an HTTP error.
func Sniffer(t testing.TB, host ...string) *Trap {
	t.Helper()
	ln := listen(t, append(host, "127.0.0.1")[0])
	trap := &Trap{addr: ln.Addr().String()}
	serve(t, sniffed{ln, trap}, http.HandlerFunc(trap.answer))
	return trap
}

// UDPSniffer starts a trap for datagrams on 127.0.0.1. STUN binding requests
// are answered, so that a browser that gets through shows a candidate.
func UDPSniffer(t testing.TB) *Trap {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatalf("listen for datagrams: %v", err)
	}
	trap := &Trap{addr: conn.LocalAddr().String()}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b := make([]byte, 64<<10)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			trap.reached(fmt.Sprintf("datagram of %d bytes from %v", n, from))
			trap.got(n)
			if answer := stunAnswer(b[:n], from); answer != nil {
				conn.WriteToUDPAddrPort(answer, from)
			}
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		<-ended
	})
	return trap
}

// Addr is "HOST:PORT".
func (s *Trap) Addr() string { return s.addr }

// Port is the port that the trap listens on.
func (s *Trap) Port() int {
	_, port, _ := net.SplitHostPort(s.addr)
	n, _ := strconv.Atoi(port)
	return n
}

// URL is "http://HOST:PORT/".
func (s *Trap) URL() string { return "http://" + s.addr + "/" }

// Hits counts connections, or datagrams for UDP. A connection without a byte
// is one: a browser that merely connects ahead has told the host's name.
func (s *Trap) Hits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits
}

// Bytes counts what was received.
func (s *Trap) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Seen describes what arrived: connections, request lines, datagrams.
func (s *Trap) Seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// WantSilent fails the test when anything has reached the trap.
func (s *Trap) WantSilent(t testing.TB) {
	t.Helper()
	if hits := s.Hits(); hits > 0 {
		t.Errorf("the trap at %s was reached %d times, with %d bytes: %q", s.addr, hits, s.Bytes(), s.Seen())
	}
}

// seenKept bounds the descriptions; a leak repeats itself.
const seenKept = 100

func (s *Trap) note(what string) {
	if len(s.seen) < seenKept {
		s.seen = append(s.seen, what)
	}
}

func (s *Trap) reached(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits++
	s.note(what)
}

func (s *Trap) got(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(n)
}

func (s *Trap) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.note(fmt.Sprintf("%s %s (Host %s, Origin %s)", r.Method, r.RequestURI, r.Host, r.Header.Get("Origin")))
	s.mu.Unlock()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Supports-Loading-Mode", "credentialed-prerender")
	h.Set("Cache-Control", "no-store")
	io.WriteString(w, "<!doctype html><title>"+Mark+"</title><h1>"+Mark+"</h1>")
}

// sniffed counts the connections of a listener and the bytes that they bring.
type sniffed struct {
	net.Listener
	trap *Trap
}

func (l sniffed) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.trap.reached("connection from " + c.RemoteAddr().String())
	return counted{c, l.trap}, nil
}

type counted struct {
	net.Conn
	trap *Trap
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.trap.got(n)
	return n, err
}
