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
	proto string // "tcp", "udp", or "ip N"
	to    netip.AddrPort
	size  int
}

func (p packet) String() string { return fmt.Sprintf("%s to %v, %d bytes", p.proto, p.to, p.size) }

// tap looks at every packet at the far end of the cable.
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

// parsePacket reads an IP packet that the near end has sent; false for others
// and for what interfaces say among themselves.
func parsePacket(b []byte) (p packet, ok bool) {
	var from netip.Addr
	var proto byte
	var rest []byte
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		head := int(b[0]&15) * 4
		if len(b) < head {
			return p, false
		}
		from, _ = netip.AddrFromSlice(b[12:16])
		dst, _ := netip.AddrFromSlice(b[16:20])
		p.to = netip.AddrPortFrom(dst, 0)
		proto, rest = b[9], b[head:]
	case len(b) >= 40 && b[0]>>4 == 6:
		from, _ = netip.AddrFromSlice(b[8:24])
		dst, _ := netip.AddrFromSlice(b[24:40])
		p.to = netip.AddrPortFrom(dst, 0)
		proto, rest = b[6], b[40:]
	default:
		return p, false
	}
	if from.String() != nearAddr && from.String() != nearAddr6 {
		return p, false
	}
	switch {
	case proto == unix.IPPROTO_ICMPV6, proto == unix.IPPROTO_ICMP, proto == 0: // neighbours, and ports that are closed
		return p, false
	case proto == unix.IPPROTO_TCP && len(rest) >= 20:
		const syn, ack = 2, 16
		p.proto, ok = "tcp", rest[13]&(syn|ack) == syn
	case proto == unix.IPPROTO_UDP && len(rest) >= 8:
		p.proto, ok, p.size = "udp", true, len(rest)-8
	default:
		p.proto, ok = fmt.Sprintf("ip %d", proto), true
	}
	if len(rest) >= 4 {
		p.to = netip.AddrPortFrom(p.to.Addr(), binary.BigEndian.Uint16(rest[2:]))
	}
	return p, ok
}
