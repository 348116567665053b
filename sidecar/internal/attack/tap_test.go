//go:build linux

package attack

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// packet is one that came down the cable and asks for something: the first of a
// TCP connection, or any datagram.
type packet struct {
	proto  string // "tcp", "udp", "join", or "ip N"
	to     netip.AddrPort
	size   int
	groups []change // of a join: which groups of multicast the near end joins and leaves
}

func (p packet) String() string {
	text := fmt.Sprintf("%s to %v, %d bytes", p.proto, p.to, p.size)
	for _, g := range p.groups {
		text += fmt.Sprintf(", %s %v", map[bool]string{true: "joins", false: "leaves"}[g.joins], g.group)
	}
	return text
}

// change is one of a membership report, which the kernel sends for programs.
type change struct {
	group netip.Addr
	joins bool
}

// parseReport reads a report of IGMPv3, or of MLDv2 with its longer addresses:
// what a kernel sends when nobody on the cable has asked.
func parseReport(b []byte, addrLen int) (all []change) {
	const igmp, mld, head = 0x22, 143, 8
	if len(b) < head || b[0] != igmp && b[0] != mld {
		return nil
	}
	for b = b[head:]; len(b) >= 4+addrLen; {
		const isInclude, toInclude = 1, 3 // of no source: it leaves
		sources := int(binary.BigEndian.Uint16(b[2:]))
		group, _ := netip.AddrFromSlice(b[4 : 4+addrLen])
		all = append(all, change{group, sources > 0 || b[0] != isInclude && b[0] != toInclude})
		b = b[min(len(b), 4+addrLen*(1+sources)+4*int(b[1])):]
	}
	return all
}

// joined says whether a program has joined a group. What it leaves, by its end as
// well, it has joined before; and a kernel joins groups for its addresses.
func joined(all []change) bool {
	own := netip.MustParsePrefix("ff02::1:ff00:0/104")
	return slices.ContainsFunc(all, func(c change) bool { return c.joins && !own.Contains(c.group) })
}

// tap looks at every packet of the near end, at the far end of the cable.
type tap struct {
	mu   sync.Mutex
	seen []packet
}

// openTap taps an interface of the calling thread's namespace.
func openTap(t *testing.T, name string) *tap {
	t.Helper()
	iface, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	all := binary.BigEndian.Uint16([]byte{0, unix.ETH_P_ALL})
	all = all<<8 | all>>8
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(all))
	if err != nil {
		t.Fatalf("open a packet socket: %v", err)
	}
	f := os.NewFile(uintptr(fd), "tap")
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		t.Fatalf("hear the near end alone: %v", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: iface.Index}); err != nil {
		t.Fatalf("bind the tap to %s: %v", name, err)
	}
	tp := &tap{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b := make([]byte, 64<<10)
		for {
			n, err := f.Read(b)
			if err != nil {
				return
			}
			if p, ok := parsePacket(b[:n]); ok {
				tp.mu.Lock()
				tp.seen = append(tp.seen, p)
				tp.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() { f.Close(); <-ended })
	return tp
}

// mark is a moment, to ask afterwards what came since.
func (t *tap) mark() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.seen)
}

// since is what came after a mark and that want picks.
func (t *tap) since(mark int, want func(packet) bool) []packet {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.seen[mark:]), func(p packet) bool { return !want(p) })
}

// to picks packets to an address.
func to(addr netip.Addr) func(packet) bool {
	return func(p packet) bool { return p.to.Addr() == addr }
}

// datagrams picks what is not TCP, without what the machine's own resolver asks.
func datagrams(p packet) bool {
	return p.proto != "tcp" && p.to.String() != farAddr+":53"
}

// parsePacket reads an IP packet; false for what interfaces say among themselves.
func parsePacket(b []byte) (p packet, ok bool) {
	var proto byte
	var rest []byte
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		head := int(b[0]&15) * 4
		if len(b) < head {
			return p, false
		}
		dst, _ := netip.AddrFromSlice(b[16:20])
		p.to = netip.AddrPortFrom(dst, 0)
		proto, rest = b[9], b[head:]
	case len(b) >= 40 && b[0]>>4 == 6:
		dst, _ := netip.AddrFromSlice(b[24:40])
		p.to = netip.AddrPortFrom(dst, 0)
		proto, rest = b[6], b[40:]
	default:
		return p, false
	}
	const routerAlert = 8 // bytes of options before an MLD report
	switch {
	case proto == unix.IPPROTO_HOPOPTS && len(rest) > routerAlert && rest[0] == unix.IPPROTO_ICMPV6:
		p.groups = parseReport(rest[routerAlert:], net.IPv6len)
		p.proto, p.size = "join", len(rest)
		return p, joined(p.groups)
	case proto == unix.IPPROTO_ICMPV6, proto == unix.IPPROTO_ICMP: // neighbours, and ports that are closed
		return p, false
	case proto == unix.IPPROTO_TCP && len(rest) >= 20:
		const syn, ack = 2, 16
		p.proto, ok = "tcp", rest[13]&(syn|ack) == syn
	case proto == unix.IPPROTO_UDP && len(rest) >= 8:
		p.proto, ok, p.size = "udp", true, len(rest)-8
	case proto == unix.IPPROTO_IGMP:
		p.groups = parseReport(rest, net.IPv4len)
		p.proto, p.size = "join", len(rest)
		return p, p.groups == nil || joined(p.groups)
	default:
		p.proto, ok = fmt.Sprintf("ip %d", proto), true
	}
	if len(rest) >= 4 {
		p.to = netip.AddrPortFrom(p.to.Addr(), binary.BigEndian.Uint16(rest[2:]))
	}
	return p, ok
}
