package apptest

import (
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/testdata/app"
)

// headerWait bounds how long a client may take for its request's head; a test
// that connects and says nothing must not hold the server.
const headerWait = 30 * time.Second

// Site is the site under test on a loopback port. What arrived is read through
// the embedded App: Orders, Requests, Hits, Account.
type Site struct {
	*app.App
	port int
}

// Start serves the site on 127.0.0.1 until the test ends.
func Start(t testing.TB) *Site {
	t.Helper()
	a := app.New()
	ln := listen(t, "127.0.0.1")
	serve(t, ln, a)
	t.Cleanup(a.Close) // before the server's own end: it waits for the handlers
	return &Site{a, ln.Addr().(*net.TCPAddr).Port}
}

// URL is "http://127.0.0.1:PORT", without a slash at the end.
func (s *Site) URL() string { return "http://127.0.0.1:" + strconv.Itoa(s.port) }

// LocalhostURL is the same server as "http://localhost:PORT": for a browser
// another site.
func (s *Site) LocalhostURL() string { return "http://localhost:" + strconv.Itoa(s.port) }

// Host is "127.0.0.1:PORT".
func (s *Site) Host() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

// Port is the port that the server listens on.
func (s *Site) Port() int { return s.port }

// Serve answers with h on 127.0.0.1 until the test ends, and returns
// "http://127.0.0.1:PORT".
func Serve(t testing.TB, h http.Handler) string {
	t.Helper()
	ln := listen(t, "127.0.0.1")
	serve(t, ln, h)
	return "http://" + ln.Addr().String()
}

func listen(t testing.TB, host string) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatalf("listen on %s: %v", host, err)
	}
	return ln
}

func serve(t testing.TB, ln net.Listener, h http.Handler) {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: headerWait, ErrorLog: discard()}
	served := make(chan struct{})
	go func() {
		defer close(served)
		srv.Serve(ln)
	}()
	t.Cleanup(func() {
		srv.Close()
		<-served
	})
}
