package policy

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// Reason is why a connection was refused. It reads on after "host:port ". The first four are known to programs, word for word.
type Reason string

// The reasons.
const (
	ReasonLocalName  Reason = "is a local host name"
	ReasonPrivate    Reason = "is a loopback, link-local or private address"
	ReasonUnresolved Reason = "does not resolve"
	ReasonResolves   Reason = "resolves to a loopback, link-local or private address"

	// ReasonNotApp and ReasonNotListed are those of the narrower egress modes. What
	// they refuse is not looked up.
	ReasonNotApp    Reason = "is not the app, and pages may reach nothing else"
	ReasonNotListed Reason = "is not on the list of hosts that pages may reach"
)

// Destination is what can be said about a host and port before a resolver is
// asked. Exactly one holds: Refused is set, Addrs is, or Name is.
type Destination struct {
	Host   string // as ParseURL serialises it: a name, 192.0.2.1 or [2001:db8::1]
	Port   uint16
	App    bool // the app's own host and port, whose address is not judged
	Listed bool // the config names this host and port, as the app or beside it
	TLS    bool // and all that it names there speaks TLS
	Own    bool // Listed, and under a name of the app's host

	Refused Reason       // why not
	Setting string       // with Refused: the config key that could allow it, or ""
	Addrs   []netip.Addr // the addresses to connect to
	Name    string       // the name to look up, without a dot at the end; then ask Judge

	trust trust
}

// Pinned says whether the first answer for Name holds for good: where the address
// rule makes an exception, that must not follow the DNS.
func (d Destination) Pinned() bool { return d.trust == trustPrivate || d.trust == trustAny }

// MayDial says whether an address may be connected to for d.
func (d Destination) MayDial(addr netip.Addr, own []netip.Addr) bool {
	return d.trust.permits(addr, own)
}

// Judge judges what Name resolved to; a reason of "" allows it, and beside another
// stands the setting that could. One refused address among the answers refuses the
// name: whoever chooses the answers must not choose which of them is dialled.
func (d Destination) Judge(answers, own []netip.Addr) (refused Reason, setting string) {
	if len(answers) == 0 {
		return ReasonUnresolved, ""
	}
	setting = SettingHosts
	for _, addr := range answers {
		if d.MayDial(addr, own) {
			continue
		}
		refused = ReasonResolves
		if !trustPrivate.permits(addr, own) {
			setting = ""
		}
	}
	if refused == "" {
		return "", ""
	}
	return refused, setting
}

// String is the destination as refusals name it: host:port.
func (d Destination) String() string { return HostPort(d.Host, d.Port) }

// HostPort joins a serialised host and a port.
func HostPort(host string, port uint16) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// Destination judges a connection to host, as [ParseURL] serialises it, and
// port. own is this machine's interface addresses.
func (a App) Destination(host string, port uint16, own []netip.Addr) Destination {
	g, listed := a.granted(host, port)
	d := Destination{
		Host: host, Port: port, Listed: listed, trust: g.trust, TLS: g.tls,
		App: g.trust == trustAny, Own: listed && a.ownHost(host),
	}
	refuse := func(why Reason, setting string) Destination {
		d.Refused, d.Setting = why, setting
		if setting != "" && a.nearAlias(host, port) {
			d.Setting = SettingAliases
		}
		return d
	}
	addr, literal := Literal(host)
	switch {
	case !listed && a.mode == proto.EgressAppOnly:
		return refuse(ReasonNotApp, SettingEgress)
	case !listed && a.mode == proto.EgressAllowList:
		return refuse(ReasonNotListed, SettingHosts)
	case literal && d.MayDial(addr, own):
		d.Addrs = []netip.Addr{addr.Unmap()}
	case literal && trustPrivate.permits(addr, own):
		return refuse(ReasonPrivate, SettingHosts)
	case literal:
		return refuse(ReasonPrivate, "") // no setting opens it
	case d.trust == trustLoopback && ofLocalhost(host):
		d.Addrs = loopbacks(a.host)
	case d.trust == trustPublic && LocalName(host):
		return refuse(ReasonLocalName, SettingHosts)
	default:
		d.Name = strings.TrimSuffix(host, ".")
		if !resolvable(d.Name) {
			d.Name = ""
			return refuse(ReasonUnresolved, "")
		}
	}
	return d
}

// loopbacks are the addresses of localhost, the app's own first.
func loopbacks(app string) []netip.Addr {
	both := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	if app == "[::1]" {
		slices.Reverse(both)
	}
	return both
}
