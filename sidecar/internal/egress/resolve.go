package egress

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Resolver looks names up; *net.Resolver is one. The names it gets are absolute:
// they end in a dot, so that no search list of the machine is tried with them.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// pureResolver is Go's own: it reads the hosts file and asks the configured DNS
// servers, and treats no odd number as an address.
func pureResolver() Resolver { return &net.Resolver{PreferGo: true} }

var errNoAnswer = errors.New("no usable answer")

// cache asks a Resolver once for each name and time.
type cache struct {
	resolver Resolver
	limits   Limits
	now      func() time.Time
	base     context.Context // ends lookups when the proxy closes
	wg       *sync.WaitGroup // and waits for them

	mu      sync.Mutex
	entries map[string]*list.Element // of *answer
	recent  *list.List               // most recently used first
	running map[string]*answer
}

// answer is one lookup, running until done is closed.
type answer struct {
	name    string
	done    chan struct{}
	addrs   []netip.Addr
	err     error
	expires time.Time
}

func newCache(base context.Context, wg *sync.WaitGroup, r Resolver, l Limits) *cache {
	return &cache{
		resolver: r, limits: l, now: time.Now, base: base, wg: wg,
		entries: map[string]*list.Element{}, recent: list.New(), running: map[string]*answer{},
	}
}

// lookup gives all addresses of name, unmapped, in the resolver's order.
func (c *cache) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	a := c.find(name)
	select {
	case <-a.done:
		return a.addrs, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// find gives the kept or running lookup of name, or starts one.
func (c *cache) find(name string) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[name]; ok {
		a := e.Value.(*answer)
		if c.now().Before(a.expires) {
			c.recent.MoveToFront(e)
			return a
		}
		c.recent.Remove(e)
		delete(c.entries, name)
	}
	if a, ok := c.running[name]; ok {
		return a
	}
	a := &answer{name: name, done: make(chan struct{})}
	c.running[name] = a
	c.wg.Go(func() { c.run(a) })
	return a
}

// run asks, keeps the answer and lets everybody have it. The asking ends with
// the proxy, not with the one request that began it.
func (c *cache) run(a *answer) {
	ctx, cancel := context.WithTimeout(c.base, c.limits.Lookup)
	defer cancel()
	addrs, err := c.resolver.LookupNetIP(ctx, "ip", a.name+".")
	if err == nil && (len(addrs) == 0 || len(addrs) > maxAnswers) {
		err = errNoAnswer
	}
	ttl := c.limits.NegativeTTL
	if err == nil {
		ttl = c.limits.PositiveTTL
		a.addrs = slices.Clone(addrs)
		for i := range a.addrs {
			a.addrs[i] = a.addrs[i].Unmap()
		}
	}
	a.err = err

	c.mu.Lock()
	defer c.mu.Unlock()
	a.expires = c.now().Add(ttl)
	delete(c.running, a.name)
	c.entries[a.name] = c.recent.PushFront(a)
	for c.recent.Len() > maxNames {
		oldest := c.recent.Back()
		c.recent.Remove(oldest)
		delete(c.entries, oldest.Value.(*answer).name)
	}
	close(a.done)
}
