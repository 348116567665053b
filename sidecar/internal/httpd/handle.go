package httpd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto/exposition"
)

// handle answers one request.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	if isUpgrade(r) {
		s.upgrade(w, r)
		return
	}
	answer := &response{ResponseWriter: w}
	if s.enter() {
		defer s.leave()
	} else {
		w.Header().Set("Connection", "close")
	}
	if mustClose(r) {
		w.Header().Set("Connection", "close")
	}
	// What is answered has left this process before the request counts as done.
	defer answer.flush()
	defer s.recoverInto(answer)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if s.opts.Page != nil && r.Method == http.MethodGet && r.RequestURI == "/viewer" && s.guard.checkPage(r) == nil {
		s.opts.Page.ServeHTTP(answer, r)
		return
	}
	if refused := s.guard.check(r); refused != nil {
		// The server reads the rest of a request before the next one.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTimeout))
		writeError(answer, refused.status, refused.text)
		return
	}
	s.crowd.known(r)
	s.route(answer, r)
}

// route finds the handler of a path. Paths are compared byte for byte.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	switch path := rawPath(r.RequestURI); {
	case s.refuses(path):
		w.Header().Set("Connection", "close")
		writeError(w, http.StatusServiceUnavailable, "The browser is stopping")
	case path == "/mcp":
		s.opts.MCP.ServeHTTP(w, r)
	case path == "/health" && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, struct {
			Status  string `json:"status"`
			Version string `json:"version"`
		}{"ok", s.opts.Version})
	case path == "/storage-state" && r.Method == http.MethodGet && s.opts.StorageState != nil:
		s.storageState(w, r)
	case path == "/metrics" && r.Method == http.MethodGet && s.opts.Metrics != nil:
		s.metrics(w)
	case strings.HasPrefix(path, artifactsPath) && r.Method == http.MethodGet && s.opts.Artifacts != nil:
		s.artifact(w, strings.TrimPrefix(path, artifactsPath))
	default:
		writeError(w, http.StatusNotFound, "Not found")
	}
}

// rawPath is a request target without its query, as it was sent.
func rawPath(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// storageState answers with the browser's sign-in.
func (s *Server) storageState(w http.ResponseWriter, r *http.Request) {
	state, err := s.opts.StorageState(r.Context())
	if err != nil {
		s.log.Error("storage state not exported", "error", err)
		writeError(w, http.StatusInternalServerError, internalError)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"storage_state": state})
}

// metrics answers with the session's counters.
func (s *Server) metrics(w http.ResponseWriter) {
	page := s.opts.Metrics()
	w.Header().Set("Content-Type", exposition.ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	_, _ = io.WriteString(w, page) // the client may be gone; nobody else is to be told
}

const internalError = "Internal error"

// writeError answers with what went wrong.
func writeError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]string{"error": text})
}

// writeJSON answers with a value. Keys and headers but the length are set
// before.
func writeJSON(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(fmt.Errorf("encode answer: %w", err))
	}
	body.Truncate(body.Len() - 1) // the encoder's newline
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client may be gone; nobody else is to be told
}

// recoverInto answers for a handler that panicked. If its answer had begun,
// the connection is cut, so that nobody takes the half of it for the whole.
func (s *Server) recoverInto(w *response) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.log.Error("panic", "doing", "answer request", "value", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.begun {
		panic(http.ErrAbortHandler)
	}
	writeError(w, http.StatusInternalServerError, internalError)
}

// response knows whether an answer has begun.
type response struct {
	http.ResponseWriter
	begun bool
}

func (w *response) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}

// Unwrap gives [http.ResponseController] what it works on.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// flush sends what was answered. Without an answer (the handler has given the
// request up) there is nothing to send.
func (w *response) flush() {
	if w.begun {
		_ = http.NewResponseController(w.ResponseWriter).Flush()
	}
}
