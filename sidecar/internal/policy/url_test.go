package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

// urls maps a spelling to what a browser makes of it; "" is not a URL for us.
// Chromium 156 agrees with every one that is not "".
var urls = []struct{ raw, href string }{
	// The forms that a config or an agent writes.
	{"http://127.0.0.1:3000", "http://127.0.0.1:3000/"},
	{"HTTP://LOCALHOST:3000", "http://localhost:3000/"},
	{"https://DASH.example:443/", "https://dash.example/"},
	{"http://h:80/", "http://h/"},
	{"http://h:080/", "http://h/"},
	{"http://h:/", "http://h/"},
	{"ws://h:80/", "ws://h/"},
	{"wss://h:443/", "wss://h/"},
	{"http://h:443/", "http://h:443/"},
	{"http://h:0/", "http://h:0/"},
	{"http://h:65536/", ""},
	{"http://h:-1/", ""},
	{"http://h:8 0/", ""},
	{"", ""},
	{"/x", ""},
	{"//h/x", ""},
	{"example.com", ""},
	{"http:", ""},
	{"http://", ""},
	{"http:///", ""},
	{"http://?", ""},
	{"http://:80/", ""},
	{"http://a:b@/", ""},

	// Slashes, space and control characters.
	{"http:/127.0.0.1:3000/x", "http://127.0.0.1:3000/x"},
	{"http:127.0.0.1:3000", "http://127.0.0.1:3000/"},
	{"http:////h/", "http://h/"},
	{`http:\\evil.test\x`, "http://evil.test/x"},
	{`http:/\evil.test/`, "http://evil.test/"},
	{"  http://h/ \n", "http://h/"},
	{"\x00http://h/\x1f", "http://h/"},
	{"ht\ntp://h\t/a\rb", "http://h/ab"},
	{"http://h:8\t0/", "http://h/"},
	{"http://h/a b", "http://h/a%20b"},
	{"http://h/é", "http://h/%C3%A9"},
	{"http://h/100%", "http://h/100%"},
	{"http://h/%zz", "http://h/%zz"},
	{"http://h/a^b|c", "http://h/a%5Eb%7Cc"},
	{"http://h/\xff", "http://h/%EF%BF%BD"},
	{"http://h/?\xed\xa0\x80", "http://h/?%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
	{"http://h/?\"'", "http://h/?%22%27"},
	{"http://h/a/./b/../c", "http://h/a/c"},
	{"http://h/a/%2e%2E/c", "http://h/c"},
	{`http://h/a\..\c`, "http://h/c"},
	{"http://h//x", "http://h//x"},

	// User and password are not the host.
	{"http://user@127.0.0.1:3000/", "http://user@127.0.0.1:3000/"},
	{"http://127.0.0.1:3000@evil.test/", "http://127.0.0.1:3000@evil.test/"},
	{"http://a@b@h/", "http://a%40b@h/"},
	{"http://@h/", "http://h/"},
	{"http://:@h/", "http://h/"},
	{`http://evil.test\@127.0.0.1:7000/`, "http://evil.test/@127.0.0.1:7000/"},
	{"http://evil.test#@127.0.0.1/", "http://evil.test/#@127.0.0.1/"},
	{"http://evil.test?@127.0.0.1/", "http://evil.test/?@127.0.0.1/"},

	// IPv4 in every base.
	{"http://127.1:3000/x", "http://127.0.0.1:3000/x"},
	{"http://127.0.1/", "http://127.0.0.1/"},
	{"http://0x7f.1/", "http://127.0.0.1/"},
	{"http://0X7F.0x0.0X00.0x1/", "http://127.0.0.1/"},
	{"http://0177.0.0.01/", "http://127.0.0.1/"},
	{"http://2130706433/", "http://127.0.0.1/"},
	{"http://0x7f000001/", "http://127.0.0.1/"},
	{"http://017700000001/", "http://127.0.0.1/"},
	{"http://127.0.0.1./", "http://127.0.0.1/"},
	{"http://%31%32%37.1/", "http://127.0.0.1/"},
	{"http://0/", "http://0.0.0.0/"},
	{"http://0x/", "http://0.0.0.0/"},
	{"http://4294967295/", "http://255.255.255.255/"},
	{"http://4294967296/", ""},
	{"http://256.1.1.1/", ""},
	{"http://1.2.3.4.5/", ""},
	{"http://1.2.3.08/", ""},
	{"http://1..2/", ""},
	{"http://a.1/", ""},
	{"http://a.0x1/", ""},
	{"http://0x1g/", "http://0x1g/"},
	{"http://1e3/", "http://1e3/"},
	{"http://127.0.0.1../", ""},
	{"http://999999999999999999999999/", ""},
	// A sign makes a name of it for browsers, a number for the library.
	{"http://+1/", ""},
	{"http://-1/", ""},
	{"http://0x-1/", ""},
	{"http://127.0.1.-255:3000/", ""},
	{"http://１２７.0.1.－255/", ""},
	// Right, and not worth trusting two IDNA tables for.
	{"http://127。0。0。1/", ""},
	{"http://①②⑦.0.0.1/", ""},
	{"http://１２７.1/", ""},

	// IPv6.
	{"http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000/"},
	{"http://[::1.2.3.4]/", "http://[::102:304]/"},
	{"http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"},
	{"http://[1:2:3:4:5:6:7::]/", "http://[1:2:3:4:5:6:7:0]/"},
	{"http://[::ffff:0x7f.1]/", ""},
	{"http://[fe80::1%25lo]/", ""},
	{"http://[fe80::1%lo]/", ""},
	{"http://[::1/", ""},
	{"http://::1/", ""},
	{"http://[]/", ""},
	{"http://[[::1]]/", ""},
	{"http://[::1]]/", ""},
	{"http://[1:2:3:4:5:6:7:8:9]/", ""},
	{"http://[1::2::3]/", ""},

	// Names.
	{"http://%6c%6fcalhost/", "http://localhost/"},
	{"http://lo\u00adcalhost/", "http://localhost/"},
	{"http://ex%61mple.com/", "http://example.com/"},
	{"http://localhost./", "http://localhost./"},
	{"http://under_score.test/", "http://under_score.test/"},
	{"http://-a-.com/", "http://-a-.com/"},
	{"http://faß.de/", "http://xn--fa-hia.de/"},
	{"http://日本.jp/", "http://xn--wgv71a.jp/"},
	{"http://日本。jp/", "http://xn--wgv71a.jp/"},
	{"http://日本.jp。/", "http://xn--wgv71a.jp./"},
	{"http://XN--LS8H.la/", "http://xn--ls8h.la/"},
	{"http://💩.la/", "http://xn--ls8h.la/"},
	{"http://xn--/", ""},
	{"http://foo.xn--/", ""},
	{"http://xn--a/", ""},
	{"http://xn--é.test/", ""},
	{"http://xｎ－－é.test/", ""},
	{"http://ẞ.de/", ""},
	{"http://ℵ.test/", ""},
	{"http://a\u200db/", ""},
	{"http://a\ufffdb/", ""},
	{"http://\xff/", ""},
	{"http://%ff/", ""},
	{"http://%zz/", ""},
	{"http://a%00b/", ""},
	{"http://a%2fb/", ""},
	{"http://a%40b/", ""},
	{"http://a%20b/", ""},
	{"http://a b/", ""},
	{"http://a|b/", ""},
	{"http://a<b/", ""},
	{"http://a*b/", ""},
	{"http://a'b/", ""},
	{"http://a..b/", ""},
	{"http://.a/", ""},
	{"http://./", ""},
	{"http://a../", ""},

	// Schemes that name no server.
	{"about:blank", "about:blank"},
	{"data:text/html,hi", "data:text/html,hi"},
	{"javascript:alert(1)", "javascript:alert(1)"},
	{"blob:http://h/uuid", "blob:http://h/uuid"},
	{"file:///etc/passwd", "file:///etc/passwd"},
	{"FILE:etc", "file:///etc"},
	{"view-source:http://h/", "view-source:http://h/"},
	{"chrome://settings", "chrome://settings"},
}

func TestParseURL(t *testing.T) {
	for _, tt := range urls {
		u, err := ParseURL(tt.raw)
		if (err != nil) != (tt.href == "") || u.Href != tt.href {
			t.Errorf("ParseURL(%q) = %q, %v; want %q", tt.raw, u.Href, err, tt.href)
		}
	}
}

func TestParseURLParts(t *testing.T) {
	for raw, want := range map[string]proto.URL{
		"HTTP://u:p@[0::1]:3000/a/../b?c=d&e#f": {
			Scheme: "http", Host: "[::1]:3000", Port: "3000", Hostname: "[::1]", Path: "/b", Query: "c=d&e", Fragment: "f",
			Username: "u", Password: "p", Origin: "http://[::1]:3000", Href: "http://u:p@[::1]:3000/b?c=d&e#f",
		},
		"https://h:443?#": {
			Scheme: "https", Host: "h", Hostname: "h", Path: "/", Origin: "https://h", Href: "https://h/?#",
		},
		"blob:http://h:80/9115d58c": {
			Scheme: "blob", Path: "http://h:80/9115d58c", Origin: "http://h", Href: "blob:http://h:80/9115d58c",
		},
		"blob:null/9115d58c": {Scheme: "blob", Path: "null/9115d58c", Origin: "null", Href: "blob:null/9115d58c"},
		"data:,x":            {Scheme: "data", Path: ",x", Origin: "null", Href: "data:,x"},
	} {
		got, err := ParseURL(raw)
		if err != nil {
			t.Errorf("ParseURL(%q): %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseURL(%q) (-want +got):\n%s", raw, diff)
		}
	}
}

// A page chooses the URLs that are judged here, so none may cost seconds.
func TestParseURLRefusesWhatIsCostly(t *testing.T) {
	for name, raw := range map[string]string{
		"long":     "http://h/?" + strings.Repeat("a", maxURL),
		"segments": "http://h" + strings.Repeat("/", maxSlashes+1),
		"backs":    "http://h" + strings.Repeat(`\`, maxSlashes+1),
		"user":     "http://" + strings.Repeat("é", maxAuthority) + "@h/",
		"ats":      "http://" + strings.Repeat("@", maxAuthority+1) + "h/",
		"host":     "http://" + strings.Repeat("é", maxAuthority) + "/",
		"tabbed":   "http:/\t/" + strings.Repeat("é", maxAuthority) + "/",
	} {
		if u, err := ParseURL(raw); err == nil {
			t.Errorf("%s: ParseURL took %d bytes as %q...", name, len(raw), u.Href[:20])
		}
	}
	if _, err := ParseURL("http://h/?" + strings.Repeat("a", 16<<10)); err != nil {
		t.Errorf("a query of 16 KiB is refused: %v", err)
	}
}

func TestParseURLErrorsHideTheURL(t *testing.T) {
	for _, raw := range []string{"http://h:x/?password=hunter2", "hunter2", "http://[hunter2]/", "http://a*b/hunter2"} {
		if _, err := ParseURL(raw); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("ParseURL(%q) error %v tells the URL", raw, err)
		}
	}
}

// FuzzParseURL: what is accepted reads the same a second time, and its origin is
// a URL of the same origin.
func FuzzParseURL(f *testing.F) {
	for _, tt := range urls {
		f.Add(tt.raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw)
		if err != nil {
			if u != (proto.URL{}) {
				t.Fatalf("ParseURL(%q) gives both a URL and %v", raw, err)
			}
			return
		}
		if !hasHost(u.Scheme) {
			return
		}
		again, err := ParseURL(u.Href)
		if err != nil && len(u.Href) <= maxURL && authorityLen(u.Href) <= maxAuthority {
			t.Fatalf("ParseURL(%q) = %q, which is refused: %v", raw, u.Href, err)
		}
		if err == nil && again != u {
			t.Fatalf("ParseURL(%q) = %q, then %q", raw, u.Href, again.Href)
		}
		root, err := ParseURL(u.Origin)
		if err != nil || root.Origin != u.Origin || root.Hostname != u.Hostname {
			t.Fatalf("ParseURL(%q) has origin %q, which is %q, %v", raw, u.Origin, root.Origin, err)
		}
		if strings.ContainsAny(u.Host, "/\\@?#% \t\r\n\x00") {
			t.Fatalf("ParseURL(%q) has host %q", raw, u.Host)
		}
		if _, literal := Literal(u.Hostname); literal == resolvable(strings.TrimSuffix(u.Hostname, ".")) && len(u.Hostname) < maxLabel {
			t.Fatalf("ParseURL(%q) has host %q, which is both a name and an address, or neither", raw, u.Hostname)
		}
	})
}
