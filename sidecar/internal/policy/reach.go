package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// The settings that can allow what was refused, as the launch config names them.
const (
	SettingEgress  = "egress"
	SettingOrigins = "allow_origins"
	SettingHosts   = "allow_hosts"
	SettingAliases = "loopback_aliases"
)

// trust is how far the address of a destination may stray from the public ones.
type trust int

const (
	trustPublic   trust = iota // public addresses and nothing else
	trustLoopback              // loopback: what localhost means
	trustPrivate               // public addresses and those of grantable
	trustAny                   // the app: its address is the host's affair
)

// grantable are the classes that a setting can open. The others are nobody's
// server, or one that gives credentials to whoever asks.
var grantable = []Class{Loopback, Own, Private, Shared, UniqueLocal, SiteLocal, Benchmarking}

// permits says whether an address may be connected to.
func (t trust) permits(addr netip.Addr, own []netip.Addr) bool {
	class := Classify(addr, own)
	switch t {
	case trustAny:
		return true
	case trustPrivate:
		return class.Public() || slices.Contains(grantable, class)
	case trustLoopback:
		return class == Loopback
	}
	return class.Public()
}

// grant is one thing that the config lets pages connect to.
type grant struct {
	host  string // as ParseURL serialises it; with below, what names end in: ".example.com"
	below bool
	port  uint16 // 0 = 80 and 443
	trust trust
	tls   bool // only in a tunnel: an https origin
}

func (g grant) covers(host string, port uint16) bool {
	if g.port != port && (g.port != 0 || port != 80 && port != 443) {
		return false
	}
	if g.below {
		return len(host) > len(g.host) && strings.HasSuffix(host, g.host)
	}
	return host == g.host
}

// For is the app of a launch config, with all that the config adds to it. The
// config has been decoded; the error is a [*proto.LaunchError].
func For(l proto.Launch) (App, error) {
	a, err := NewApp(l.AppURL)
	if err != nil {
		return App{}, err
	}
	a.mode = l.Egress
	var failures []proto.Failure
	add := func(key string, i int, g grant, private bool) {
		var ok bool
		if g.trust, ok = trustOf(g.host, private); !ok {
			failures = append(failures, proto.Failure{
				Key: key, Message: fmt.Sprintf("%s entry %d is an address that no setting can open", key, i+1),
			})
			return
		}
		a.grants = append(a.grants, g)
	}
	if l.LoopbackAliases && proto.IsLoopbackAlias(a.host) {
		a.alias()
	}
	for i, o := range l.AllowOrigins {
		other, err := NewApp(o.Origin)
		if err != nil {
			return App{}, err
		}
		if a.owns(proto.URL{Scheme: scheme(other.tls), Origin: other.origin}) {
			continue
		}
		a.others = append(a.others, other.origin)
		add(SettingOrigins, i, grant{host: other.host, port: other.port, tls: other.tls}, o.Private)
	}
	for i, h := range l.AllowHosts {
		g := grant{host: h.Host, port: uint16(h.Port)}
		if g.host, g.below = strings.CutPrefix(h.Host, "*"); !g.below {
			g.host = h.Host
		}
		add(SettingHosts, i, g, h.Private)
	}
	if len(failures) > 0 {
		return App{}, &proto.LaunchError{Failures: failures}
	}
	return a, nil
}

// alias makes the three names of this machine one app.
func (a *App) alias() {
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]"} {
		if host == a.host {
			continue
		}
		a.aliases = append(a.aliases, host)
		a.others = append(a.others, strings.Replace(a.origin, a.host, host, 1))
		a.grants = append(a.grants, grant{host: host, port: a.port, tls: a.tls, trust: trustLoopback})
	}
}

func scheme(tls bool) string {
	if tls {
		return "https"
	}
	return "http"
}

// trustOf is what an entry's host says of itself: an address is meant as it is,
// localhost is this machine, and a name is only what the config says of it. False
// for an address that no entry can open.
func trustOf(host string, private bool) (trust, bool) {
	addr, literal := Literal(host)
	switch {
	case literal:
		return trustPrivate, trustPrivate.permits(addr, nil)
	case ofLocalhost(host):
		return trustLoopback, true
	case private:
		return trustPrivate, true
	}
	return trustPublic, true
}

// ofLocalhost says whether a name is localhost or below it: this machine, whatever
// a server for names says.
func ofLocalhost(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// granted sums up what the config says of a host and port: how far it is trusted,
// whether all of it is about TLS, and whether it says anything.
func (a App) granted(host string, port uint16) (g grant, listed bool) {
	if a.origin != "" && host == a.host && port == a.port {
		return grant{trust: trustAny, tls: a.tls}, true
	}
	for _, one := range a.grants {
		if !one.covers(host, port) {
			continue
		}
		if !listed {
			g, listed = one, true
			continue
		}
		g.trust, g.tls = max(g.trust, one.trust), g.tls && one.tls
	}
	return g, listed
}

// ownHost says whether a host is the app's, under one of its names.
func (a App) ownHost(host string) bool {
	return a.origin != "" && host == a.host || slices.Contains(a.aliases, host)
}

// nearAlias says whether host and port would be the app's if its aliases were on.
func (a App) nearAlias(host string, port uint16) bool {
	return port == a.port && proto.IsLoopbackAlias(a.host) && proto.IsLoopbackAlias(host)
}

// Widening is the setting that would let a tab show url, "" for none: what is no
// server's page is shown to nobody.
func (a App) Widening(url string) string {
	u, err := ParseURL(url)
	if err != nil || !isHTTP(u.Scheme) {
		return ""
	}
	if port, ok := portOf(u); ok && a.nearAlias(u.Hostname, port) && secure(u.Scheme) == a.tls {
		return SettingAliases
	}
	return SettingOrigins
}
