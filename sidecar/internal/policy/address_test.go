package policy

import (
	"net/netip"
	"testing"
)

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		id, addr string
		want     Class
	}{
		{"S021", "127.0.0.1", Loopback},
		{"S022", "127.255.255.254", Loopback},
		{"S023", "0.0.0.0", Unspecified},
		{"S024", "10.0.0.1", Private},
		{"S025", "172.16.0.1", Private},
		{"S026", "172.31.255.255", Private},
		{"S027", "192.168.1.1", Private},
		{"S028", "169.254.169.254", Metadata},
		{"S029", "100.64.0.1", Shared},
		{"S030", "192.0.0.8", Protocol},
		{"S031", "198.18.0.1", Benchmarking},
		{"S032", "192.0.2.1", Documentation},
		{"S033", "224.0.0.1", Multicast},
		{"S034", "240.0.0.1", Reserved},
		{"S035", "255.255.255.255", Broadcast},
		{"S036", "::1", Loopback},
		{"S037", "::", Unspecified},
		{"S038", "::ffff:127.0.0.1", Loopback},
		{"S039", "::ffff:a00:1", Private},
		{"S040", "fe80::1", LinkLocal},
		{"S041", "fc00::1", UniqueLocal},
		{"S042", "fec0::1", SiteLocal},
		{"S043", "64:ff9b::7f00:1", Loopback},
		{"S044", "2002:7f00:1::", SixToFour},
		{"S045", "2001::1", Teredo},
		{"S046", "2001:db8::1", Documentation},
		{"S047", "ff02::1", Multicast},
		{"S048", "93.184.216.34", Public},
		{"S049", "2606:4700::6810:84e5", Public},
		{"S050", "172.15.255.255", Public},
		{"S051", "100.63.255.255", Public},
		{"S052", "0.1.2.3", ThisNetwork},
		{"S053", "198.19.255.255", Benchmarking},
		{"S054", "192.88.99.1", Relay},
		{"S055", "64:ff9b:1::10.0.0.1", LocalNAT64},
		{"S056", "5f00::1", Segment},
		{"S057", "fe80::1%lo", Zoned},
		{"S058", "100.128.0.0", Public},
		{"S059", "192.0.1.1", Public},

		{"original", "127.8.9.10", Loopback},
		{"original", "fd12:3456::1", UniqueLocal},
		{"original", "::ffff:a9fe:a9fe", Metadata},
		{"original", "64:ff9b::10.0.0.1", Private},
		{"original", "8.8.8.8", Public},
		{"original", "1.1.1.1", Public},
		{"original", "172.32.0.1", Public},
		{"original", "2606:4700:4700::1111", Public},
		{"original", "::ffff:8.8.8.8", Public},

		{"azure host agent", "168.63.129.16", Metadata},
		{"aws metadata", "fd00:ec2::254", Metadata},
		{"alibaba metadata", "100.100.100.200", Metadata},
		{"oracle metadata", "192.0.0.192", Protocol},
		{"nat64 of a public address", "64:ff9b::8.8.8.8", Public},
		{"nat64 of a zone's address", "64:ff9b::192.0.2.1", Documentation},
		{"beside nat64", "64:ff9b::1:0:0", NotGlobal},
		{"local nat64 of a public address", "64:ff9b:1::8.8.8.8", LocalNAT64},
		{"compatible", "::127.0.0.1", Embedded},
		{"compatible, public", "::8.8.8.8", Embedded},
		{"translated", "::ffff:0:127.0.0.1", Embedded},
		{"translated, public", "::ffff:0:8.8.8.8", Embedded},
		{"6to4 of a public address", "2002:808:808::1", SixToFour},
		{"teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2", Teredo},
		{"isatap", "2a00:1450::5efe:10.0.0.1", Private},
		{"isatap, global bit", "2a00:1450::200:5efe:127.0.0.1", Loopback},
		{"isatap, group bit", "2a00:1450::100:5efe:10.0.0.1", Private},
		{"isatap, both bits", "2a00:1450::300:5efe:169.254.169.254", Metadata},
		{"isatap of a public address", "2a00:1450::5efe:8.8.8.8", Public},
		{"orchid", "2001:20::1", Protocol},
		{"benchmarking", "2001:2::1", Benchmarking},
		{"just above the protocol block", "2001:200::1", Public},
		{"new documentation block", "3fff:fff::1", Documentation},
		{"just above it", "3fff:1000::1", Public},
		{"discard", "100::1", Discard},
		{"dummy", "100:0:0:1::1", Discard},
		{"reserved by nobody", "4000::1", NotGlobal},
		{"below global unicast", "1fff:ffff::1", NotGlobal},
		{"above global unicast", "e000::1", NotGlobal},
		{"a public address with a zone", "2606:4700::1%eth0", Zoned},
	} {
		addr := netip.MustParseAddr(tt.addr)
		if got := Classify(addr, nil); got != tt.want {
			t.Errorf("%s: Classify(%s) = %s, want %s", tt.id, addr, got, tt.want)
		}
	}
	if got := Classify(netip.Addr{}, nil); got.Public() {
		t.Errorf("Classify of no address = %s", got)
	}
	if Class("").Public() {
		t.Error("the zero class is public")
	}
}

