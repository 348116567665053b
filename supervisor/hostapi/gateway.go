package hostapi

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// passMCP is the agents' way to a browser: the request is passed on with the
// browser's token in place of the host's credential, and the answer comes back
// as it flows.
func (h *Host) passMCP(w http.ResponseWriter, r *http.Request, who Identity) (err error) {
	counted := &countedAnswer{ResponseWriter: w, status: http.StatusOK}
	ctx, span := h.o.Tracer.Start(r.Context(), "browser.mcp", slog.String("session", r.PathValue("session")))
	defer func() { // an answer that breaks off, as streams do, is a panic of the proxy's
		span.End(err)
		status := counted.status
		if err != nil {
			status = statusOf(proto.CodeOf(err))
		}
		h.metrics.calls.Add(1, strconv.Itoa(status/100)+"xx")
	}()
	return h.toBrowser(counted, r.WithContext(ctx), who)
}

// countedAnswer remembers an answer's status. Unwrap lets the proxy flush.
type countedAnswer struct {
	http.ResponseWriter
	status int
}

func (c *countedAnswer) WriteHeader(status int) {
	if status < http.StatusOK {
		return // hints for a browser, which an agent is not
	}
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *countedAnswer) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (h *Host) toBrowser(w http.ResponseWriter, r *http.Request, who Identity) error {
	browser, s := h.byID(who, r.PathValue("session"))
	if browser == nil {
		answerMCP(w, browserStopped())
		return nil
	}
	if r.Header.Get("Origin") != "" { // an agent has none; a page must not come this way
		return refuse(proto.CodeOriginDenied, "pages may not drive a browser")
	}
	message, err := io.ReadAll(io.LimitReader(r.Body, messageBytes+1))
	switch {
	case err != nil:
		return &proto.Error{Code: proto.CodeMessageMalformed, Message: "the message ended early", Err: err}
	case len(message) > messageBytes:
		return refuse(proto.CodeTooLarge, fmt.Sprintf("a message has at most %d bytes", messageBytes))
	}
	target, err := url.Parse(browser.MCPURL())
	if err != nil {
		return internal("read the browser's address", err)
	}
	(&httputil.ReverseProxy{
		Transport:      h.toBrowsers,
		FlushInterval:  -1, // events are for now
		ErrorLog:       slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		Rewrite:        func(p *httputil.ProxyRequest) { rewrite(p, target, browser.MCPToken(), message) },
		ModifyResponse: func(r *http.Response) error { plain(r); return nil },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			h.unreachable(w, r, s, err)
		},
	}).ServeHTTP(w, r)
	return nil
}

// passedOn lists the headers of a request that a browser's endpoint reads.
// A list, because a host's requests carry credentials of every kind.
func passedOn() []string {
	return []string{
		"Accept", "Content-Type", "Content-Encoding", "Last-Event-Id", "User-Agent",
		"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Traceparent", "Tracestate",
	}
}

// messageBytes is as much as a sidecar takes.
const messageBytes = 4 << 20

// rewrite passes a message on whole. If its body were still being read while the
// sidecar, which may be quicker, answers already, net/http would close it for the
// answer's sake, and then the connection, in the middle of the answer.
func rewrite(p *httputil.ProxyRequest, target *url.URL, token proto.Secret, message []byte) {
	header := http.Header{}
	for _, name := range passedOn() {
		if values := p.In.Header.Values(name); len(values) > 0 {
			header[http.CanonicalHeaderKey(name)] = values
		}
	}
	header.Set("Authorization", "Bearer "+token.Reveal())
	p.Out.Header = header
	p.Out.URL = target
	p.Out.Host = target.Host
	p.Out.Body, p.Out.ContentLength, p.Out.TransferEncoding = io.NopCloser(bytes.NewReader(message)), int64(len(message)), nil
	if len(message) == 0 {
		p.Out.Body = http.NoBody
	}
}

// plain keeps of an answer what a client of MCP reads. It goes out under the host's own
// origin, where a browser that has been taken over must set no cookie, send nobody
// elsewhere and show no page.
func plain(r *http.Response) {
	kept := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control", "Retry-After", "Allow", "Mcp-Session-Id", "Mcp-Protocol-Version"} {
		if value := r.Header.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	switch kind, _, _ := mime.ParseMediaType(kept.Get("Content-Type")); kind {
	case "application/json", "text/event-stream", "":
	default:
		kept.Set("Content-Type", "text/plain; charset=utf-8")
	}
	kept.Set("X-Content-Type-Options", "nosniff")
	r.Header, r.Trailer = kept, nil
}

// unreachable answers for a browser that can't be asked.
func (h *Host) unreachable(w http.ResponseWriter, r *http.Request, s *session, err error) {
	if r.Context().Err() != nil {
		return // the agent has gone
	}
	over := time.NewTimer(endGrace) // the one who notices a death may be later than we
	defer over.Stop()
	select {
	case <-s.wanted.Done():
		answerMCP(w, browserStopped())
		return
	case <-over.C:
	}
	h.log.Warn("browser can't be reached", "sandbox", s.sandbox.ID, "session", s.id, "error", err)
	answerMCP(w, &proto.Error{
		Code:    proto.CodeSidecarHung,
		Message: "the browser does not answer",
		Hint:    "It may be stopping; look at its status",
	})
}

// endGrace is how long an agent whose call broke off waits to learn that its
// browser has ended.
const endGrace = 2 * time.Second

// answerMCP answers with an error that both a client of MCP and one of the API
// can read.
func answerMCP(w http.ResponseWriter, err error) {
	const serverError = -32000 // of JSON-RPC, for what a server defines itself
	e := asError(err)
	answer(w, statusOf(e.Code), map[string]any{
		"jsonrpc": "2.0",
		"id":      nil,
		"error":   map[string]any{"code": serverError, "message": e.Error(), "data": map[string]any{"code": e.Code}},
	})
}

// newTransport reaches browsers: at their own addresses, whatever proxy the
// environment names.
func newTransport() *http.Transport {
	return &http.Transport{Proxy: nil, MaxIdleConnsPerHost: idlePerBrowser, IdleConnTimeout: idleKept}
}

// idleKept is well below the 5 s after which a sidecar closes an idle connection: a
// call that is sent at that moment would be lost, and a POST is not sent again.
const idleKept = 2 * time.Second

// idlePerBrowser is how many connections wait for the next call: an agent makes
// one call after the other, and a run has few agents.
const idlePerBrowser = 4
