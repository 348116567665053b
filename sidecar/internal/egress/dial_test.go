package egress

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// A route's addresses are tried in turn, and only they.
func TestDial(t *testing.T) {
	server := newSniffer(t, "127.0.0.1:0")
	p := start(t, "http://"+server.addr, Options{})
	port := p.opts.App.Port()
	at := func(addrs ...string) route {
		r := route{to: p.opts.App.Destination("127.0.0.1", port, nil)}
		for _, a := range addrs {
			r.addrs = append(r.addrs, netip.MustParseAddr(a))
		}
		return r
	}
	for _, addrs := range [][]string{
		{"127.0.0.1"}, {"127.0.0.3", "127.0.0.1"}, {"::1", "127.0.0.3", "127.0.0.1"}, {"127.0.0.1", "127.0.0.1", "127.0.0.1"},
	} {
		c, err := p.dial(context.Background(), at(addrs...))
		if err != nil {
			t.Errorf("%v: %v", addrs, err)
			continue
		}
		_ = c.Close()
	}
	if c, err := p.dial(context.Background(), at("127.0.0.3", "127.0.0.4")); err == nil || errorWord(err) != "ECONNREFUSED" {
		t.Errorf("dead addresses: %v, %v", c, err)
	}
	if c, err := p.dial(context.Background(), at()); err == nil {
		t.Errorf("no addresses: %v", c)
	}
	r := at("127.0.0.1")
	r.to = policy.App{}.Destination("app.test", port, nil)
	if c, err := p.dial(context.Background(), r); !errors.Is(err, errNotJudged) {
		t.Errorf("an address that judging let slip: %v, %v", c, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if c, err := p.dial(ctx, at("127.0.0.1")); err == nil {
		t.Errorf("a cancelled dial: %v", c)
	}
}

func TestInterleave(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"1.1.1.1":                         "1.1.1.1",
		"2a00::1 2a00::2 1.1.1.1 1.1.1.2": "2a00::1 1.1.1.1 2a00::2 1.1.1.2",
		"1.1.1.1 1.1.1.2 1.1.1.3 2a00::1": "1.1.1.1 2a00::1 1.1.1.2 1.1.1.3",
		"1.0.0.1 1.0.0.2 1.0.0.3 1.0.0.4 1.0.0.5 1.0.0.6 1.0.0.7 1.0.0.8 1.0.0.9": "1.0.0.1 1.0.0.2 1.0.0.3 1.0.0.4 1.0.0.5 1.0.0.6 1.0.0.7 1.0.0.8",
	} {
		var addrs []netip.Addr
		for _, a := range strings.Fields(in) {
			addrs = append(addrs, netip.MustParseAddr(a))
		}
		if got := strings.Trim(fmt.Sprint(interleave(addrs)), "[]"); got != want {
			t.Errorf("interleave(%s) = %s, want %s", in, got, want)
		}
	}
}
