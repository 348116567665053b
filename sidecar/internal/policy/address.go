package policy

import (
	"net/netip"
	"slices"
)

// Class says what an address is for, as a word for people. Only [Public] may be
// connected to; the zero value is no class and is refused like all others.
type Class string

// The classes. Their names follow the IANA special-purpose registries.
const (
	Public        Class = "public"
	Invalid       Class = "invalid"
	Own           Class = "this machine's own"
	Unspecified   Class = "unspecified"
	ThisNetwork   Class = "this-network"
	Loopback      Class = "loopback"
	Private       Class = "private"
	Shared        Class = "carrier-grade NAT"
	LinkLocal     Class = "link-local"
	Metadata      Class = "cloud metadata"
	SiteLocal     Class = "site-local"
	UniqueLocal   Class = "unique local"
	Multicast     Class = "multicast"
	Broadcast     Class = "broadcast"
	Reserved      Class = "reserved"
	Protocol      Class = "protocol assignment"
	Documentation Class = "documentation"
	Benchmarking  Class = "benchmarking"
	Discard       Class = "discard-only"
	Sink          Class = "AS112 sink"
	Relay         Class = "relay anycast"
	Segment       Class = "segment routing"
	Zoned         Class = "zoned"
	Embedded      Class = "IPv4 inside of IPv6"
	Teredo        Class = "Teredo"
	SixToFour     Class = "6to4"
	LocalNAT64    Class = "local-use NAT64"
	NotGlobal     Class = "not global unicast"
)

// Public says whether a connection to an address of this class is allowed.
func (c Class) Public() bool { return c == Public }

// span is one row of the table: every address in prefix is of class.
type span struct {
	prefix netip.Prefix
	class  Class
}

func row(prefix string, class Class) span { return span{netip.MustParsePrefix(prefix), class} }

// table4 is every IPv4 range that is not the public internet. A narrow range
// stands before a wider one that holds it. Some blocks in it are reachable
// (AS112, AMT); no website is served from them, and a network's own copy may be.
var table4 = []span{
	row("0.0.0.0/32", Unspecified),
	row("0.0.0.0/8", ThisNetwork),
	row("10.0.0.0/8", Private),
	row("100.100.100.200/32", Metadata),
	row("100.64.0.0/10", Shared),
	row("127.0.0.0/8", Loopback),
	row("168.63.129.16/32", Metadata), // a public number, but the host agent of one big cloud
	row("169.254.169.254/32", Metadata),
	row("169.254.0.0/16", LinkLocal),
	row("172.16.0.0/12", Private),
	row("192.0.0.0/24", Protocol),
	row("192.0.2.0/24", Documentation),
	row("192.31.196.0/24", Sink),
	row("192.52.193.0/24", Relay),
	row("192.88.99.0/24", Relay),
	row("192.168.0.0/16", Private),
	row("192.175.48.0/24", Sink),
	row("198.18.0.0/15", Benchmarking),
	row("198.51.100.0/24", Documentation),
	row("203.0.113.0/24", Documentation),
	row("224.0.0.0/4", Multicast),
	row("255.255.255.255/32", Broadcast),
	row("240.0.0.0/4", Reserved),
}

// table6 is the same for IPv6. What lies outside of global unicast is refused
// with or without a row here; the rows give it its word.
var table6 = []span{
	row("::/128", Unspecified),
	row("::1/128", Loopback),
	row("::/96", Embedded),           // IPv4-compatible
	row("::ffff:0:0:0/96", Embedded), // IPv4-translated
	row("64:ff9b:1::/48", LocalNAT64),
	row("100::/64", Discard),
	row("100:0:0:1::/64", Discard),
	row("2001::/32", Teredo),
	row("2001:2::/48", Benchmarking),
	row("2001::/23", Protocol), // ORCHID, AMT, AS112, drone ids and what comes next
	row("2001:db8::/32", Documentation),
	row("2002::/16", SixToFour),
	row("2620:4f:8000::/48", Sink),
	row("3fff::/20", Documentation),
	row("5f00::/16", Segment),
	row("fd00:ec2::/32", Metadata),
	row("fd20:ce::254/128", Metadata),
	row("fc00::/7", UniqueLocal),
	row("fe80::/10", LinkLocal),
	row("fec0::/10", SiteLocal),
	row("ff00::/8", Multicast),
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
)

// Classify says what addr is for. own holds the addresses of this machine's
// interfaces: a service that listens on all of them is as local on a public
// address as on 127.0.0.1.
func Classify(addr netip.Addr, own []netip.Addr) Class {
	switch {
	case !addr.IsValid():
		return Invalid
	case addr.Zone() != "":
		return Zoned
	}
	addr = addr.Unmap()
	if class := classifyPlain(addr); !class.Public() {
		return class
	}
	same := func(o netip.Addr) bool { return o.WithZone("").Unmap() == addr }
	if slices.ContainsFunc(own, same) {
		return Own
	}
	if inner, ok := innerIPv4(addr); ok {
		return Classify(inner, own)
	}
	return Public
}

// classifyPlain looks addr, unmapped and without a zone, up in the tables.
func classifyPlain(addr netip.Addr) Class {
	table := table6
	if addr.Is4() {
		table = table4
	}
	for _, s := range table {
		if s.prefix.Contains(addr) {
			return s.class
		}
	}
	if addr.Is4() || globalUnicast.Contains(addr) || nat64.Contains(addr) {
		return Public
	}
	return NotGlobal
}

// innerIPv4 is the IPv4 address that a gateway on the way would make of addr:
// the end of a NAT64 address, and of an ISATAP interface identifier, which may
// stand under any prefix.
func innerIPv4(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	b := addr.As16()
	isatap := b[8]&^3 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
	if !isatap && !nat64.Contains(addr) {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte(b[12:16])), true
}
