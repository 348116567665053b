package egress

import (
	"net/http"
	"strings"
	"testing"
)

const blocked = "Blocked by the sandbox browser: "

// What a proxy client may try, as raw requests. APP is the app's host:port and
// OTHER that of a loopback service which must stay silent.
func TestProxyRequests(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	other := newSniffer(t, "127.0.0.1:0")
	p := start(t, app.URL, Options{Resolver: &fakeResolver{names: map[string]string{
		"public.test.": "93.184.216.34", "mixed.test.": "93.184.216.34 127.0.0.1", "meta.test.": "169.254.169.254",
		"vm.": "10.0.0.5",
	}}})
	big := "X-Big: " + strings.Repeat("a", 2<<20) + "\n"
	for _, tt := range []struct {
		id, request string
		status      int
		body        string // of a refusal, after the prefix
	}{
		{"S001", "GET http://APP/x HTTP/1.1\nHost: APP\n\n", 200, ""},
		{"S002", "GET http://OTHER/x HTTP/1.1\nHost: OTHER\n\n", 403, "OTHER is a loopback, link-local or private address"},
		{"S003", "CONNECT APP HTTP/1.1\nHost: APP\n\n", 200, ""},
		{"S004", "GET http://localhost:APPPORT/ HTTP/1.1\n\n", 403, "localhost:APPPORT is a local host name"},
		{"S018", "GET http://mixed.test/ HTTP/1.1\n\n", 403, "mixed.test:80 resolves to a loopback, link-local or private address"},
		{"S018", "CONNECT mixed.test:443 HTTP/1.1\n\n", 403, ""},
		{"S020", "GET http://vm/ HTTP/1.1\n\n", 403, "vm:80 resolves to a loopback, link-local or private address"},
		{"S020", "GET http://printer/ HTTP/1.1\n\n", 403, "printer:80 does not resolve"},
		{"S152", "GET http://2130706433:OTHERPORT/ HTTP/1.1\n\n", 403, "OTHER is a loopback, link-local or private address"},
		{"S153", "CONNECT 0x7f.1:OTHERPORT HTTP/1.1\n\n", 403, ""},
		{"S155", "CONNECT 127.1:OTHERPORT HTTP/1.1\n\n", 403, ""},
		{"S156", "GET http://localhost:1/ HTTP/1.1\n\n", 403, "localhost:1 is a local host name"},
		{"S159", "GET http://localhost.:OTHERPORT/ HTTP/1.1\n\n", 403, "localhost.:OTHERPORT is a local host name"},
		{"S160", "CONNECT 127.0.0.1.:OTHERPORT HTTP/1.1\n\n", 403, ""},
		{"S166", "GET http://localhost6/ HTTP/1.1\n\n", 403, "localhost6:80 does not resolve"},
		{"S168", "GET http://APP/ HTTP/1.1\nHost: evil.test\n\n", 200, ""},
		{"S169", "GET /x HTTP/1.1\nHost: APP\n\n", 400, "the request names no absolute URL"},
		{"S171", "CONNECT 10.0.0.1:443 HTTP/1.1\n\n", 403, ""},
		{"S172", "CONNECT public.test:25 HTTP/1.1\n\n", 403, ""},
		{"S172", "GET http://public.test:25/ HTTP/1.1\n\n", 403, "public.test:25 uses a port that browsers refuse"},
		{"S173", "CONNECT public.test HTTP/1.1\n\n", 403, ""},
		{"S174", "POST http://APP/ HTTP/1.1\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n", 400, "the request's length is not clear"},
		{"S175", "TRACE http://APP/ HTTP/1.1\n\n", 403, "APP may not be asked with this method"},
		{"S176", "GET ftp://x/ HTTP/1.1\n\n", 400, "the scheme ftp is not forwarded"},
		{"S177", "GET http://APP/ HTTP/1.1\n" + big + "\n", 431, "the request head is too large"},
		{"S177", "GET http://APP/" + strings.Repeat("a", 2<<20), 431, "the request head is too large"},
		{"S178", "GET http://APP/ HTTP/1.1\nConnection: close, X-Secret\nX-Secret: 1\n\n", 200, ""},

		{"meta", "GET http://169.254.169.254/latest HTTP/1.1\n\n", 403, "169.254.169.254:80 is a loopback, link-local or private address"},
		{"meta", "GET http://meta.test/latest HTTP/1.1\n\n", 403, "meta.test:80 resolves to a loopback, link-local or private address"},
		{"v6", "GET http://[::1]:3000/ HTTP/1.1\n\n", 403, "[::1]:3000 is a loopback, link-local or private address"},
		{"v6", "CONNECT [::1]:3000 HTTP/1.1\n\n", 403, ""},
		{"v6", "CONNECT [::ffff:127.0.0.1]:OTHERPORT HTTP/1.1\n\n", 403, ""},
		{"v6", "CONNECT ::1:80 HTTP/1.1\n\n", 403, ""},
		{"v6", "CONNECT [::1]OTHERPORT HTTP/1.1\n\n", 403, ""},
		{"v6", "CONNECT [fe80::1%25lo]:80 HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT user@APP HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT http://APP HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT APP/x HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT OTHER#@APP HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT %31%32%37.1:OTHERPORT HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT :80 HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT public.test:0 HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT public.test:65536 HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT public.test:+80 HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT public.test:http HTTP/1.1\n\n", 403, ""},
		{"authority", "CONNECT APP HTTP/1.1\nContent-Length: 3\n\nabc", 403, ""},
		{"authority", "GET http://APP@OTHER/ HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"authority", "GET http://OTHER\\@APP/ HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"authority", "GET http:APP HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"authority", "GET http:///APP/ HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"authority", "GET http://APP/#f HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"authority", "GET //APP/ HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"authority", "OPTIONS * HTTP/1.1\n\n", 400, "the request names no absolute URL"},
		{"scheme", "GET https://APP/ HTTP/1.1\n\n", 400, "the scheme https is not forwarded"},
		{"scheme", "GET HTTP://APP/ HTTP/1.1\n\n", 200, ""},
		{"prefetch", "GET http://APP/ HTTP/1.1\nSec-Purpose: prefetch\n\n", 403, "APP may not be prefetched"},
		{"prefetch", "GET http://APP/ HTTP/1.1\nsec-purpose: Prefetch;prerender\n\n", 403, "APP may not be prefetched"},
		{"prefetch", "GET http://APP/ HTTP/1.1\nPurpose: prefetch\n\n", 403, "APP may not be prefetched"},
		{"upgrade", "GET http://APP/ HTTP/1.1\nConnection: Upgrade\nUpgrade: websocket\n\n", 403, "APP may not be upgraded without a tunnel"},
		{"upgrade", "GET http://APP/ HTTP/1.1\nUpgrade: h2c\n\n", 200, ""},
		{"length", "POST http://APP/ HTTP/1.1\nTransfer-Encoding: chunked\n\n0\n\n", 400, "the request's length is not clear"},
		{"length", "POST http://APP/ HTTP/1.1\nContent-Length: 1\nContent-Length: 1\n\na", 400, "the request's length is not clear"},
		{"length", "POST http://APP/ HTTP/1.1\nContent-Length: +1\n\na", 400, "the request's length is not clear"},
		{"length", "POST http://APP/ HTTP/1.1\nContent-Length: 1, 1\n\na", 400, "the request's length is not clear"},
		{"length", "POST http://APP/ HTTP/1.1\nContent-Length: 99999999999999999999\n\na", 400, "the request's length is not clear"},
		{"length", "POST http://APP/ HTTP/1.1\nContent-Length: \n\na", 400, "the request's length is not clear"},
		{"head", "GET http://APP/ HTTP/1.1\nX-A: 1\n folded\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/1.1\nX-A : 1\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/1.1\n: 1\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/1.1\nnonsense\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/1.1\nX-A: a\x00b\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/1.1\nX-A: a\rb\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/1.1\nHost: a\nHost: b\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ HTTP/2.0\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/\n\n", 400, "the request is malformed"},
		{"head", "GET  http://APP/ HTTP/1.1\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/ x HTTP/1.1\n\n", 400, "the request is malformed"},
		{"head", "GET http://APP/\té HTTP/1.1\n\n", 400, "the request is malformed"},
		{"head", "G@T http://APP/ HTTP/1.1\n\n", 400, "the request is malformed"},
		{"head", "\nGET http://APP/ HTTP/1.1\n\n", 400, "the request is malformed"},
		{"head", "PRI * HTTP/2.0\n\nSM\n\n", 400, "the request is malformed"},
	} {
		fill := strings.NewReplacer("APPPORT", portOf(app.host), "OTHERPORT", portOf(other.addr), "APP", app.host, "OTHER", other.addr)
		got := p.ask(fill.Replace(tt.request))
		if got.status != tt.status {
			t.Errorf("%s: %.60q: answer %d %q, %v; want %d", tt.id, tt.request, got.status, got.body, got.err, tt.status)
			continue
		}
		if tt.body != "" && got.body != blocked+fill.Replace(tt.body)+"\n" {
			t.Errorf("%s: %.60q: body %q", tt.id, tt.request, got.body)
		}
		if tt.status >= 400 && !got.close {
			t.Errorf("%s: %.60q: header %v", tt.id, tt.request, got.header)
		}
		if tt.body != "" && got.header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %.60q: header %v", tt.id, tt.request, got.header)
		}
	}
	other.mustBeSilent(t)
	for _, seen := range app.requests() {
		if !strings.HasSuffix(seen, " "+app.host) {
			t.Errorf("the app saw %q", seen)
		}
	}
	if last := app.last.Header; last.Get("X-Secret") != "" {
		t.Errorf("the app saw header %v", last)
	}
}

