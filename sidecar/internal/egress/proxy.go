package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// Options is what a Proxy is made of. App is required.
type Options struct {
	App         policy.App
	Resolver    Resolver // nil = Go's own, over the hosts file and the machine's DNS servers
	Credentials Credentials
	// PeerAllowed says whether a client may connect at all, by the addresses of its
	// connection; nil = everybody may. It is asked once a connection, before a byte
	// is read, by several goroutines at once. See [OwnedBy].
	PeerAllowed func(remote, local net.Addr) bool
	// RefuseWebRTC refuses the tunnels that WebRTC asks for, to TURN servers and to
	// peers over TCP. They are the ones without a User-Agent: Chromium sends one with
	// those that a request or a WebSocket of a page needs.
	RefuseWebRTC bool
	// Vouch lets the app's host have a certificate of its own; nil = Chromium alone
	// judges certificates.
	Vouch *Voucher
	// OwnAddrs gives this machine's interface addresses, which count as private;
	// nil = none. It is asked for every decision.
	OwnAddrs func() []netip.Addr
	// OnRefusal hears of refusals, at the rate of the log. It must return soon.
	OnRefusal func(Refusal)
	// OnCredentials hears whether the browser has the credentials at hand: true
	// with the first request that carries them, false when it may have lost them,
	// so that the answer to the next challenge can be made ready before it comes.
	// It is called at each change, in order, and must return soon.
	OnCredentials func(known bool)
	Log           *slog.Logger // nil = silent
	Limits        Limits
	// InsecurePublic makes addresses public that are not, for tests on loopback.
	InsecurePublic func(netip.Addr) bool
}

// Credentials is what a client must send as Basic proxy authentication. The zero
// value asks for none.
type Credentials struct{ User, Password proto.Secret }

// Stats counts since the start. Bytes are those exchanged with servers.
type Stats struct {
	Connections     int64 // accepted from clients
	Open            int64 // of them, now
	Turned          int64 // turned away unread: strangers, and those over the limit
	Requests        int64 // forwarded
	Tunnels         int64 // opened
	Refusals        int64
	Unauthenticated int64
	BytesUp         int64 // to servers
	BytesDown       int64 // from servers
}

// Proxy is the way out. Make it with [New], run it with [Proxy.Serve].
type Proxy struct {
	opts      Options
	limits    Limits
	log       *slog.Logger
	gate      gate
	memory    memory
	cache     *cache
	reporter  *reporter
	transport *http.Transport
	stats     counters
	fence     func(netip.Addr) bool // keeps tests on loopback, whatever they dial; nil = no fence

	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // connections and lookups

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]bool
	conns     map[*conn]bool
	pinned    map[string][]netip.Addr // of names that are an exception from the address rule
}

type counters struct {
	connections, open, turned, requests, tunnels, refusals, unauthenticated, bytesUp, bytesDown atomic.Int64
}

