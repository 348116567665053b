package policy

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

// launchFor is a decoded config of an app with what f adds.
func launchFor(app string, f func(*proto.Launch)) proto.Launch {
	l := proto.Launch{AppURL: app}.WithDefaults()
	if f != nil {
		f(&l)
	}
	return l
}

func mustFor(t testing.TB, app string, f func(*proto.Launch)) App {
	t.Helper()
	a, err := For(launchFor(app, f))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// lists is a config with an entry of each kind.
func lists(mode proto.Egress) func(*proto.Launch) {
	return func(l *proto.Launch) {
		l.Egress = mode
		l.LoopbackAliases = true
		l.AllowOrigins = []proto.AllowedOrigin{
			{Origin: "https://login.test"}, {Origin: "http://127.0.0.1:5173"}, {Origin: "https://sso.corp.test", Private: true},
		}
		if mode == proto.EgressAppOnly {
			return
		}
		l.AllowHosts = []proto.AllowedHost{
			{Host: "cdn.test"}, {Host: "*.wild.test"}, {Host: "*.wild.test", Port: 8443}, {Host: "db.corp.test", Port: 5432, Private: true},
			{Host: "10.0.0.5", Port: 8080}, {Host: "[fd00::5]", Port: 8080}, {Host: "localhost", Port: 4000}, {Host: "*.localhost", Port: 4001},
			{Host: "printer.local", Port: 80},
		}
	}
}

func TestReach(t *testing.T) {
	const no = Reason("")
	for _, tt := range []struct {
		host                string
		port                uint16
		open, only, listed  Reason // what each mode says
		setting             string // of the allow-list's refusal
		addrs, name, pinned string // with the allow-list
	}{
		{host: "127.0.0.1", port: 3000, addrs: "127.0.0.1"},
		{host: "localhost", port: 3000, addrs: "127.0.0.1 ::1"},
		{host: "[::1]", port: 3000, addrs: "::1"},
		{host: "127.0.0.1", port: 5173, addrs: "127.0.0.1"},
		{host: "localhost", port: 5173, open: ReasonLocalName, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "127.0.0.2", port: 3000, open: ReasonPrivate, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "login.test", port: 443, name: "login.test"},
		{host: "login.test", port: 80, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "sso.corp.test", port: 443, name: "sso.corp.test", pinned: "yes"},
		{host: "sso.corp.test", port: 8443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},

		{host: "cdn.test", port: 80, only: ReasonNotApp, name: "cdn.test"},
		{host: "cdn.test", port: 443, only: ReasonNotApp, name: "cdn.test"},
		{host: "cdn.test", port: 8080, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "cdn.test.", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "xcdn.test", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "a.cdn.test", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "a.wild.test", port: 443, only: ReasonNotApp, name: "a.wild.test"},
		{host: "a.b.wild.test", port: 8443, only: ReasonNotApp, name: "a.b.wild.test"},
		{host: "wild.test", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: ".wild.test", port: 443, only: ReasonNotApp, open: ReasonUnresolved, listed: ReasonNotListed, setting: SettingHosts},
		{host: "awild.test", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "a.wild.test.evil.test", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "db.corp.test", port: 5432, only: ReasonNotApp, name: "db.corp.test", pinned: "yes"},
		{host: "db.corp.test", port: 5433, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "10.0.0.5", port: 8080, only: ReasonNotApp, addrs: "10.0.0.5"},
		{host: "10.0.0.5", port: 8081, open: ReasonPrivate, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "10.0.0.6", port: 8080, open: ReasonPrivate, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "[fd00::5]", port: 8080, only: ReasonNotApp, addrs: "fd00::5"},
		{host: "[::ffff:a00:5]", port: 8080, open: ReasonPrivate, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "localhost", port: 4000, only: ReasonNotApp, addrs: "127.0.0.1 ::1"},
		{host: "127.0.0.1", port: 4000, open: ReasonPrivate, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "x.localhost", port: 4001, only: ReasonNotApp, addrs: "127.0.0.1 ::1"},
		{host: "localhost", port: 4001, open: ReasonLocalName, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		// Listed, but not as what it is.
		{host: "printer.local", port: 80, open: ReasonLocalName, only: ReasonNotApp, listed: ReasonLocalName, setting: SettingHosts},
		// What is listed nowhere.
		{host: "example.com", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "8.8.8.8", port: 443, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "169.254.169.254", port: 80, open: ReasonPrivate, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
		{host: "a..b", port: 80, open: ReasonUnresolved, only: ReasonNotApp, listed: ReasonNotListed, setting: SettingHosts},
	} {
		for mode, want := range map[proto.Egress]Reason{proto.EgressOpen: tt.open, proto.EgressAppOnly: tt.only, proto.EgressAllowList: tt.listed} {
			d := mustFor(t, "http://127.0.0.1:3000", lists(mode)).Destination(tt.host, tt.port, nil)
			if d.Refused != want || (want == no) == (d.Name == "" && d.Addrs == nil) {
				t.Errorf("%s: %s: %+v, want %q", mode, d, d, want)
			}
			if mode != proto.EgressAllowList {
				continue
			}
			var addrs []string
			for _, a := range d.Addrs {
				addrs = append(addrs, a.String())
			}
			if d.Setting != tt.setting || strings.Join(addrs, " ") != tt.addrs || d.Name != tt.name || d.Name != "" && d.Pinned() != (tt.pinned != "") {
				t.Errorf("%s: %+v", d, d)
			}
		}
	}
}

// What a name leads to is judged by what the config says of that name and port.
func TestAnswersOfListedNames(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("8.8.4.4")}
	app := mustFor(t, "http://app.corp.test:3000", lists(proto.EgressOpen))
	for _, tt := range []struct {
		host, answers string
		port          uint16
		want          Reason
		setting       string
	}{
		{"app.corp.test", "10.0.0.1", 3000, "", ""},
		{"app.corp.test", "169.254.169.254", 3000, "", ""}, // the host's word for it
		{"app.corp.test", "10.0.0.1", 80, ReasonResolves, SettingHosts},
		{"cdn.test", "93.184.216.34", 443, "", ""},
		{"cdn.test", "93.184.216.34 10.0.0.1", 443, ReasonResolves, SettingHosts},
		{"cdn.test", "127.0.0.1", 443, ReasonResolves, SettingHosts},
		{"cdn.test", "169.254.169.254", 443, ReasonResolves, ""},
		{"cdn.test", "10.0.0.1 169.254.169.254", 443, ReasonResolves, ""},
		{"login.test", "10.0.0.1", 443, ReasonResolves, SettingHosts},
		{"sso.corp.test", "10.0.0.1", 443, "", ""},
		{"sso.corp.test", "10.0.0.1", 80, ReasonResolves, SettingHosts},
		{"db.corp.test", "10.0.0.1 93.184.216.34 fd00::1", 5432, "", ""},
		{"db.corp.test", "127.0.0.1", 5432, "", ""},
		{"db.corp.test", "8.8.4.4", 5432, "", ""}, // this machine's own
		{"db.corp.test", "100.64.0.1 198.18.0.1 fec0::1", 5432, "", ""},
		{"db.corp.test", "10.0.0.1", 5433, ReasonResolves, SettingHosts},
		{"db.corp.test", "10.0.0.1 169.254.169.254", 5432, ReasonResolves, ""},
		{"db.corp.test", "fd00:ec2::254", 5432, ReasonResolves, ""},
		{"db.corp.test", "169.254.170.2", 5432, ReasonResolves, ""}, // credentials of a container, by link-local
		{"db.corp.test", "100.100.100.200", 5432, ReasonResolves, ""},
		{"db.corp.test", "0.0.0.0", 5432, ReasonResolves, ""},
		{"db.corp.test", "224.0.0.1", 5432, ReasonResolves, ""},
		{"db.corp.test", "fe80::1%lo", 5432, ReasonResolves, ""},
		{"db.corp.test", "::127.0.0.1", 5432, ReasonResolves, ""},
		{"db.corp.test", "2002:a00:1::", 5432, ReasonResolves, ""},
		{"db.corp.test", "64:ff9b::10.0.0.1", 5432, "", ""}, // 10.0.0.1 behind NAT64
		{"db.corp.test", "64:ff9b::169.254.169.254", 5432, ReasonResolves, ""},
		{"db.corp.test", "", 5432, ReasonUnresolved, ""},
	} {
		var answers []netip.Addr
		for _, a := range strings.Fields(tt.answers) {
			answers = append(answers, netip.MustParseAddr(a))
		}
		d := app.Destination(tt.host, tt.port, own)
		if got, setting := d.Judge(answers, own); got != tt.want || setting != tt.setting {
			t.Errorf("%s as %s: %q, %q; want %q, %q", d, tt.answers, got, setting, tt.want, tt.setting)
		}
	}
}

func TestForRefusesWhatNothingOpens(t *testing.T) {
	for _, host := range []string{
		"169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "[fd00:ec2::254]", "[fe80::1]", "0.0.0.0", "[::]",
		"224.0.0.1", "255.255.255.255", "192.0.2.1", "[ff02::1]", "[::a00:1]", "[2002:a00:1::]", "[64:ff9b:1::1]", "[4000::1]",
	} {
		l := launchFor("http://127.0.0.1:3000", func(l *proto.Launch) {
			l.AllowHosts = []proto.AllowedHost{{Host: "a.test"}, {Host: host, Port: 80}}
			l.AllowOrigins = []proto.AllowedOrigin{{Origin: "http://" + host}}
		})
		_, err := For(l)
		var le *proto.LaunchError
		if !errors.As(err, &le) || len(le.Failures) != 2 || le.Error() != "allow_origins entry 1 is an address that no setting can open" ||
			le.Failures[1].Message != "allow_hosts entry 2 is an address that no setting can open" {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "[fd00::1]", "198.18.0.1", "93.184.216.34"} {
		if _, err := For(launchFor("http://127.0.0.1:3000", func(l *proto.Launch) {
			l.AllowHosts = []proto.AllowedHost{{Host: host, Port: 80}}
		})); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// The app's pages are those of its origins, by every rule about pages.
func TestPagesOfAllowedOrigins(t *testing.T) {
	plain := mustFor(t, "http://127.0.0.1:3000", nil)
	wide := mustFor(t, "http://127.0.0.1:3000", lists(proto.EgressOpen))
	for _, tt := range []struct {
		url     string
		plain   bool   // as it is without settings
		wide    bool   // and with them
		setting string // that is missing without
	}{
		{"http://127.0.0.1:3000/x", true, true, SettingAliases},
		{"http://localhost:3000/x", false, true, SettingAliases},
		{"http://LOCALHOST:3000/x", false, true, SettingAliases},
		{"http://[::1]:3000/x", false, true, SettingAliases},
		{"http://[0:0::1]:3000/x", false, true, SettingAliases},
		{"http://localhost.:3000/", false, false, SettingOrigins},
		{"http://127.0.0.2:3000/", false, false, SettingOrigins},
		{"https://localhost:3000/", false, false, SettingOrigins},
		{"http://localhost:3001/", false, false, SettingOrigins},
		{"http://app.localhost:3000/", false, false, SettingOrigins},
		{"https://login.test/x?y", false, true, SettingOrigins},
		{"https://login.test:443/x?y", false, true, SettingOrigins},
		{"http://login.test/", false, false, SettingOrigins},
		{"https://login.test:444/", false, false, SettingOrigins},
		{"https://a.login.test/", false, false, SettingOrigins},
		{"https://login.test./", false, false, SettingOrigins},
		{"https://login.test@evil.test/", false, false, SettingOrigins},
		{"http://127.0.0.1:5173/", false, true, SettingOrigins},
		{"http://127.1:5173/", false, true, SettingOrigins},
		{"http://localhost:5173/", false, false, SettingOrigins}, // an alias of the app alone
		{"https://cdn.test/", false, false, SettingOrigins},      // a host is no page
		{"http://10.0.0.5:8080/", false, false, SettingOrigins},
		{"file:///etc/passwd", false, false, ""},
		{"chrome://version", false, false, ""},
		{"data:text/html,x", false, false, ""},
		{"ws://login.test/", false, false, ""},
		{"x", false, false, ""},
	} {
		for app, want := range map[*App]bool{&plain: tt.plain, &wide: tt.wide} {
			href, refusal := app.Target(tt.url)
			if (refusal == nil) != want || app.MayNavigate(tt.url) != want || (href != "") != want {
				t.Errorf("%s: %q, %v, want %v", tt.url, href, refusal, want)
			}
			if strings.HasPrefix(tt.url, "http") && (app.OnApp(tt.url) != want || app.OnApp("blob:"+tt.url) != want) {
				t.Errorf("%s: on the app %v, want %v", tt.url, !want, want)
			}
		}
		if got := plain.Widening(tt.url); got != tt.setting {
			t.Errorf("%s: %q would let it, want %q", tt.url, got, tt.setting)
		}
		if _, refusal := plain.Target(tt.url); refusal != nil && (tt.setting != "") != strings.HasSuffix(refusal.Hint, " with "+tt.setting) {
			t.Errorf("%s: hint %q", tt.url, refusal.Hint)
		}
	}
	_, refusal := wide.Target("http://evil.test/")
	for _, want := range []string{"may only open pages of the sandbox app at http://127.0.0.1:3000 (and http://localhost:3000, ", " and 0 more", ", not "} {
		if strings.Contains(refusal.Message, want) == (want == " and 0 more") {
			t.Errorf("refusal %q", refusal.Message)
		}
	}
	many := mustFor(t, "http://127.0.0.1:3000", func(l *proto.Launch) {
		for _, port := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			l.AllowOrigins = append(l.AllowOrigins, proto.AllowedOrigin{Origin: "http://a.test:900" + port}, proto.AllowedOrigin{Origin: "http://a.test:900" + port})
		}
	})
	if _, refusal = many.Target("x"); !strings.Contains(refusal.Message, "http://a.test:9005 and 2 more), not ") {
		t.Errorf("refusal %q", refusal.Message)
	}
}

// Without the key, what makes one app of this machine's names is named.
func TestNearAliases(t *testing.T) {
	for _, tt := range []struct {
		app, host string
		port      uint16
		setting   string
	}{
		{"http://127.0.0.1:3000", "localhost", 3000, SettingAliases},
		{"http://127.0.0.1:3000", "[::1]", 3000, SettingAliases},
		{"http://localhost:3000", "127.0.0.1", 3000, SettingAliases},
		{"http://127.0.0.1:3000", "localhost", 3001, SettingHosts},
		{"http://127.0.0.1:3000", "127.0.0.2", 3000, SettingHosts},
		{"http://10.0.0.1:3000", "localhost", 3000, SettingHosts},
		{"http://127.0.0.1:3000", "169.254.169.254", 3000, ""},
	} {
		d := mustFor(t, tt.app, nil).Destination(tt.host, tt.port, nil)
		if d.Refused == "" || d.Setting != tt.setting {
			t.Errorf("%s: %s: %+v", tt.app, d, d)
		}
	}
	// An app that is none of the three has no aliases, whatever the key says.
	a := mustFor(t, "http://10.0.0.1:3000", func(l *proto.Launch) { l.LoopbackAliases = true })
	if a.MayNavigate("http://localhost:3000/") || !slices.Equal(a.Hosts(), []string{"10.0.0.1"}) {
		t.Errorf("aliases of 10.0.0.1: %v", a.Hosts())
	}
	b := mustFor(t, "https://[::1]:3000", func(l *proto.Launch) { l.LoopbackAliases = true })
	d := b.Destination("localhost", 3000, nil)
	if len(d.Addrs) != 2 || d.Addrs[0] != netip.IPv6Loopback() || !d.TLS || !d.Own || d.App {
		t.Errorf("localhost of [::1]: %+v", d)
	}
}

// FuzzReach: whatever is asked for, in no mode is more reached than what the
// address rule and the config's entries say.
func FuzzReach(f *testing.F) {
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "a.wild.test", "db.corp.test", "10.0.0.5", "x.localhost", "example.com", "[fd00::5]"} {
		f.Add(host, uint16(8080), "10.0.0.1")
		f.Add(host, uint16(443), "169.254.169.254")
		f.Add(host, uint16(3000), "::1")
	}
	f.Fuzz(func(t *testing.T, host string, port uint16, answer string) {
		u, err := ParseURL("http://" + host)
		if err != nil || u.Port != "" {
			return
		}
		host = u.Hostname
		addr, _ := netip.ParseAddr(answer)
		for _, mode := range []proto.Egress{proto.EgressOpen, proto.EgressAppOnly, proto.EgressAllowList} {
			a := mustFor(t, "http://127.0.0.1:3000", lists(mode))
			d := a.Destination(host, port, nil)
			if (d.Refused != "") == (d.Name != "" || d.Addrs != nil) {
				t.Fatalf("%s: both or neither: %+v", mode, d)
			}
			if d.Refused == "" && mode != proto.EgressOpen && !d.Listed {
				t.Fatalf("%s: %s is reached and listed nowhere", mode, d)
			}
			for _, to := range append(slices.Clone(d.Addrs), addr) {
				if !to.IsValid() || d.Refused != "" || d.App || !d.MayDial(to, nil) {
					continue
				}
				class := Classify(to, nil)
				entry := slices.Contains([]string{
					"localhost:3000", "[::1]:3000", "127.0.0.1:5173", "sso.corp.test:443", "db.corp.test:5432",
					"10.0.0.5:8080", "[fd00::5]:8080", "localhost:4000",
				}, d.String()) || port == 4001 && strings.HasSuffix(host, ".localhost")
				if !class.Public() && (!entry || !slices.Contains(grantable, class)) {
					t.Fatalf("%s: %s may be reached at %v, which is %s", mode, d, to, class)
				}
			}
		}
	})
}