// A bare newline ends a line for some parsers and not for others.
func TestBareNewlinesAreRefused(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	p := start(t, app.URL, Options{})
	for _, request := range []string{
		"GET http://" + app.host + "/ HTTP/1.1\n\n",
		"GET http://" + app.host + "/ HTTP/1.1\r\nX: 1\n\r\n",
		"GET http://" + app.host + "/ HTTP/1.1\r\nX: 1\r\n\n",
	} {
		if got := p.askRaw(request); got.status != http.StatusBadRequest {
			t.Errorf("%q: answer %+v", request, got)
		}
	}
	if seen := app.requests(); len(seen) > 0 {
		t.Errorf("the app saw %q", seen)
	}
}

// S005: plain text to the TLS port of an https app is another origin, whatever
// its name resolves to; the tunnel that Chromium opens for it is not.
func TestTheAppsSchemeMatters(t *testing.T) {
	server := newSite(t, public.String()+":0", nil)
	authority := "app.test:" + portOf(server.host)
	p := start(t, "https://"+authority, Options{
		Resolver: &fakeResolver{names: map[string]string{"app.test.": public.String()}}, InsecurePublic: insecurePublic,
	})
	got := p.ask("GET http://" + authority + "/ HTTP/1.1\n\n")
	if got.status != http.StatusForbidden || got.body != blocked+authority+" is the app's TLS port, and the request is plain HTTP\n" {
		t.Errorf("plain: %+v", got)
	}
	if got := p.ask("CONNECT " + authority + " HTTP/1.1\n\n"); got.status != http.StatusOK {
		t.Errorf("CONNECT: %+v", got)
	}
}