// Both ends of every row are refused, and the address before and after it is
// refused only where another row says so.
func TestClassifyEdges(t *testing.T) {
	for _, s := range append(append([]span{}, table4...), table6...) {
		first := s.prefix.Addr()
		last := lastOf(s.prefix)
		for _, edge := range []netip.Addr{first, last} {
			if class := Classify(edge, nil); class.Public() {
				t.Errorf("%s, an edge of %s, is public", edge, s.prefix)
			}
		}
		for _, beside := range []netip.Addr{first.Prev(), last.Next()} {
			if !beside.IsValid() {
				continue
			}
			covered := beside.Is6() && !globalUnicast.Contains(beside)
			for _, o := range append(append([]span{}, table4...), table6...) {
				covered = covered || o.prefix.Contains(beside)
			}
			if class := Classify(beside, nil); class.Public() == covered {
				t.Errorf("%s, beside %s, is %s", beside, s.prefix, class)
			}
		}
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

func TestClassifyOwn(t *testing.T) {
	own := []netip.Addr{
		netip.MustParseAddr("8.8.4.4"), netip.MustParseAddr("::ffff:9.9.9.9"), netip.MustParseAddr("2606:4700::7%eth0"),
	}
	for _, addr := range []string{"8.8.4.4", "::ffff:8.8.4.4", "64:ff9b::8.8.4.4", "9.9.9.9", "2606:4700::7"} {
		if got := Classify(netip.MustParseAddr(addr), own); got != Own {
			t.Errorf("Classify(%s) = %s on the machine that has it", addr, got)
		}
	}
	if got := Classify(netip.MustParseAddr("8.8.8.8"), own); got != Public {
		t.Errorf("another address is %s", got)
	}
}

// FuzzClassify: the form of an address never changes the verdict, and what is
// public is so for the standard library too.
func FuzzClassify(f *testing.F) {
	for _, s := range append(append([]span{}, table4...), table6...) {
		f.Add(s.prefix.Addr().AsSlice())
	}
	f.Add([]byte{8, 8, 8, 8})
	f.Add(netip.MustParseAddr("64:ff9b::8.8.8.8").AsSlice())
	f.Fuzz(func(t *testing.T, b []byte) {
		addr, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		class := Classify(addr, nil)
		if class == "" || class == Invalid || class == Own {
			t.Fatalf("%s is %q", addr, class)
		}
		if got := Classify(addr.Unmap(), nil); got != class {
			t.Fatalf("%s is %s, unmapped %s", addr, class, got)
		}
		if addr.Is4() {
			mapped := netip.AddrFrom16(addr.As16())
			b16 := nat64.Addr().As16()
			copy(b16[12:], b)
			for _, o := range []netip.Addr{mapped, netip.AddrFrom16(b16)} {
				if got := Classify(o, nil); got != class {
					t.Fatalf("%s is %s, but %s is %s", addr, class, o, got)
				}
			}
		}
		if Classify(addr, []netip.Addr{addr}).Public() {
			t.Fatalf("%s is public on the machine that has it", addr)
		}
		if class.Public() {
			u := addr.Unmap()
			if !u.IsGlobalUnicast() || u.IsPrivate() || u.IsLoopback() || u.IsLinkLocalUnicast() {
				t.Fatalf("%s is public", addr)
			}
			if addr.Is6() && !addr.Is4In6() && Classify(addr.WithZone("eth0"), nil).Public() {
				t.Fatalf("%s is public with a zone", addr)
			}
		}
	})
}
