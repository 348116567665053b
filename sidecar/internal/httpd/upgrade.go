package httpd

import (
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// isUpgrade says whether a request asks for another protocol, which HTTP/1.0 knows
// nothing of. An offer of HTTP/2 that comes along with a request is none: see the
// package's Why.
func isUpgrade(r *http.Request) bool {
	protocol := r.Header.Get("Upgrade")
	if protocol == "" || strings.EqualFold(protocol, "h2c") || !r.ProtoAtLeast(1, 1) {
		return false
	}
	for _, line := range r.Header["Connection"] {
		for _, option := range strings.Split(line, ",") {
			if strings.EqualFold(strings.TrimSpace(option), "upgrade") {
				return true
			}
		}
	}
	return false
}

// mustClose says whether a request's connection can't carry another one: where
// the request ends was not told before it began, see [strictConn].
func mustClose(r *http.Request) bool {
	return len(r.TransferEncoding) > 0 || len(r.Header["Upgrade"]) > 0
}

// upgrade gives the live view its sockets and refuses every other upgrade.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	live := s.opts.Live != nil && rawPath(r.RequestURI) == "/live"
	refused := &refusal{status: http.StatusNotFound}
	if live {
		refused = s.guard.checkLive(r)
	} else if r := s.guard.check(r); r != nil {
		refused = r
	}
	if refused != nil {
		if s.enter() {
			defer s.leave()
		}
		refuseUpgrade(w, refused.status)
		return
	}
	if s.isStopping() {
		panic(http.ErrAbortHandler) // nobody would see to the socket any more
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "doing", "live view", "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			panic(http.ErrAbortHandler)
		}
	}()
	s.opts.Live.ServeHTTP(w, r)
}

func (s *Server) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// Bounds on what is read after a refused upgrade: a socket that is closed with
// unread bytes in it resets, and the refusal may be lost.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 64 << 10
)

// refuseUpgrade answers with a bare status, as clients of sockets expect, and
// ends the connection.
func refuseUpgrade(w http.ResponseWriter, status int) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(lingerTime))
	_, err = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status, http.StatusText(status))
	if half, ok := conn.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, buffered, lingerBytes) // until the client closes, too
	}
}
