package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// routeKey finds the route of a request in its context.
type routeKey struct{}

// newTransport makes the half that talks to servers. It takes nothing from the
// environment, resolves nothing and speaks no TLS.
func (p *Proxy) newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:     nil,
		Protocols: &protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			r, ok := ctx.Value(routeKey{}).(route)
			if !ok {
				return nil, errNotJudged
			}
			server, err := p.dial(ctx, r)
			if err != nil {
				return nil, err
			}
			server.silence = p.limits.Silence
			return server, nil
		},
		DialTLSContext:         func(context.Context, string, string) (net.Conn, error) { return nil, errNotJudged },
		DisableCompression:     true,
		MaxIdleConns:           maxPooled,
		MaxIdleConnsPerHost:    maxPooled,
		MaxConnsPerHost:        maxPerHost,
		IdleConnTimeout:        pooledTimeout,
		ResponseHeaderTimeout:  p.limits.Silence,
		MaxResponseHeaderBytes: maxResponseHead,
	}
}

// forward makes one exchange; true if the connection can carry another request.
func (c *client) forward(h head, pl place, r route, length int64) bool {
	ctx, cancel := context.WithCancel(context.WithValue(c.p.ctx, routeKey{}, r))
	defer cancel()
	b := newBody(c, length, cancel)
	c.p.stats.requests.Add(1)

	req := outgoing(h, pl, b, length)
	resp, err := c.p.transport.RoundTrip(req.WithContext(ctx))
	if err == nil {
		err = acceptable(resp)
	}
	if err != nil {
		gone := ctx.Err() != nil
		cancel()
		b.finish()
		if gone {
			c.left()
		} else {
			c.answer(h, http.StatusBadGateway, fmt.Sprintf("%s could not be reached (%s)", shownHost(pl), errorWord(err)))
		}
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	whole := c.respond(h, resp)
	if ctx.Err() != nil {
		c.left()
	}
	cancel()
	return b.finish() && whole && h.keepsAlive()
}

// outgoing is the request as the server gets it.
func outgoing(h head, pl place, b *body, length int64) *http.Request {
	req := &http.Request{
		Method: h.method, URL: targetURL(pl), Host: pl.authority,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody,
	}
	if length > 0 {
		req.Body, req.ContentLength = b, length
	}
	connection := h.tokens("Connection")
	for _, f := range h.fields {
		// Host is the target's, Content-Length comes from the body, and nobody here
		// waits for 100 Continue.
		own := strings.EqualFold(f.name, "Host") || strings.EqualFold(f.name, "Content-Length") || strings.EqualFold(f.name, "Expect")
		if !own && !endsHere(f.name, connection) {
			req.Header.Add(f.name, f.value)
		}
	}
	if req.Header["User-Agent"] == nil {
		req.Header["User-Agent"] = []string{""} // else the transport writes its own
	}
	return req
}

// targetURL makes the transport write path and query as they came. An opaque URL
// is written as it is, but for one that starts with two slashes: that is tried
// as an ordinary path, and if this would change it, sent in absolute form.
func targetURL(pl place) *url.URL {
	host := policy.HostPort(pl.host, pl.port)
	u := &url.URL{Scheme: "http", Host: host, Opaque: pl.path}
	if !strings.HasPrefix(pl.path, "//") {
		return u
	}
	path, query, asked := strings.Cut(pl.path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		tidy := &url.URL{Scheme: "http", Host: host, Path: plain, RawPath: path, RawQuery: query, ForceQuery: asked}
		if tidy.RequestURI() == pl.path {
			return tidy
		}
	}
	u.Opaque = "http://" + pl.authority + pl.path
	return u
}

var errNonsense = errors.New("the server's answer is not HTTP")

// acceptable says whether an answer may be passed on: with a status that is
// final, and not one that would be taken for ours.
func acceptable(resp *http.Response) error {
	if resp.StatusCode < 200 || resp.StatusCode > 999 || resp.StatusCode == http.StatusProxyAuthRequired {
		_ = resp.Body.Close()
		return errNonsense
	}
	return nil
}

// respond passes the answer on; true if all of it came and was sent.
func (c *client) respond(h head, resp *http.Response) bool {
	bodyless := h.method == http.MethodHead || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified
	chunked := resp.ContentLength < 0 && !bodyless && !h.http10
	_, reason, _ := strings.Cut(resp.Status, " ")
	if strings.ContainsFunc(reason, isControl) {
		reason = ""
	}
	fmt.Fprintf(c.bw, "HTTP/1.1 %03d %s\r\n", resp.StatusCode, reason)
	ok := c.writeFields(resp.Header)
	switch {
	case !ok:
		return false
	case chunked:
		_, _ = c.bw.WriteString("Transfer-Encoding: chunked\r\n")
	case resp.ContentLength >= 0 && (h.method == http.MethodHead || !bodyless):
		fmt.Fprintf(c.bw, "Content-Length: %d\r\n", resp.ContentLength)
	}
	if !h.keepsAlive() || resp.ContentLength < 0 && !bodyless && !chunked {
		_, _ = c.bw.WriteString("Connection: close\r\n")
	}
	_, _ = c.bw.WriteString("\r\n")
	if bodyless {
		return c.bw.Flush() == nil
	}
	whole := c.copyBody(resp, chunked)
	if !whole && !chunked && resp.ContentLength < 0 {
		// Nothing in the message says where it ends, so an orderly close would make
		// it look complete.
		if tcp, ok := c.conn.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	return whole
}

// copyBody sends every piece as it comes: events and slow pages are seen at once.
func (c *client) copyBody(resp *http.Response, chunked bool) bool {
	buf := make([]byte, 32<<10)
	var total int64
	if c.bw.Flush() != nil {
		return false
	}
	for {
		n, err := resp.Body.Read(buf)
		if total += int64(n); total > c.p.limits.Body {
			return false
		}
		if n > 0 {
			if chunked {
				fmt.Fprintf(c.bw, "%x\r\n", n)
			}
			_, _ = c.bw.Write(buf[:n])
			if chunked {
				_, _ = c.bw.WriteString("\r\n")
			}
			if c.bw.Flush() != nil {
				return false
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			if chunked {
				_, _ = c.bw.WriteString("0\r\n\r\n")
			}
			return c.bw.Flush() == nil
		case err != nil:
			return false
		}
	}
}

// shownHost is the place as a 502 names it: without the port when it is HTTP's.
func shownHost(pl place) string {
	if pl.port == 80 {
		return pl.host
	}
	return policy.HostPort(pl.host, pl.port)
}

// errorWord is all that a client learns of an error. A word says what happened
// to a server that may be reached anyway, never where it is.
func errorWord(err error) string {
	for _, w := range []struct {
		err  error
		word string
	}{
		{syscall.ECONNREFUSED, "ECONNREFUSED"}, {syscall.ECONNRESET, "ECONNRESET"}, {syscall.EPIPE, "ECONNRESET"},
		{syscall.EHOSTUNREACH, "EHOSTUNREACH"}, {syscall.ENETUNREACH, "ENETUNREACH"}, {syscall.ETIMEDOUT, "ETIMEDOUT"},
		{context.DeadlineExceeded, "ETIMEDOUT"}, {io.EOF, "ECONNRESET"}, {io.ErrUnexpectedEOF, "ECONNRESET"},
	} {
		if errors.Is(err, w.err) {
			return w.word
		}
	}
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "ETIMEDOUT"
	case strings.Contains(err.Error(), "server closed"): // net/http keeps this error to itself
		return "ECONNRESET"
	}
	return "EPROTO"
}