// S019: one lookup decides and is dialled.
func TestNamesAreLookedUpOnce(t *testing.T) {
	good := newSite(t, public.String()+":0", nil)
	trap := newSniffer(t, "127.0.0.1:"+portOf(good.host))
	resolver := &fakeResolver{names: map[string]string{"flip.test.": public.String() + "|127.0.0.1"}}
	p := start(t, "http://127.0.0.1:1", Options{Resolver: resolver, InsecurePublic: insecurePublic})
	for range 3 {
		if got := p.ask("GET http://flip.test:" + portOf(good.host) + "/ HTTP/1.1\nConnection: close\n\n"); got.status != http.StatusOK {
			t.Errorf("answer %+v", got)
		}
	}
	if n := resolver.count("flip.test."); n != 1 {
		t.Errorf("%d lookups", n)
	}
	trap.mustBeSilent(t)
}

// ... and when its answer has aged, the new one is judged as the first was.
func TestNamesAreJudgedAtEveryLookup(t *testing.T) {
	good := newSite(t, public.String()+":0", nil)
	trap := newSniffer(t, "127.0.0.1:"+portOf(good.host))
	resolver := &fakeResolver{names: map[string]string{"flip.test.": public.String() + "|127.0.0.1"}}
	p := start(t, "http://127.0.0.1:1", Options{Resolver: resolver, InsecurePublic: insecurePublic, Limits: Limits{PositiveTTL: 1}})
	for i, want := range []int{200, 403, 403} {
		if got := p.ask("GET http://flip.test:" + portOf(good.host) + "/ HTTP/1.1\nConnection: close\n\n"); got.status != want {
			t.Errorf("request %d: %+v", i, got)
		}
	}
	trap.mustBeSilent(t)
}

// S180: the environment names a proxy, and nobody asks it.
func TestEnvironmentIsIgnored(t *testing.T) {
	trap := newSniffer(t, "127.0.0.1:0")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://"+trap.addr)
	}
	server := newSite(t, public.String()+":0", nil)
	p := start(t, "http://127.0.0.1:1", Options{
		Resolver: &fakeResolver{names: map[string]string{"shop.test.": public.String()}}, InsecurePublic: insecurePublic,
	})
	if got := p.ask("GET http://shop.test:" + portOf(server.host) + "/ HTTP/1.1\n\n"); got.status != http.StatusOK {
		t.Errorf("plain: %+v", got)
	}
	if got := p.ask("CONNECT shop.test:" + portOf(server.host) + " HTTP/1.1\n\n"); got.status != http.StatusOK {
		t.Errorf("CONNECT: %+v", got)
	}
	trap.mustBeSilent(t)
}
