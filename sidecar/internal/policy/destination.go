package policy

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Reason is why a connection or a sub-resource was refused. It reads on after
// "host:port ". The first four are known to programs, word for word.
type Reason string

// The reasons.
const (
	ReasonLocalName  Reason = "is a local host name"
	ReasonPrivate    Reason = "is a loopback, link-local or private address"
	ReasonUnresolved Reason = "does not resolve"
	ReasonResolves   Reason = "resolves to a loopback, link-local or private address"

	// ReasonUnreadable is for a text that is no URL, so it names no host.
	ReasonUnreadable Reason = "is not a readable URL"
)

// Destination is what can be said about a host and port before a resolver is
// asked. Exactly one holds: Refused is set, Addr is valid, or Name is set.
type Destination struct {
	Host string // as ParseURL serialises it: a name, 192.0.2.1 or [2001:db8::1]
	Port uint16
	App  bool // the app's own host and port: the one exception from the address rule

	Refused Reason     // why not
	Addr    netip.Addr // the address to connect to
	Name    string     // the name to look up, without a dot at the end; then ask CheckAnswers unless App
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
	d := Destination{Host: host, Port: port}
	addr, literal := Literal(host)
	d.App = a.origin != "" && host == a.host && port == a.port
	switch {
	case literal && (d.App || Classify(addr, own).Public()):
		d.Addr = addr.Unmap()
	case literal:
		d.Refused = ReasonPrivate
	case !d.App && LocalName(host):
		d.Refused = ReasonLocalName
	default:
		d.Name = strings.TrimSuffix(host, ".")
		if !resolvable(d.Name) {
			d.Name, d.Refused = "", ReasonUnresolved
		}
	}
	return d
}

// CheckAnswers judges what a name resolved to; "" allows it. One refused
// address among the answers refuses the name: whoever chooses the answers must
// not choose which of them is dialled.
func CheckAnswers(answers, own []netip.Addr) Reason {
	if len(answers) == 0 {
		return ReasonUnresolved
	}
	for _, addr := range answers {
		if !Classify(addr, own).Public() {
			return ReasonResolves
		}
	}
	return ""
}
