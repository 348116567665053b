package egress

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// startFor runs a proxy for a config.
func startFor(t testing.TB, l proto.Launch, opts Options) *running {
	t.Helper()
	app, err := policy.For(l.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	return startApp(t, app, opts)
}

// In the narrower modes a name that is not listed is not looked up, and one that is
// goes nowhere but where the rule about addresses lets it.
func TestModes(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	web := newSite(t, public.String()+":0", nil)
	port := portOf(web.host)
	names := map[string]string{
		"listed.test.": public.String(), "a.wild.test.": public.String(), "other.test.": public.String(),
		"inward.test.": "127.0.0.1", "mixed.test.": public.String() + " 127.0.0.1",
	}
	var hosts []proto.AllowedHost
	for _, name := range []string{"listed.test", "*.wild.test", "inward.test", "mixed.test"} {
		hosts = append(hosts, proto.AllowedHost{Host: name, Port: int(web.port())})
	}
	for _, tt := range []struct {
		mode  proto.Egress
		hosts []proto.AllowedHost
		want  map[string]string // what is asked for, and the end of the answer
		asked string            // names that were looked up
	}{
		{proto.EgressOpen, nil, map[string]string{
			"other.test": "hello", "inward.test": "resolves to a loopback, link-local or private address",
		}, "inward.test. other.test."},
		{proto.EgressAppOnly, nil, map[string]string{
			"listed.test": "is not the app, and pages may reach nothing else", public.String(): "is not the app, and pages may reach nothing else",
			"no.such.name": "is not the app, and pages may reach nothing else",
		}, ""},
		{proto.EgressAllowList, hosts, map[string]string{
			"listed.test": "hello", "a.wild.test": "hello", "wild.test": "is not on the list of hosts that pages may reach",
			"other.test": "is not on the list of hosts that pages may reach", public.String(): "is not on the list of hosts that pages may reach",
			"inward.test": "resolves to a loopback, link-local or private address",
			"mixed.test":  "resolves to a loopback, link-local or private address",
		}, "a.wild.test. inward.test. listed.test. mixed.test."},
	} {
		resolver := &fakeResolver{names: names}
		p := startFor(t, proto.Launch{AppURL: app.URL, Egress: tt.mode, AllowHosts: tt.hosts}, Options{Resolver: resolver, InsecurePublic: insecurePublic})
		for host, want := range tt.want {
			for _, request := range []string{"GET http://" + host + ":" + port + "/ HTTP/1.1\n\n", "CONNECT " + host + ":" + port + " HTTP/1.1\n\n"} {
				got := p.ask(request)
				status := 403
				if want == "hello" {
					status = 200
				}
				if got.status != status || got.body != "" && !strings.Contains(got.body, want) {
					t.Errorf("%s: %q: %d %q", tt.mode, request, got.status, got.body)
				}
			}
		}
		if got := p.ask("GET " + app.URL + "/ HTTP/1.1\n\n"); got.status != 200 {
			t.Errorf("%s: the app: %+v", tt.mode, got)
		}
		if got := resolver.list(); got != tt.asked {
			t.Errorf("%s: looked up %q, want %q", tt.mode, got, tt.asked)
		}
	}
}

// A name that may lead to a private address keeps the one that it had first; a
// listed name without that word never gets there, however its answers change.
func TestPrivateNamesArePinned(t *testing.T) {
	app, inside := newSite(t, "127.0.0.1:0", nil), newSite(t, "127.0.0.3:0", nil)
	trap := newSniffer(t, "127.0.0.4:"+portOf(inside.host))
	port := portOf(inside.host)
	resolver := &fakeResolver{names: map[string]string{
		"db.test.": "127.0.0.3|127.0.0.4", "flips.test.": public.String() + "|127.0.0.3", "meta.test.": "169.254.169.254",
	}}
	n := int(inside.port())
	var told []Refusal
	p := startFor(t, proto.Launch{AppURL: app.URL, AllowHosts: []proto.AllowedHost{
		{Host: "db.test", Port: n, Private: true}, {Host: "flips.test", Port: n}, {Host: "meta.test", Port: n, Private: true},
	}}, Options{
		Resolver: resolver, InsecurePublic: insecurePublic, Limits: Limits{PositiveTTL: 1, NegativeTTL: 1},
		OnRefusal: func(r Refusal) { told = append(told, r) },
	})
	for range 3 {
		if got := p.ask("GET http://db.test:" + port + "/ HTTP/1.1\n\n"); got.status != 200 {
			t.Errorf("a private name: %+v", got)
		}
	}
	if got := p.ask("GET http://db.test:" + portOf(app.host) + "/ HTTP/1.1\n\n"); got.status != 403 {
		t.Errorf("the same name on another port: %+v", got)
	}
	p.ask("GET http://flips.test:" + port + "/ HTTP/1.1\n\n") // nobody listens there
	if got := p.ask("GET http://flips.test:" + port + "/ HTTP/1.1\n\n"); got.status != 403 {
		t.Errorf("a name that turned inwards: %+v", got)
	}
	if got := p.ask("GET http://meta.test:" + port + "/ HTTP/1.1\n\n"); got.status != 403 {
		t.Errorf("a private name of the metadata service: %+v", got)
	}
	trap.mustBeSilent(t)
	p.Close()
	var settings []string
	for _, r := range told {
		settings = append(settings, string(r.Rule)+" "+r.Setting)
	}
	want := []string{"private_answer allow_hosts", "private_answer allow_hosts", "private_answer "}
	if diff := cmp.Diff(want, settings); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Aliases and localhost are this machine, and no name server is asked; a port that
// is listed is one, whatever it is known for.
func TestLocalGrants(t *testing.T) {
	app, api := newSite(t, "127.0.0.1:0", nil), newSite(t, "127.0.0.1:0", nil)
	resolver := &fakeResolver{names: map[string]string{"localhost.": public.String()}}
	p := startFor(t, proto.Launch{AppURL: app.URL, LoopbackAliases: true, AllowHosts: []proto.AllowedHost{
		{Host: "localhost", Port: int(api.port())}, {Host: "127.0.0.1", Port: 6379},
	}}, Options{Resolver: resolver})
	for request, status := range map[string]int{
		"GET http://localhost:" + portOf(app.host) + "/ HTTP/1.1\n\n": 200,
		"GET http://localhost:" + portOf(api.host) + "/ HTTP/1.1\n\n": 200,
		"GET http://127.0.0.1:" + portOf(api.host) + "/ HTTP/1.1\n\n": 403,
		"GET http://127.0.0.1:6379/ HTTP/1.1\n\n":                     502,
		"GET http://localhost:6379/ HTTP/1.1\n\n":                     403,
		"GET http://example.test:6379/ HTTP/1.1\n\n":                  403,
	} {
		if got := p.ask(request); got.status != status {
			t.Errorf("%q: %+v", request, got)
		}
	}
	if got := resolver.list(); got != "" {
		t.Errorf("looked up %q", got)
	}
	for _, host := range []string{"localhost", "127.0.0.1"} {
		d := p.opts.App.Destination(host, app.port(), nil)
		if addr := netip.MustParseAddr("10.0.0.1"); !d.App && d.MayDial(addr, nil) {
			t.Errorf("%s may be dialled at %v", d, addr)
		}
	}
}
