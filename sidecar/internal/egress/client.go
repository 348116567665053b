package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"
)

// client is one connection of the browser.
type client struct {
	p    *Proxy
	conn *conn
	br   *bufio.Reader
	bw   *bufio.Writer

	known bool // it has shown the credentials
}

// serveConn answers the requests of one connection, one after the other.
func (p *Proxy) serveConn(nc *conn) {
	c := &client{p: p, conn: nc, br: bufio.NewReader(nc), bw: bufio.NewWriter(nc)}
	defer func() {
		_ = nc.Close()
		if v := recover(); v != nil {
			// A defect ends this connection only. What it was about stays out of the
			// log: it would be the page's words.
			p.log.Error("defect while serving a connection", "panic", fmt.Sprintf("%T", v))
		}
	}()
	for p.ctx.Err() == nil {
		h, err := c.next()
		switch {
		case errors.Is(err, errHeadTooLarge):
			c.answer(h, http.StatusRequestHeaderFieldsTooLarge, "the request head is too large")
			return
		case errors.Is(err, errHeadBad):
			c.answer(h, http.StatusBadRequest, "the request is malformed")
			return
		case err != nil:
			c.left()
			return
		}
		if !c.handle(h) {
			return
		}
	}
}

// left says that the client ended its connection, as all do when the process
// that makes them dies.
func (c *client) left() {
	if c.known {
		c.p.memory.set(false)
	}
}

// next waits for a request and reads its head.
func (c *client) next() (head, error) {
	_ = c.conn.SetReadDeadline(time.Now().Add(c.p.limits.Idle))
	if _, err := c.br.Peek(1); err != nil {
		return head{}, err
	}
	_ = c.conn.SetReadDeadline(time.Now().Add(c.p.limits.Head))
	h, err := readHead(c.br)
	if err == nil {
		err = c.conn.SetReadDeadline(time.Time{})
	}
	return h, err
}

// handle answers one request; true if the connection can carry another one.
func (c *client) handle(h head) bool {
	if !c.p.gate.admits(h) {
		c.p.stats.unauthenticated.Add(1)
		c.p.memory.set(false)
		c.answer(h, http.StatusProxyAuthRequired, "the proxy's credentials are missing")
		return false
	}
	c.known = true
	c.p.memory.set(true)
	if h.method == http.MethodConnect {
		c.tunnel(h)
		return false
	}
	pl, bad := parseAbsolute(h.target)
	length, ok := h.length()
	switch {
	case bad != "":
		c.answer(h, http.StatusBadRequest, string(bad))
		return false
	case !ok:
		c.answer(h, http.StatusBadRequest, "the request's length is not clear")
		return false
	}
	if r := unwanted(h, pl); r != nil {
		c.refuse(h, r)
		return false
	}
	route, r := c.p.judge(c.p.ctx, pl, false)
	if r != nil {
		c.refuse(h, r)
		return false
	}
	return c.forward(h, pl, route, length)
}

// unwanted refuses plain requests for what they are, wherever they go.
func unwanted(h head, pl place) *Refusal {
	purpose := strings.ToLower(strings.Join(append(h.all("Sec-Purpose"), h.all("Purpose")...), ","))
	switch {
	case h.method == http.MethodTrace || h.method == "TRACK" || h.method == "DEBUG":
		return refusalOf(pl, RuleMethod, reasonMethod, "")
	case len(h.all("Upgrade")) > 0 && slices.Contains(h.tokens("Connection"), "upgrade"):
		return refusalOf(pl, RuleUpgrade, reasonUpgrade, "")
	case strings.Contains(purpose, "prefetch") || strings.Contains(purpose, "prerender"):
		return refusalOf(pl, RulePrefetch, reasonPrefetch, "")
	}
	return nil
}

// refuse reports a refusal and tells the client. While the proxy closes, lookups
// fail for that reason, and nobody is told anything.
func (c *client) refuse(h head, r *Refusal) {
	if c.p.ctx.Err() != nil {
		return
	}
	c.p.refused(r)
	c.answer(h, http.StatusForbidden, r.String())
}

// answer sends an answer of our own, after which the connection ends. CONNECT
// gets no body: no browser shows it.
func (c *client) answer(h head, status int, why string) {
	body := "Blocked by the sandbox browser: " + why + "\n"
	fmt.Fprintf(c.bw, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	if status == http.StatusProxyAuthRequired {
		fmt.Fprintf(c.bw, "Proxy-Authenticate: %s\r\n", challenge)
	}
	if h.method == http.MethodConnect {
		_, _ = c.bw.WriteString("content-length: 0\r\nconnection: close\r\n\r\n")
	} else {
		fmt.Fprintf(c.bw, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"+
			"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n", len(body))
		if h.method != http.MethodHead {
			_, _ = c.bw.WriteString(body)
		}
	}
	if c.bw.Flush() == nil {
		c.linger()
	}
}

// linger reads on for a moment, so that a client that is still sending gets to
// the answer. Closing with bytes unread resets the connection.
func (c *client) linger() {
	c.conn.closeWrite()
	_ = c.conn.SetReadDeadline(time.Now().Add(c.p.limits.Linger))
	_, _ = io.CopyN(io.Discard, c.br, maxLinger)
}

// writeFields writes a response's header lines without those that end here,
// sorted by name; false if one of them can't be written.
func (c *client) writeFields(header http.Header) bool {
	connection := tokensOf(header["Connection"])
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range header {
			if !yield(name) {
				return
			}
		}
	}) {
		if endsHere(name, connection) || name == "Content-Length" {
			continue
		}
		for _, value := range header[name] {
			value = textproto.TrimString(value)
			if !isToken(name) || strings.ContainsFunc(value, isControl) {
				return false
			}
			_, _ = c.bw.WriteString(name + ": " + value + "\r\n")
		}
	}
	return true
}
