//go:build linux

package attack

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// hostileHost is where an app stands that is against its user.
const hostileHost = "127.0.0.1:7100"

// hostile is an app whose pages choose the headers of its answers, and which
// remembers what it was sent.
type hostile struct {
	mu   sync.Mutex
	seen []*http.Request
}

func serveHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{}
	ln, err := net.Listen("tcp", hostileHost)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: apptest.Patience, ErrorLog: log.New(io.Discard, "", 0)}
	ended := make(chan struct{})
	go func() { defer close(ended); server.Serve(ln) }()
	t.Cleanup(func() { server.Close(); <-ended })
	return h
}

// requests are those seen so far.
func (h *hostile) requests() []*http.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*http.Request(nil), h.seen...)
}

// ServeHTTP answers /head with the fields, the status and the body that the query
// names, /early with a hint first, /echo with what it was sent, /bomb with zeros
// without an end, packed.
func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.seen = append(h.seen, r)
	h.mu.Unlock()
	q, header := r.URL.Query(), w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	switch r.URL.Path {
	case "/echo":
		_ = json.NewEncoder(w).Encode(r.Header)
		return
	case "/early":
		header.Set("Link", "<"+q.Get("to")+">; rel=preload; as=image, <"+q.Get("to")+">; rel=preconnect")
		w.WriteHeader(http.StatusEarlyHints)
	case "/bomb":
		header.Set("Content-Encoding", "gzip")
		header.Set("Content-Type", q.Get("type"))
		if name := q.Get("name"); name != "" {
			header.Set("Content-Disposition", "attachment; filename="+name)
		}
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 8 << 10 { // eight gigabytes, unless somebody stops it
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
		z.Close()
		return
	}
	for _, field := range q["h"] {
		name, value, _ := strings.Cut(field, ": ")
		header.Add(name, value)
	}
	if code, err := strconv.Atoi(q.Get("code")); err == nil {
		w.WriteHeader(code)
	}
	fmt.Fprintf(w, "<!doctype html><title>hostile</title><body>%s", q.Get("body"))
}
