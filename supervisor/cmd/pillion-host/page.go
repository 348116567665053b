package main

import (
	"context"
	"net"
	"net/http"

	"github.com/pillion-browser/pillion/supervisor/dashboard"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// local is who uses this host: it has no sign-in and answers to its own machine
// alone.
func local() hostapi.Identity { return hostapi.Identity{Owner: "local", User: "local", Name: "You"} }

// newSite is everything that this host serves: the dashboard at "/", the API
// below it, and what both lead to.
func newSite(host *hostapi.Host, usage *hostapi.MemoryUsage, status *status, tape *tape, doctor doctor) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", dashboard.New(dashboard.Options{
		Host: host,
		Minutes: func(_ context.Context, owner string) (int, error) {
			return usage.Total(owner, hostapi.BrowserMinutes), nil
		},
		Recordings: tape.list(),
		Doctor:     doctor,
		Agent:      func(string) *dashboard.Agent { return status.readAgent() },
		Events:     func(string) []dashboard.Event { return status.readEvents() },
	}))
	for _, path := range []string{"/api/", "/live/", "/mcp/"} {
		mux.Handle(path, host)
	}
	tape.routes(mux, host)
	mux.Handle("GET /metrics", known(host, host.Metrics()))
	mux.Handle("GET "+screenshotPath, known(host, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		picture := status.screenshot()
		if picture == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Write(picture)
	})))
	return guard(mux)
}

// known lets in whom the host's API lets in.
func known(host *hostapi.Host, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := host.Identify(r); err != nil {
			http.Error(w, "This host answers to its own machine alone.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// guard refuses requests that reached this loopback address under another
// name: a page elsewhere can point its own name here and would then read along.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "Host not allowed", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
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
