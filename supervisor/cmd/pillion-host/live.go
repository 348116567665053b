package main

import (
	"net"
	"net/http"
	"sync/atomic"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/viewer"
)

// livePath is where people watch and drive the browser.
const livePath = "/live/"

// liveView is the browser's live view, from when there is a browser.
type liveView struct{ handler atomic.Pointer[http.Handler] }

// show begins to serve it. This host has no sign-in and is reached from this
// machine alone, so whoever comes is its user.
func (v *liveView) show(b *supervisor.Browser) {
	user := supervisor.Viewer{ID: "local", Name: "You"}
	who := func(*http.Request, proto.TicketMode) (supervisor.Viewer, error) { return user, nil }
	h := http.StripPrefix(livePath[:len(livePath)-1], viewer.New(b, who))
	v.handler.Store(&h)
}

func (v *liveView) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := v.handler.Load()
	if h == nil {
		http.Error(w, "The browser is still starting.", http.StatusServiceUnavailable)
		return
	}
	(*h).ServeHTTP(w, r)
}

// liveOrigins are the names under which a browser on this machine may have loaded
// the page at addr, which is loopback.
func liveOrigins(addr string) []string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil
	}
	var origins []string
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		origins = append(origins, "http://"+net.JoinHostPort(host, port))
	}
	return origins
}
