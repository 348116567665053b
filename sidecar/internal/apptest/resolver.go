package apptest

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// Resolver answers name look-ups from a table and counts them. Names are taken
// without regard to case and to a dot at the end.
type Resolver struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	failing map[string]error
	lookups map[string]int
	names   []string // as they were asked for
}

// NewResolver returns a resolver that knows no name.
func NewResolver() *Resolver {
	return &Resolver{answers: map[string][][]netip.Addr{}, failing: map[string]error{}, lookups: map[string]int{}}
}

// Set makes a name resolve: each answer is a comma-separated list of addresses
// ("" for none), the first look-up gets the first and the last one repeats.
func (r *Resolver) Set(t testing.TB, name string, answers ...string) {
	t.Helper()
	var parsed [][]netip.Addr
	for _, a := range answers {
		var addrs []netip.Addr
		for one := range strings.SplitSeq(a, ",") {
			if one = strings.TrimSpace(one); one == "" {
				continue
			}
			addr, err := netip.ParseAddr(one)
			if err != nil {
				t.Fatalf("answer for %s: %v", name, err)
			}
			addrs = append(addrs, addr)
		}
		parsed = append(parsed, addrs)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[plainName(name)] = parsed
}

// Fail makes look-ups of a name end with err.
func (r *Resolver) Fail(name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing[plainName(name)] = err
}

// LookupNetIP answers like net.Resolver's method of that name. A name that was
// not set is not found. network "ip4" and "ip6" keep that family alone.
func (r *Resolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	name := plainName(host)
	n := r.lookups[name]
	r.lookups[name]++
	r.names = append(r.names, host)
	if err := r.failing[name]; err != nil {
		return nil, err
	}
	answers := r.answers[name]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, a := range answers[min(n, len(answers)-1)] {
		if network == "ip4" && !a.Unmap().Is4() || network == "ip6" && a.Unmap().Is4() {
			continue
		}
		out = append(out, a)
	}
	return out, nil
}

// Lookups returns how often a name was asked for.
func (r *Resolver) Lookups(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lookups[plainName(name)]
}

// Names returns every name that was asked for, as it was spelled, in order.
func (r *Resolver) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.names...)
}

func plainName(s string) string { return strings.ToLower(strings.TrimSuffix(s, ".")) }
