package egress

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// cacheFor makes a cache with a clock that the test moves.
func cacheFor(t *testing.T, r Resolver) (*cache, *time.Time) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	c := newCache(ctx, &wg, r, Limits{}.withDefaults())
	now := time.Unix(1000, 0)
	c.now = func() time.Time { return now }
	return c, &now
}

func TestCacheKeepsAnswers(t *testing.T) {
	r := &fakeResolver{names: map[string]string{"a.test.": "192.0.2.1 ::ffff:192.0.2.2|192.0.2.9"}}
	c, now := cacheFor(t, r)
	get := func(name string) string {
		addrs, err := c.lookup(t.Context(), name)
		if err != nil {
			return "-"
		}
		return strings.Trim(fmt.Sprint(addrs), "[]")
	}
	for _, step := range []struct {
		after time.Duration
		name  string
		want  string
		asked int
	}{
		{0, "a.test", "192.0.2.1 192.0.2.2", 1},
		{positiveTTL - 1, "a.test", "192.0.2.1 192.0.2.2", 1},
		{1, "a.test", "192.0.2.9", 2},
		{0, "b.test", "-", 1},
		{negativeTTL - 1, "b.test", "-", 1},
		{1, "b.test", "-", 2},
	} {
		*now = now.Add(step.after)
		if got := get(step.name); got != step.want || r.count(step.name+".") != step.asked {
			t.Errorf("%s after %v: %q, asked %d times; want %+v", step.name, step.after, got, r.count(step.name+"."), step)
		}
	}
}

func TestCacheAsksOnceForMany(t *testing.T) {
	r := &fakeResolver{names: map[string]string{"a.test.": "192.0.2.1"}, hold: make(chan struct{})}
	c, _ := cacheFor(t, r)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := c.lookup(context.Background(), "a.test"); err != nil {
				t.Error(err)
			}
		})
	}
	// One that does not want to wait leaves the lookup to the others.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.lookup(ctx, "a.test"); !errors.Is(err, context.Canceled) {
		t.Errorf("impatient lookup: %v", err)
	}
	close(r.hold)
	wg.Wait()
	if n := r.count("a.test."); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestCacheIsBounded(t *testing.T) {
	r := &fakeResolver{names: map[string]string{"keep.test.": "192.0.2.1"}}
	c, _ := cacheFor(t, r)
	for i := range 3 * maxNames {
		_, _ = c.lookup(t.Context(), fmt.Sprintf("%d.test", i))
		_, _ = c.lookup(t.Context(), "keep.test")
	}
	if len(c.entries) != maxNames || c.recent.Len() != maxNames || len(c.running) != 0 {
		t.Errorf("%d entries, %d recent, %d running", len(c.entries), c.recent.Len(), len(c.running))
	}
	if n := r.count("keep.test."); n != 1 {
		t.Errorf("the name in use was asked for %d times", n)
	}
}

type resolverFunc func(ctx context.Context) ([]netip.Addr, error)

func (f resolverFunc) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	return f(ctx)
}

func TestCacheRefusesOddAnswers(t *testing.T) {
	for name, f := range map[string]resolverFunc{
		"none": func(context.Context) ([]netip.Addr, error) { return nil, nil },
		"very many": func(context.Context) ([]netip.Addr, error) {
			return make([]netip.Addr, maxAnswers+1), nil
		},
		"never": func(ctx context.Context) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() },
	} {
		c, _ := cacheFor(t, f)
		c.limits.Lookup = 10 * time.Millisecond
		if addrs, err := c.lookup(t.Context(), "a.test"); err == nil {
			t.Errorf("%s: %v", name, addrs)
		}
	}
}

// Go's resolver must take the absolute form that it is given, and the hosts file
// with it. This is the one test that looks at the machine's own resolver.
func TestPureResolverReadsTheHostsFile(t *testing.T) {
	addrs, err := pureResolver().LookupNetIP(t.Context(), "ip", "localhost.")
	if err != nil {
		t.Skipf("no localhost in the hosts file: %v", err)
	}
	for _, a := range addrs {
		if !a.IsLoopback() {
			t.Errorf("localhost is %v", addrs)
		}
	}
}
