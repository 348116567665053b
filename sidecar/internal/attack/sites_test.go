//go:build linux

package attack

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/testdata/app"
)

// arrival is one connection, or one request on it.
type arrival struct {
	at   netip.AddrPort // where to
	host string         // the Host header; "" for a connection
	line string         // method and target; "" for a connection
}

func (a arrival) String() string {
	if a.line == "" {
		return fmt.Sprintf("connection to %v", a.at)
	}
	return fmt.Sprintf("%s at %v for %s", a.line, a.at, a.host)
}

// sites are servers on some ports of every address of a namespace. They serve a
// page that carries apptest.Mark and allows everything; names that were given an
// app serve that.
type sites struct {
	mu   sync.Mutex
	seen []arrival
	apps map[string]*app.App // by Host header
}

// sitePorts are those that the servers listen on: what rows name, and what
// browsers take for the web.
func sitePorts() []int { return []int{80, 443, 7001, 8080, 9001} }

// newSites starts the servers in the calling thread's namespace.
func newSites(t *testing.T) *sites {
	t.Helper()
	s := &sites{apps: map[string]*app.App{}}
	for _, port := range sitePorts() {
		ln, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{
			Handler: s, ReadHeaderTimeout: apptest.Patience, ErrorLog: log.New(io.Discard, "", 0),
			ConnState: func(c net.Conn, state http.ConnState) {
				if state == http.StateNew {
					s.note(arrival{at: addrPort(c.LocalAddr())})
				}
			},
		}
		ended := make(chan struct{})
		go func() { defer close(ended); server.Serve(ln) }()
		t.Cleanup(func() { server.Close(); <-ended })
	}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, a := range s.apps {
			a.Close()
		}
	})
	return s
}

func addrPort(a net.Addr) netip.AddrPort {
	ap := a.(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap().WithZone(""), ap.Port())
}

func (s *sites) note(a arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, a)
}

func (s *sites) mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// since is what arrived after a mark and that want picks; nil picks all.
func (s *sites) since(mark int, want func(arrival) bool) []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.seen[mark:]), func(a arrival) bool { return want != nil && !want(a) })
}

// asked picks requests to a host, by its name or one that begins with it.
func asked(host string) func(arrival) bool {
	return func(a arrival) bool { return strings.HasPrefix(a.host, host) }
}

// ServeHTTP answers with a page that runs the script that the query may hold.
func (s *sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	s.note(arrival{at: addrPort(local), host: r.Host, line: r.Method + " " + r.RequestURI})
	s.mu.Lock()
	own := s.apps[r.Host]
	s.mu.Unlock()
	if own != nil {
		own.ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Supports-Loading-Mode", "credentialed-prerender")
	h.Set("Cache-Control", "no-store")
	fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>%s</h1><script>%s</script>", apptest.Mark, apptest.Mark, r.URL.Query().Get("js"))
}
