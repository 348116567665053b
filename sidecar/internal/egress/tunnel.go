package egress

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// established is the reason phrase of an open tunnel, which programs compare.
const established = "Connection Established"

// tunnel answers CONNECT. What flows in a tunnel is not looked at.
func (c *client) tunnel(h head) {
	pl, ok := parseConnect(h.target)
	if !ok || len(h.all("Transfer-Encoding")) > 0 || len(h.all("Content-Length")) > 0 {
		c.refuse(h, &Refusal{Rule: RuleMalformed, Reason: reasonMalformed})
		return
	}
	if c.p.opts.RefuseWebRTC && len(h.all("User-Agent")) == 0 {
		c.refuse(h, refusalOf(pl, RuleWebRTC, reasonWebRTC, ""))
		return
	}
	r, refusal := c.p.judge(c.p.ctx, pl, true)
	if refusal != nil {
		c.refuse(h, refusal)
		return
	}
	server, err := c.p.dial(c.p.ctx, r)
	if err != nil {
		return // the contract: the socket is dropped without an answer
	}
	defer func() { _ = server.Close() }()
	c.p.stats.tunnels.Add(1)
	if _, err := io.WriteString(c.conn, "HTTP/1.1 200 "+established+"\r\n\r\n"); err != nil {
		return
	}
	if c.p.opts.Vouch != nil && r.to.Own {
		c.vouch(pl, server)
	} else {
		c.carry(server)
	}
	c.left()
}

// carry passes bytes both ways until the tunnel ends.
func (c *client) carry(server *conn) {
	t := &pipe{limits: c.p.limits}
	t.moved.Store(time.Now().UnixNano())
	t.run(c, server)
}

// pipe is an open tunnel: bytes both ways until both sides have ended, one has
// broken, or nothing has moved for too long.
type pipe struct {
	limits Limits
	moved  atomic.Int64 // when, in Unix nanoseconds
	half   atomic.Bool  // one side has ended
}

func (t *pipe) run(c *client, server *conn) {
	var wg sync.WaitGroup
	wg.Go(func() { t.oneWay(server, c.conn, c.br, true) })
	t.oneWay(c.conn, server, server, false)
	wg.Wait()
}

// oneWay copies what src reads from one connection to the other, and then ends
// that one's direction, or both connections if this one did not end in order.
func (t *pipe) oneWay(to, from *conn, src io.Reader, client bool) {
	if !t.carry(to, from, src, client) {
		// Not by their own Close: they stay with their owners until both ways end.
		_ = to.Conn.Close()
		_ = from.Conn.Close()
		return
	}
	t.half.Store(true)
	to.closeWrite()
	_ = to.SetReadDeadline(time.Now().Add(t.limits.HalfClosed))
}

// carry copies until src ends; true if it ended in good order. A client must
// send a first byte soon: a browser opens tunnels in advance and forgets them.
func (t *pipe) carry(to, from *conn, src io.Reader, client bool) bool {
	buf := make([]byte, 32<<10)
	var total int64
	for {
		limit := t.limits.Silence
		if client && total == 0 {
			limit = t.limits.FirstByte
		}
		deadline := time.Now().Add(limit)
		if total > 0 || !client {
			deadline = time.Unix(0, t.moved.Load()).Add(limit)
		}
		_ = from.SetReadDeadline(deadline)
		if t.half.Load() { // set before the other way shortened this deadline
			limit = t.limits.HalfClosed
			_ = from.SetReadDeadline(time.Now().Add(limit))
		}
		n, err := src.Read(buf)
		if n > 0 {
			t.moved.Store(time.Now().UnixNano())
			if total += int64(n); total > t.limits.Body {
				return false
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return false
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return true
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return false
		case client && total == 0, t.half.Load():
			return false
		case time.Since(time.Unix(0, t.moved.Load())) >= limit:
			return false
		}
	}
}
