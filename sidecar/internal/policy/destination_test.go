package policy

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestDestination(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("8.8.4.4")}
	for _, tt := range []struct {
		id, app, host string
		port          uint16
		refused       Reason
		addr, name    string
		isApp         bool
	}{
		{id: "S001", app: "http://127.0.0.1:7000", host: "127.0.0.1", port: 7000, addr: "127.0.0.1", isApp: true},
		{id: "S002", app: "http://127.0.0.1:7000", host: "127.0.0.1", port: 7001, refused: ReasonPrivate},
		{id: "S004", app: "http://127.0.0.1:7000", host: "localhost", port: 7000, refused: ReasonLocalName},
		{id: "alias", app: "http://localhost:7000", host: "127.0.0.1", port: 7000, refused: ReasonPrivate},
		{id: "app name", app: "http://localhost:7000", host: "localhost", port: 7000, name: "localhost", isApp: true},
		{id: "app name, dot", app: "http://localhost:7000", host: "localhost.", port: 7000, refused: ReasonLocalName},
		{id: "app v6", app: "http://[::1]:7000", host: "[::1]", port: 7000, addr: "::1", isApp: true},
		{id: "app default port", app: "https://app.test", host: "app.test", port: 443, name: "app.test", isApp: true},
		{id: "app, other port", app: "https://app.test", host: "app.test", port: 80, name: "app.test"},
		{id: "original", host: "127.0.0.1", port: 5432, refused: ReasonPrivate},
		{id: "original", host: "[::1]", port: 3000, refused: ReasonPrivate},
		{id: "original", host: "169.254.169.254", port: 80, refused: ReasonPrivate},
		{id: "original", host: "8.8.8.8", port: 53, addr: "8.8.8.8"},
		{id: "mapped", host: "[::ffff:808:808]", port: 80, addr: "8.8.8.8"},
		{id: "own", host: "8.8.4.4", port: 80, refused: ReasonPrivate},
		{id: "local", host: "printer.local", port: 80, refused: ReasonLocalName},
		{id: "local", host: "metadata.google.internal", port: 80, refused: ReasonLocalName},
		{id: "name", host: "example.com", port: 443, name: "example.com"},
		{id: "name, dot", host: "example.com.", port: 443, name: "example.com"},
		{id: "number, not parsed", host: "0x7f.1", port: 80, refused: ReasonUnresolved},
		{id: "number, not parsed", host: "2130706433", port: 80, refused: ReasonUnresolved},
		{id: "empty label", host: "a..b", port: 80, refused: ReasonUnresolved},
		{id: "two dots", host: "localhost..", port: 80, refused: ReasonUnresolved},
		{id: "long label", host: strings.Repeat("a", 64) + ".com", port: 80, refused: ReasonUnresolved},
		{id: "long name", host: strings.Repeat("a.", 130) + "com", port: 80, refused: ReasonUnresolved},
		{id: "empty", host: "", port: 80, refused: ReasonUnresolved},
	} {
		var app App
		if tt.app != "" {
			app = mustApp(t, tt.app)
		}
		d := app.Destination(tt.host, tt.port, own)
		addr := ""
		if len(d.Addrs) > 0 {
			addr = d.Addrs[0].String()
		}
		if d.Refused != tt.refused || addr != tt.addr || d.Name != tt.name || d.App != tt.isApp {
			t.Errorf("%s: Destination(%.40q, %d) = %+v", tt.id, tt.host, tt.port, d)
		}
	}
}

func TestDestinationString(t *testing.T) {
	for _, tt := range []struct{ host, want string }{
		{"127.0.0.1", "127.0.0.1:80"}, {"[::1]", "[::1]:80"}, {"example.com", "example.com:80"},
	} {
		if got := (Destination{Host: tt.host, Port: 80}).String(); got != tt.want {
			t.Errorf("%q is shown as %q", tt.host, got)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		id, answers string
		want        Reason
	}{
		{"one public", "93.184.216.34", ""},
		{"two public", "93.184.216.34 2606:4700::1", ""},
		{"S018", "93.184.216.34 127.0.0.1", ReasonResolves},
		{"metadata", "169.254.169.254", ReasonResolves},
		{"last of many", "1.1.1.1 8.8.8.8 9.9.9.9 fd00::1", ReasonResolves},
		{"zoned", "2606:4700::1%eth0", ReasonResolves},
		{"own", "93.184.216.34 8.8.4.4", ReasonResolves},
		{"none", "", ReasonUnresolved},
	} {
		var answers []netip.Addr
		for _, a := range strings.Fields(tt.answers) {
			answers = append(answers, netip.MustParseAddr(a))
		}
		if got, _ := (Destination{}).Judge(answers, []netip.Addr{netip.MustParseAddr("8.8.4.4")}); got != tt.want {
			t.Errorf("%s: Judge(%s) = %q, want %q", tt.id, tt.answers, got, tt.want)
		}
	}
}

func TestLocalName(t *testing.T) {
	for _, host := range []string{"localhost", "app.localhost", "printer.local", "metadata.google.internal", "LOCALHOST.", "a.b.LOCAL"} {
		if !LocalName(host) {
			t.Errorf("%q is not local", host)
		}
	}
	for _, host := range []string{"example.com", "notlocalhost", "local", "internal", "localhost.com", "localhost..", ""} {
		if LocalName(host) {
			t.Errorf("%q is local", host)
		}
	}
}

// The words that programs compare.
func TestReasons(t *testing.T) {
	for got, want := range map[Reason]string{
		ReasonPrivate:    "is a loopback, link-local or private address",
		ReasonResolves:   "resolves to a loopback, link-local or private address",
		ReasonLocalName:  "is a local host name",
		ReasonUnresolved: "does not resolve",
	} {
		if string(got) != want {
			t.Errorf("reason %q, want %q", got, want)
		}
	}
}

func TestJudgePort(t *testing.T) {
	for _, list := range [][]uint16{blockedPorts, servicePorts} {
		if !slices.IsSorted(list) {
			t.Errorf("not sorted, so the search misses some: %v", list)
		}
	}
	for _, port := range blockedPorts {
		if JudgePort(port) != ReasonPort {
			t.Errorf("port %d is %q", port, JudgePort(port))
		}
	}
	for _, port := range servicePorts {
		if JudgePort(port) != ReasonService {
			t.Errorf("port %d is %q", port, JudgePort(port))
		}
	}
	for _, port := range []uint16{80, 443, 3000, 4433, 5000, 7001, 8000, 8080, 8443, 8883, 9001, 9443, 49152, 65535} {
		if reason := JudgePort(port); reason != "" {
			t.Errorf("port %d %s", port, reason)
		}
	}
}
