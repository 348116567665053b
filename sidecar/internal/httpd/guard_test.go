package httpd

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

func TestAcceptedHosts(t *testing.T) {
	for _, c := range []struct {
		host    string
		port    int
		allowed []string
		want    []string
	}{
		{"127.0.0.1", 4321, nil, []string{"127.0.0.1:4321", "localhost:4321", "[::1]:4321"}},
		{"localhost", 4321, nil, []string{"127.0.0.1:4321", "localhost:4321", "[::1]:4321"}},
		{"LOCALHOST", 4321, nil, []string{"127.0.0.1:4321", "localhost:4321", "[::1]:4321"}},
		{"::1", 4321, nil, []string{"127.0.0.1:4321", "localhost:4321", "[::1]:4321"}},
		{"0.0.0.0", 8931, []string{"Browser:8931"}, []string{"127.0.0.1:8931", "localhost:8931", "[::1]:8931", "browser:8931"}},
		{"::", 8931, nil, []string{"127.0.0.1:8931", "localhost:8931", "[::1]:8931"}},
		{"10.0.0.5", 8931, nil, []string{"10.0.0.5:8931"}},
		{"Box.Test", 8931, []string{"other"}, []string{"box.test:8931", "other"}},
		{"fd00::5", 8931, nil, []string{"[fd00::5]:8931"}},
	} {
		if d := cmp.Diff(c.want, acceptedHosts(c.host, c.port, c.allowed)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.host, d)
		}
	}
}

const (
	dashboard = "http://localhost:3000"
	right     = "127.0.0.1:4321"
)

func testGuard() guard {
	return guard{
		hosts:       acceptedHosts("127.0.0.1", 4321, nil),
		liveOrigins: lowered([]string{dashboard, "https://dash.example"}),
		token:       proto.NewSecret(testToken),
	}
}

// request builds what the guards look at; an Origin or an Authorization of "-"
// is not there.
func request(target, host, origin, authorization string) *http.Request {
	r := &http.Request{RequestURI: target, Host: host, Header: http.Header{}}
	if origin != "-" {
		r.Header["Origin"] = []string{origin}
	}
	if authorization != "-" {
		r.Header["Authorization"] = []string{authorization}
	}
	return r
}

func TestGuard(t *testing.T) {
	g := testGuard()
	const bearer = "Bearer " + testToken
	for _, c := range []struct {
		name                 string
		target, host, origin string
		authorization        string
		want                 *refusal
	}{
		{name: "right", host: right, origin: "-", authorization: bearer},
		{name: "case of the host", host: "LOCALHOST:4321", origin: "-", authorization: bearer},
		{name: "case of the scheme", host: "[::1]:4321", origin: "-", authorization: "bearer " + testToken},
		{name: "spaces", host: right, origin: "-", authorization: "BEARER \t " + testToken + "  "},
		{name: "foreign host", host: "evil.test:4321", origin: "-", authorization: bearer, want: hostRefused},
		{name: "another port", host: "127.0.0.1:9999", origin: "-", authorization: bearer, want: hostRefused},
		{name: "no port", host: "127.0.0.1", origin: "-", authorization: bearer, want: hostRefused},
		{name: "no host", host: "", origin: "-", authorization: bearer, want: hostRefused},
		{name: "dot at the end", host: "localhost.:4321", origin: "-", authorization: bearer, want: hostRefused},
		{name: "user", host: "x@127.0.0.1:4321", origin: "-", authorization: bearer, want: hostRefused},
		{name: "host before token", host: "evil.test:4321", origin: "-", authorization: "-", want: hostRefused},
		{name: "host before origin", host: "evil.test:4321", origin: "null", authorization: bearer, want: hostRefused},
		{name: "absolute target", target: "http://127.0.0.1:4321/mcp", host: right, origin: "-", authorization: bearer, want: hostRefused},
		{name: "authority target", target: right, host: right, origin: "-", authorization: bearer, want: hostRefused},
		{name: "asterisk target", target: "*", host: right, origin: "-", authorization: bearer},
		{name: "origin of the app", host: right, origin: "http://127.0.0.1:3000", authorization: bearer, want: originRefused},
		{name: "origin null", host: right, origin: "null", authorization: bearer, want: originRefused},
		{name: "origin empty", host: right, origin: "", authorization: bearer, want: originRefused},
		{name: "own origin", host: right, origin: "http://" + right, authorization: bearer, want: originRefused},
		{name: "origin before token", host: right, origin: "null", authorization: "-", want: originRefused},
		{name: "no authorization", host: right, origin: "-", authorization: "-", want: tokenRefused},
		{name: "empty", host: right, origin: "-", authorization: "", want: tokenRefused},
		{name: "no scheme", host: right, origin: "-", authorization: testToken, want: tokenRefused},
		{name: "other scheme", host: right, origin: "-", authorization: "Basic " + testToken, want: tokenRefused},
		{name: "longer", host: right, origin: "-", authorization: bearer + "x", want: tokenRefused},
		{name: "shorter", host: right, origin: "-", authorization: bearer[:len(bearer)-1], want: tokenRefused},
		{name: "scheme alone", host: right, origin: "-", authorization: "Bearer", want: tokenRefused},
		{name: "scheme and spaces", host: right, origin: "-", authorization: "Bearer   ", want: tokenRefused},
		{name: "no space", host: right, origin: "-", authorization: "Bearer" + testToken, want: tokenRefused},
		{name: "a space of another kind", host: right, origin: "-", authorization: "Bearer\u00a0" + testToken, want: tokenRefused},
		{name: "a space of another kind behind", host: right, origin: "-", authorization: bearer + "\u2003", want: tokenRefused},
		{name: "more", host: right, origin: "-", authorization: bearer + " extra", want: tokenRefused},
		{name: "other case of the token", host: right, origin: "-", authorization: "Bearer TOKEN-0123456789-0123456789-0123456789", want: tokenRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.target == "" {
				c.target = "/mcp"
			}
			if got := g.check(request(c.target, c.host, c.origin, c.authorization)); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
	twice := request("/live", right, dashboard, "-")
	twice.Header["Origin"] = append(twice.Header["Origin"], "http://evil.test")
	if got := g.checkLive(twice); got != originRefused {
		t.Errorf("two origins: %+v", got)
	}
	g.token = proto.Secret{}
	for _, authorization := range []string{"Bearer ", "Bearer x", "-"} {
		if g.check(request("/mcp", right, "-", authorization)) != tokenRefused {
			t.Errorf("a guard without a token let %q in", authorization)
		}
	}
}

func TestLiveGuard(t *testing.T) {
	g := testGuard()
	for _, c := range []struct {
		name, target, host, origin string
		want                       *refusal
	}{
		{"dashboard", "/live", right, dashboard, nil},
		{"in capitals", "/live", right, "HTTP://LOCALHOST:3000", nil},
		{"another of its origins", "/live", "localhost:4321", "https://dash.example", nil},
		{"foreign host", "/live", "evil.test:4321", dashboard, hostRefused},
		{"host first", "/live?ticket=abc", "evil.test:4321", "-", hostRefused},
		{"no origin", "/live", right, "-", originRefused},
		{"empty origin", "/live", right, "", originRefused},
		{"the app's origin", "/live", right, "http://127.0.0.1:3000", originRefused},
		{"origin with a path", "/live", right, dashboard + "/", originRefused},
		{"origin before query", "/live?ticket=abc", right, "null", originRefused},
		{"ticket in the address", "/live?ticket=abc", right, dashboard, queryRefused},
		{"empty query", "/live?", right, dashboard, queryRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := g.checkLive(request(c.target, c.host, c.origin, "-")); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
