//go:build linux

package attack

import (
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
)

// nameServer is the world's only one. It answers from a table, and writes down
// what it is asked.
type nameServer struct {
	mu    sync.Mutex
	table map[string][][]netip.Addr // by name; the n-th question gets the n-th answer, the last one repeats
	asked []string                  // names, one entry a question
	count map[string]int            // by name and type
}

// publicAddr is where every name ends that no table entry says more of. It is
// some public server's, and in the world it is ours.
const publicAddr = "93.184.216.34"

// publicZones are the zones all of whose names exist.
func publicZones() []string { return []string{"evil.test", "public.test"} }

// DNS numbers.
const (
	dnsHeader         = 12
	typeA, typeAAAA   = 1, 28
	flagsAnswer       = 0x8180 // a response, recursion desired and available
	codeNoSuchName    = 3
	pointerToQuestion = 0xc00c
)

// newNameServer starts a name server in the calling thread's namespace.
func newNameServer(t *testing.T, addr string) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp4", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{table: map[string][][]netip.Addr{}, count: map[string]int{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b := make([]byte, 4<<10)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			if answer := s.answer(b[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-ended })
	return s
}

// set gives a name its answers: each is a list of addresses, by commas.
func (s *nameServer) set(name string, answers ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all [][]netip.Addr
	for _, answer := range answers {
		var addrs []netip.Addr
		for one := range strings.SplitSeq(answer, ",") {
			addrs = append(addrs, netip.MustParseAddr(strings.TrimSpace(one)))
		}
		all = append(all, addrs)
	}
	s.table[name] = all
}

// questions counts how often a name, or one below it, was asked for.
func (s *nameServer) questions(name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked {
		if asked == name || strings.HasSuffix(asked, "."+name) {
			n++
		}
	}
	return n
}

// all is every name that was asked for, once.
func (s *nameServer) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(s.asked)))
}

func (s *nameServer) answer(q []byte) []byte {
	if len(q) < dnsHeader {
		return nil
	}
	var labels []string
	at := dnsHeader
	for at < len(q) && q[at] != 0 {
		n := int(q[at])
		if n > 63 || at+1+n > len(q) {
			return nil
		}
		labels = append(labels, strings.ToLower(string(q[at+1:at+1+n])))
		at += 1 + n
	}
	if at+5 > len(q) {
		return nil
	}
	kind := binary.BigEndian.Uint16(q[at+1:])
	name := strings.Join(labels, ".")
	addrs, known := s.lookUp(name, kind)

	b := slices.Clone(q[:dnsHeader])
	flags := uint16(flagsAnswer)
	if !known {
		flags |= codeNoSuchName
	}
	binary.BigEndian.PutUint16(b[2:], flags)
	binary.BigEndian.PutUint16(b[4:], 1)
	binary.BigEndian.PutUint16(b[6:], uint16(len(addrs)))
	binary.BigEndian.PutUint32(b[8:], 0)
	b = append(b, q[dnsHeader:at+5]...)
	for _, a := range addrs {
		b = binary.BigEndian.AppendUint16(b, pointerToQuestion)
		b = binary.BigEndian.AppendUint16(b, kind)
		b = binary.BigEndian.AppendUint16(b, 1) // of the internet
		b = binary.BigEndian.AppendUint32(b, 0) // for no time
		b = binary.BigEndian.AppendUint16(b, uint16(len(a.AsSlice())))
		b = append(b, a.AsSlice()...)
	}
	return b
}

func (s *nameServer) lookUp(name string, kind uint16) (found []netip.Addr, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, name)
	key := name + map[uint16]string{typeA: " A", typeAAAA: " AAAA"}[kind]
	n := s.count[key]
	s.count[key]++
	answers, known := s.table[name]
	if !known {
		for _, zone := range publicZones() {
			if name == zone || strings.HasSuffix(name, "."+zone) {
				answers, known = [][]netip.Addr{{netip.MustParseAddr(publicAddr)}}, true
			}
		}
	}
	if !known {
		return nil, false
	}
	for _, a := range answers[min(n, len(answers)-1)] {
		if a.Is4() && kind == typeA || a.Is6() && kind == typeAAAA {
			found = append(found, a)
		}
	}
	return found, true
}
