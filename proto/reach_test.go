package proto_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

// testCertificate is one that signs itself. Nobody has its key.
const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBTzCB96ADAgECAgEBMAoGCCqGSM49BAMCMBcxFTATBgNVBAMTDEFuIGF1dGhv
cml0eTAgFw0yMzExMTQyMjEzMjBaGA8yMTAwMDEwMTAwMDAwMFowFzEVMBMGA1UE
AxMMQW4gYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE47wLH03H
Q1iUBIA5kemMsHDd8uGVelbOQWWol/UyHT7jqaTLzU4bLMHCIHw7bqKDWNxF8bqT
MvhZq1ArWxS/UaMyMDAwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUABUS5mw1
Q215kYCOGzHFn9BqCTEwCgYIKoZIzj0EAwIDRwAwRAIgV0/f0Ewarr2HQThOVnsG
0Z3Ys/ajKdIofhA4v4jVAhICICIfyi5cnAppnj85+0nuyYguunkRkZdnnevouEBG
sjiC
-----END CERTIFICATE-----
`

func TestAllowedHosts(t *testing.T) {
	private := func(host any, more ...any) object {
		o := object{"host": host, "private": true}
		for i := 0; i < len(more); i += 2 {
			o[more[i].(string)] = more[i+1]
		}
		return o
	}
	const host, port, wildcard = "must be a host such as ", "must name its port", "must not be private and a wildcard"
	for _, tt := range []struct {
		entry any
		want  proto.AllowedHost
		rule  string
	}{
		{"example.com", proto.AllowedHost{Host: "example.com"}, ""},
		{"EXAMPLE.com", proto.AllowedHost{Host: "example.com"}, ""},
		{"example.com:80", proto.AllowedHost{Host: "example.com", Port: 80}, ""},
		{"example.com:65535", proto.AllowedHost{Host: "example.com", Port: 65535}, ""},
		{"bücher.example", proto.AllowedHost{Host: "xn--bcher-kva.example"}, ""},
		{"*.example.com", proto.AllowedHost{Host: "*.example.com"}, ""},
		{"*.example.com:8443", proto.AllowedHost{Host: "*.example.com", Port: 8443}, ""},
		{"intranet", proto.AllowedHost{Host: "intranet"}, ""},
		{"192.0.2.1:80", proto.AllowedHost{Host: "192.0.2.1", Port: 80}, ""},
		{"127.1:80", proto.AllowedHost{Host: "127.0.0.1", Port: 80}, ""},
		{"0x7f.1:80", proto.AllowedHost{Host: "127.0.0.1", Port: 80}, ""},
		{"[::1]:80", proto.AllowedHost{Host: "[::1]", Port: 80}, ""},
		{"[0:0::1]:80", proto.AllowedHost{Host: "[::1]", Port: 80}, ""},
		{"localhost:4000", proto.AllowedHost{Host: "localhost", Port: 4000}, ""},
		{"*.localhost:4000", proto.AllowedHost{Host: "*.localhost", Port: 4000}, ""},
		{object{"host": "a.test"}, proto.AllowedHost{Host: "a.test"}, ""},
		{object{"host": "a.test", "private": false}, proto.AllowedHost{Host: "a.test"}, ""},
		{object{"host": "a.test", "private": null}, proto.AllowedHost{Host: "a.test"}, ""},
		{private("a.test:8080"), proto.AllowedHost{Host: "a.test", Port: 8080, Private: true}, ""},

		{"", proto.AllowedHost{}, host}, {"*", proto.AllowedHost{}, host}, {"*.", proto.AllowedHost{}, host}, {"*.com", proto.AllowedHost{}, host},
		{"*.com.", proto.AllowedHost{}, host}, {"a.*.com", proto.AllowedHost{}, host}, {"*.*.com", proto.AllowedHost{}, host}, {"*a.com", proto.AllowedHost{}, host},
		{"*.127.0.0.1:80", proto.AllowedHost{}, host}, {"http://a.test", proto.AllowedHost{}, host}, {"a.test/", proto.AllowedHost{}, host},
		{"a.test/x", proto.AllowedHost{}, host}, {"a.test?x", proto.AllowedHost{}, host}, {"a.test#x", proto.AllowedHost{}, host}, {`a.test\x`, proto.AllowedHost{}, host},
		{"u@a.test", proto.AllowedHost{}, host}, {"u:p@a.test", proto.AllowedHost{}, host}, {"a.test:", proto.AllowedHost{}, host}, {"a.test:0", proto.AllowedHost{}, host},
		{"a.test:65536", proto.AllowedHost{}, host}, {"a.test:+80", proto.AllowedHost{}, host}, {"a.test:80:81", proto.AllowedHost{}, host}, {"a.test:x", proto.AllowedHost{}, host},
		{"::1", proto.AllowedHost{}, host}, {"[::1%25lo]:80", proto.AllowedHost{}, host}, {"a b", proto.AllowedHost{}, host}, {"10.0.0.0/8", proto.AllowedHost{}, host},
		{1, proto.AllowedHost{}, host}, {null, proto.AllowedHost{}, host}, {[]any{"a.test"}, proto.AllowedHost{}, host}, {object{}, proto.AllowedHost{}, host},
		{object{"host": 1}, proto.AllowedHost{}, host}, {private("a.test:80", "prviate", true), proto.AllowedHost{}, host},
		{object{"host": "a.test:80", "private": "yes"}, proto.AllowedHost{}, host}, {object{"origin": "a.test"}, proto.AllowedHost{}, host},

		{"127.0.0.1", proto.AllowedHost{}, port}, {"8.8.8.8", proto.AllowedHost{}, port}, {"[::1]", proto.AllowedHost{}, port}, {"localhost", proto.AllowedHost{}, port},
		{"x.localhost", proto.AllowedHost{}, port}, {"*.localhost", proto.AllowedHost{}, port}, {private("a.test"), proto.AllowedHost{}, port},
		{private("*.a.test:80"), proto.AllowedHost{}, wildcard},
	} {
		l, _, err := decodeLaunch(t, with("allow_hosts", []any{"first.test", tt.entry}))
		if tt.rule != "" {
			if err == nil || !strings.HasPrefix(err.Error(), "allow_hosts entry 2 "+tt.rule) {
				t.Errorf("%v: %+v, %v", tt.entry, l.AllowHosts, err)
			}
			continue
		}
		if want := []proto.AllowedHost{{Host: "first.test"}, tt.want}; err != nil || !slices.Equal(l.AllowHosts, want) {
			t.Errorf("%v: %+v, %v", tt.entry, l.AllowHosts, err)
		}
	}
}

func TestAllowedOrigins(t *testing.T) {
	for _, tt := range []struct {
		entry any
		want  proto.AllowedOrigin // zero = refused
	}{
		{"http://127.1:5173/", proto.AllowedOrigin{Origin: "http://127.0.0.1:5173"}},
		{"HTTPS://Login.Example.com:443", proto.AllowedOrigin{Origin: "https://login.example.com"}},
		{object{"origin": "https://sso.corp.test", "private": true}, proto.AllowedOrigin{Origin: "https://sso.corp.test", Private: true}},
		{"login.example.com", proto.AllowedOrigin{}}, {"https://*.example.com", proto.AllowedOrigin{}}, {"https://a.test/x", proto.AllowedOrigin{}},
		{"https://a.test?x", proto.AllowedOrigin{}}, {"https://a.test#x", proto.AllowedOrigin{}}, {"https://u@a.test", proto.AllowedOrigin{}},
		{"ws://a.test", proto.AllowedOrigin{}}, {"file:///", proto.AllowedOrigin{}}, {"https://a.test:0", proto.AllowedOrigin{}}, {"null", proto.AllowedOrigin{}},
		{null, proto.AllowedOrigin{}}, {object{"host": "https://a.test"}, proto.AllowedOrigin{}}, {object{"origin": "https://a.test", "x": 1}, proto.AllowedOrigin{}},
	} {
		l, _, err := decodeLaunch(t, with("allow_origins", []any{tt.entry}))
		if tt.want == (proto.AllowedOrigin{}) {
			if err == nil || !strings.HasPrefix(err.Error(), "allow_origins entry 1 must be an origin such as ") {
				t.Errorf("%v: %+v, %v", tt.entry, l.AllowOrigins, err)
			}
			continue
		}
		if err != nil || !slices.Equal(l.AllowOrigins, []proto.AllowedOrigin{tt.want}) {
			t.Errorf("%v: %+v, %v", tt.entry, l.AllowOrigins, err)
		}
	}
}

// TestReachRules: what stands between the keys. Failures come in their order, each
// entry's own.
func TestReachRules(t *testing.T) {
	many := slices.Repeat([]any{"a.test"}, 1001)
	for _, tt := range []struct {
		name, text string
		want       []string // how the failures begin
	}{
		{"mode", with("egress", "closed"), []string{"egress must be open, app-only or allow-list"}},
		{"mode a flag", with("egress", true), []string{"egress must be "}},
		{"origins", with("allow_origins", "https://a.test"), []string{"allow_origins must be an array"}},
		{"hosts", with("allow_hosts", object{}), []string{"allow_hosts must be an array"}},
		{"too many", with("allow_hosts", many), []string{"allow_hosts must not have more than 1000 entries"}},
		{"app-only with hosts", with("egress", "app-only", "allow_hosts", []any{"a.test"}), []string{"allow_hosts must be empty where egress is app-only"}},
		{"aliases", with("loopback_aliases", "yes"), []string{"loopback_aliases must be true or false"}},
		{"errors", with("ignore_https_errors", 1), []string{"ignore_https_errors must be true or false"}},
		{"no certificate", with("app_ca", "x"), []string{"app_ca must be one or more certificates in PEM"}},
		{"a path", with("app_ca", "/etc/ssl/ca.pem"), []string{"app_ca must be "}},
		{"text before", with("app_ca", "x\n"+testCertificate), []string{"app_ca must be "}},
		{"text after", with("app_ca", testCertificate+"x"), []string{"app_ca must be "}},
		{"cut", with("app_ca", testCertificate[:200]+testCertificate[210:]), []string{"app_ca must be "}},
		{"key", with("app_ca", strings.ReplaceAll(testCertificate, "CERTIFICATE", "PRIVATE KEY")), []string{"app_ca must be "}},
		{"both", with("app_ca", testCertificate, "ignore_https_errors", true), []string{"app_ca must not stand beside ignore_https_errors"}},
		{"all", with("allow_hosts", []any{"a b", "c.test", "localhost"}, "allow_origins", []any{"x"}, "egress", "no"),
			[]string{"egress must be ", "allow_origins entry 1 ", "allow_hosts entry 1 ", "allow_hosts entry 3 "}},
	} {
		_, _, err := decodeLaunch(t, tt.text)
		var le *proto.LaunchError
		if !errors.As(err, &le) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := le.Failures
		if !slices.EqualFunc(got, tt.want, func(f proto.Failure, begin string) bool { return strings.HasPrefix(f.Message, begin) }) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for _, tt := range []struct{ app, warning string }{
		{"http://127.0.0.1:3000", ""}, {"http://localhost", ""}, {"https://[::1]:3000", ""},
		{"http://app.test:3000", "loopback_aliases has no meaning for "},
	} {
		l, warnings, err := decodeLaunch(t, with("app_url", tt.app, "loopback_aliases", true))
		if tt.warning == "" && !roundTrip(t, l).LoopbackAliases {
			t.Errorf("%s: the key was not written", tt.app)
		}
		if err != nil || !l.LoopbackAliases || (len(warnings) > 0) != (tt.warning != "") {
			t.Errorf("%s: %v %v", tt.app, warnings, err)
		}
	}
	l, _, err := decodeLaunch(t, with("app_ca", "\n"+testCertificate+"\n"+testCertificate, "egress", "app-only", "allow_hosts", []any{}))
	if err != nil || len(proto.ParseCertificates(l.AppCA)) != 2 || l.Egress != proto.EgressAppOnly {
		t.Errorf("%+v, %v", l, err)
	}
	if diff := cmp.Diff("launch(headless; app http://127.0.0.1:3000; egress app-only)", l.String()); diff != "" {
		t.Error(diff)
	}
}