// New makes a proxy that serves nobody yet. It must be closed.
func New(opts Options) *Proxy {
	if opts.Resolver == nil {
		opts.Resolver = pureResolver()
	}
	if opts.PeerAllowed == nil {
		opts.PeerAllowed = func(_, _ net.Addr) bool { return true }
	}
	if opts.OwnAddrs == nil {
		opts.OwnAddrs = func() []netip.Addr { return nil }
	}
	if opts.OnRefusal == nil {
		opts.OnRefusal = func(Refusal) {}
	}
	if opts.OnCredentials == nil {
		opts.OnCredentials = func(bool) {}
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.InsecurePublic == nil {
		opts.InsecurePublic = func(netip.Addr) bool { return false }
	}
	p := &Proxy{
		opts: opts, limits: opts.Limits.withDefaults(), log: opts.Log, gate: newGate(opts.Credentials),
		memory:    memory{tell: opts.OnCredentials, known: true}, // nothing is lost yet
		reporter:  &reporter{log: opts.Log, hand: opts.OnRefusal, now: time.Now, hosts: map[string]int{}},
		listeners: map[net.Listener]bool{}, conns: map[*conn]bool{}, pinned: map[string][]netip.Addr{},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.cache = newCache(p.ctx, &p.wg, opts.Resolver, p.limits)
	p.transport = p.newTransport()
	return p
}

// Serve takes connections from l until [Proxy.Close], then returns nil; any
// other end is an error. It may be called for several listeners. A listener of
// another network namespace is fine: servers are dialled from this process's own.
func (p *Proxy) Serve(l net.Listener) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		_ = l.Close()
		return errors.New("serve the egress proxy: it is closed")
	}
	p.listeners[l] = true
	p.wg.Add(1) // holds Close until no connection can be added any more
	p.mu.Unlock()
	defer p.wg.Done()
	for {
		nc, err := l.Accept()
		switch {
		case p.ctx.Err() != nil:
			if err == nil {
				_ = nc.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("serve the egress proxy: %w", err)
		case err != nil:
			// Out of descriptors, or a client that left at once. Anything else would
			// come again, and as often.
			p.log.Warn("could not accept a connection", "error", err)
			select {
			case <-p.ctx.Done():
			case <-time.After(acceptPause):
			}
			continue
		}
		p.stats.connections.Add(1)
		if p.stats.open.Load() >= int64(p.limits.Conns) {
			p.stats.turned.Add(1)
			_ = nc.Close()
			continue
		}
		p.stats.open.Add(1)
		p.wg.Go(func() {
			defer p.stats.open.Add(-1)
			c := p.track(nc, nil, nil)
			if !p.opts.PeerAllowed(nc.RemoteAddr(), nc.LocalAddr()) {
				p.stats.turned.Add(1)
				_ = c.Close()
				return
			}
			p.serveConn(c)
		})
	}
}

// Close cuts every connection at once and waits for everything that the proxy
// started. It may be called twice.
func (p *Proxy) Close() {
	p.cancel()
	p.mu.Lock()
	p.closed = true
	for l := range p.listeners {
		_ = l.Close()
	}
	for c := range p.conns {
		_ = c.Conn.Close()
	}
	p.mu.Unlock()
	p.wg.Wait()
	p.transport.CloseIdleConnections()
}

// Stats gives the counts up to now.
func (p *Proxy) Stats() Stats {
	s := &p.stats
	return Stats{
		Connections: s.connections.Load(), Open: s.open.Load(), Turned: s.turned.Load(),
		Requests: s.requests.Load(), Tunnels: s.tunnels.Load(), Refusals: s.refusals.Load(),
		Unauthenticated: s.unauthenticated.Load(), BytesUp: s.bytesUp.Load(), BytesDown: s.bytesDown.Load(),
	}
}

// refused counts and reports.
func (p *Proxy) refused(r *Refusal) {
	p.stats.refusals.Add(1)
	p.reporter.report(*r)
}

// conn is a connection that Close cuts, with its bytes counted.
type conn struct {
	net.Conn
	p       *Proxy
	in, out *atomic.Int64 // nil = not counted
	silence time.Duration // the longest wait of a read; 0 = the owner sets deadlines
}

// track wraps nc, or closes it if the proxy is closed already.
func (p *Proxy) track(nc net.Conn, in, out *atomic.Int64) *conn {
	c := &conn{Conn: nc, p: p, in: in, out: out}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = nc.Close()
		return c
	}
	p.conns[c] = true
	return c
}

func (c *conn) Close() error {
	c.p.mu.Lock()
	delete(c.p.conns, c)
	c.p.mu.Unlock()
	return c.Conn.Close()
}

func (c *conn) Read(b []byte) (int, error) {
	if c.silence > 0 {
		_ = c.SetReadDeadline(time.Now().Add(c.silence))
	}
	n, err := c.Conn.Read(b)
	if c.in != nil {
		c.in.Add(int64(n))
	}
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	// A reader that takes nothing for so long is gone.
	_ = c.SetWriteDeadline(time.Now().Add(c.p.limits.Silence))
	n, err := c.Conn.Write(b)
	if c.out != nil {
		c.out.Add(int64(n))
	}
	return n, err
}

// closeWrite says that nothing more comes, where the transport can say so.
func (c *conn) closeWrite() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
