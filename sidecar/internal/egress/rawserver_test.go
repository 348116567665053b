package egress

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// rawServer answers every connection's first bytes with the same bytes, and then
// closes it, or holds it open.
type rawServer struct {
	addr string
	hold bool
	done chan struct{} // closed when a held connection has been closed by the other side

	mu  sync.Mutex
	got strings.Builder
}

func newRawServer(t testing.TB, answer string) *rawServer { return startRaw(t, answer, false) }

// newHoldingServer sends answer and then waits for the other side to leave.
func newHoldingServer(t testing.TB, answer string) *rawServer { return startRaw(t, answer, true) }

func startRaw(t testing.TB, answer string, hold bool) *rawServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{addr: l.Addr().String(), hold: hold, done: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		var once sync.Once
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer func() { _ = c.Close() }()
				_ = c.SetDeadline(time.Now().Add(patience))
				buf := make([]byte, 64<<10)
				n, _ := c.Read(buf)
				s.mu.Lock()
				s.got.Write(buf[:n])
				s.mu.Unlock()
				_, _ = io.WriteString(c, answer)
				if !s.hold {
					// Let the answer be read before the reset that unread bytes cause.
					_ = c.(*net.TCPConn).CloseWrite()
				}
				if _, err := io.Copy(io.Discard, c); s.hold && (err == nil || !strings.Contains(err.Error(), "timeout")) {
					once.Do(func() { close(s.done) })
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return s
}

// request is what the server has read.
func (s *rawServer) request() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got.String()
}

// mustBeLeft waits for the proxy to give up its connection.
func (s *rawServer) mustBeLeft(t testing.TB) {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		t.Error("the connection to the server is still open")
	}
}
