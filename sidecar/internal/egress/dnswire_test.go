package egress

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// What DNS servers say, in their own words: chains of names, records that are none
// of the name asked for, hints beside addresses, failures, noise and silence. Any
// address that is not public refuses the name, and what is no answer does.
func TestAnswersOnTheWire(t *testing.T) {
	const good, bad = "127.0.0.2", "127.0.0.1"
	allowed := http.StatusBadGateway // it is dialled, and nobody listens there
	records := map[string][]string{
		"plain.":      {"plain. A " + good},
		"chain.":      {"chain. CNAME b.", "b. CNAME c.", "c. A " + good},
		"chained.":    {"chained. CNAME b.", "b. CNAME c.", "c. A " + bad},
		"both.":       {"both. CNAME b.", "b. A " + good, "b. A " + bad},
		"sixth.":      {"sixth. A " + good, "sixth. AAAA ::1"},
		"mapped.":     {"mapped. AAAA ::ffff:10.0.0.1"},
		"neighbour.":  {"neighbour. A " + good, "other. A " + bad},
		"tolocal.":    {"tolocal. CNAME localhost."},
		"loop.":       {"loop. CNAME b.", "b. CNAME loop."},
		"empty.":      {},
		"hinted.":     {"hinted. HTTPS " + bad, "hinted. A " + good},
		"onlyhinted.": {"onlyhinted. HTTPS " + good},
		"lastbad.":    append(slices.Repeat([]string{"lastbad. A " + good}, 30), "lastbad. A "+bad),
	}
	server := newWireServer(t, records)
	p := start(t, "http://127.0.0.1:7000", Options{
		InsecurePublic: insecurePublic, Limits: Limits{Lookup: 300 * time.Millisecond},
		Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "udp", server)
		}},
	})
	for name, want := range map[string]int{
		"plain": allowed, "chain": allowed, "hinted": allowed,
		"chained": 403, "both": 403, "sixth": 403, "mapped": 403, "neighbour": 403, "tolocal": 403, "loop": 403, "empty": 403,
		"onlyhinted": 403, "lastbad": 403,
		"nxdomain": 403, "servfail": 403, "refused": 403, "noise": 403, "foreign-id": 403, "silence": 403,
	} {
		t.Run(name, func(t *testing.T) {
			got := p.ask("GET http://" + name + "/ HTTP/1.1\n\n")
			if got.status != want || strings.Contains(got.body, bad) {
				t.Errorf("%d %q, want %d", got.status, got.body, want)
			}
		})
	}
}

// DNS numbers.
const (
	wireHeader = 12
	wireAnswer = 0x8180
)

// newWireServer answers from records, each "owner TYPE value", whatever the owner;
// names that are not there stand for what is done.
func newWireServer(t *testing.T, records map[string][]string) (addr string) {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buf := make([]byte, 4<<10)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := wireReply(buf[:n], records); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-ended })
	return conn.LocalAddr().String()
}

func wireReply(q []byte, records map[string][]string) []byte {
	name, at := "", wireHeader
	for q[at] != 0 {
		name += strings.ToLower(string(q[at+1:at+1+int(q[at])])) + "."
		at += 1 + int(q[at])
	}
	kind := binary.BigEndian.Uint16(q[at+1:])
	b := slices.Clone(q[:at+5])
	code := map[string]uint16{"servfail.": 2, "nxdomain.": 3, "refused.": 5}[name]
	binary.BigEndian.PutUint16(b[2:], wireAnswer|code)
	clear(b[6:wireHeader])
	switch name {
	case "silence.":
		return nil
	case "noise.":
		return []byte("\x00\xffnoise")
	case "foreign-id.":
		b[0] ^= 0xff
	}
	types := map[string]uint16{"A": 1, "CNAME": 5, "AAAA": 28, "HTTPS": 65}
	count := uint16(0)
	for _, record := range records[name] {
		f := strings.Fields(record)
		of := types[f[1]]
		if (of == 1 || of == 28) && of != kind {
			continue
		}
		count++
		b = append(b, wireName(f[0])...)
		b = binary.BigEndian.AppendUint16(b, of)
		b = append(b, 0, 1, 0, 0, 0, 0) // of the internet, for no time
		var data []byte
		switch f[1] {
		case "CNAME":
			data = wireName(f[2])
		case "HTTPS": // of this name, with a hint of an address
			data = append([]byte{0, 1, 0, 0, 4, 0, 4}, netip.MustParseAddr(f[2]).AsSlice()...)
		default:
			data = netip.MustParseAddr(f[2]).AsSlice()
		}
		b = binary.BigEndian.AppendUint16(b, uint16(len(data)))
		b = append(b, data...)
	}
	binary.BigEndian.PutUint16(b[6:], count)
	return b
}

func wireName(name string) (b []byte) {
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	return append(b, 0)
}
