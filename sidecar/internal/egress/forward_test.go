package egress

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForwardsToTheApp(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
		w.Header().Set("Content-Type", "text/x-mine")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "made")
	})
	p := start(t, app.URL, Options{})
	got := p.ask("POST http://" + app.host + "/orders?x=%2F&y HTTP/1.1\nHost: " + app.host + "\n" +
		"Content-Type: application/x-www-form-urlencoded\nCookie: sid=1; other=2\nProxy-Connection: keep-alive\n" +
		"Content-Length: 9\n\nname=pill")
	if got.status != http.StatusCreated || got.body != "made" || got.err != nil {
		t.Fatalf("answer %+v", got)
	}
	if diff := cmp.Diff([]string{"a=1", "b=2"}, got.header["Set-Cookie"]); diff != "" || got.header.Get("Content-Type") != "text/x-mine" {
		t.Errorf("header %v", got.header)
	}
	if app.seen[0] != "POST /orders?x=%2F&y "+app.host || app.body != "name=pill" {
		t.Errorf("the app saw %q with body %q", app.seen[0], app.body)
	}
	want := http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "Cookie": {"sid=1; other=2"}, "Content-Length": {"9"},
	}
	if diff := cmp.Diff(want, app.last.Header); diff != "" {
		t.Errorf("header that the app saw (-want +got):\n%s", diff)
	}
	if s := p.Stats(); s.Requests != 1 || s.Connections != 1 || s.BytesUp == 0 || s.BytesDown == 0 {
		t.Errorf("stats %+v", s)
	}
}

// Path and query reach the server as they were sent, tidy or not.
func TestPathsArePassedOnAsTheyAre(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	p := start(t, app.URL, Options{})
	for _, path := range []string{
		"/", "/100%", "/%zz?%", "/a%2Fb", "/a|b^c", "/a\"b`{}", "/?q=a|b", "/x/../y", "/%2e%2e/", "//x", "//x//?a", "/x?", "/;a=b,c", "/a'b(c)!*",
	} {
		if got := p.ask("GET http://" + app.host + path + " HTTP/1.1\nHost: x\n\n"); got.status != http.StatusOK && got.status != http.StatusBadRequest {
			t.Errorf("%s: answer %+v", path, got)
		}
	}
	// net/http, the server here, refuses some of them itself; what it took it took whole.
	got := strings.Join(app.requests(), "\n")
	for _, path := range []string{"/", "/a%2Fb", "/a|b^c", "/?q=a|b", "//x", "//x//?a", "/x?", "/x/../y"} {
		if !strings.Contains(got, "GET "+path+" "+app.host) {
			t.Errorf("%s did not reach the app whole; it saw\n%s", path, got)
		}
	}
	// And on the wire.
	for _, tt := range []struct{ sent, want string }{
		{"/100%", "/100%"}, {"/%zz?%", "/%zz?%"}, {"?q", "/?q"}, {"", "/"}, {"//a|b", "http://HOST//a|b"}, {"//100%", "http://HOST//100%"},
	} {
		server := newRawServer(t, "HTTP/1.1 204 No Content\r\n\r\n")
		p := start(t, "http://"+server.addr, Options{})
		p.ask("GET http://" + server.addr + tt.sent + " HTTP/1.1\n\n")
		want := "GET " + strings.ReplaceAll(tt.want, "HOST", server.addr) + " HTTP/1.1\r\n"
		if line, _, _ := strings.Cut(server.request(), "\n"); line+"\n" != want {
			t.Errorf("%q was sent on as %q, want %q", tt.sent, line, want)
		}
	}
}

func TestHopByHopFieldsEndHere(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Proxy-Authenticate", "Keep-Alive", "X-Secret", "Upgrade", "Proxy-Connection", "Te"} {
			w.Header().Set(name, "1")
		}
		w.Header().Set("Connection", "X-Secret, keep-alive")
		w.Header().Set("X-Kept", "1")
	})
	p := start(t, app.URL, Options{})
	got := p.ask("GET http://" + app.host + "/ HTTP/1.1\nHost: x\nConnection: keep-alive, X-Secret\nX-Secret: 1\nTE: trailers\n" +
		"Keep-Alive: 5\nUpgrade: h2c\nProxy-Authorization: Basic eDp5\nTrailer: X\nExpect: 100-continue\nX-Kept: 1\nx-kept: 2\n\n")
	want := http.Header{"X-Kept": {"1", "2"}}
	if diff := cmp.Diff(want, app.last.Header); diff != "" || got.status != http.StatusOK {
		t.Errorf("status %d, header that the app saw (-want +got):\n%s", got.status, diff)
	}
	got.header.Del("Date")
	if diff := cmp.Diff(http.Header{"X-Kept": {"1"}, "Content-Length": {"0"}}, got.header); diff != "" {
		t.Errorf("header of the answer (-want +got):\n%s", diff)
	}
}

// Nothing is added to an answer that the server did not send.
func TestAnswersAreNotDecorated(t *testing.T) {
	for _, tt := range []struct{ method, answer, want string }{
		{"GET", "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nhi"},
		{"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nhi\r\n0\r\nX: 1\r\n\r\n",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"},
		{"GET", "HTTP/1.0 200 OK\r\n\r\nhi", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"},
		{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"},
		{"GET", "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n", "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n"},
		{"GET", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nEtag: \"x\"\r\n\r\n"},
		{"GET", "HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n"},
		{"GET", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x00",
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x00"},
	} {
		server := newRawServer(t, tt.answer)
		p := start(t, "http://"+server.addr, Options{})
		c := p.dialRaw()
		fmt.Fprintf(c, "%s http://%s/ HTTP/1.1\r\n\r\n", tt.method, server.addr)
		got := make([]byte, len(tt.want))
		if n, err := io.ReadFull(c, got); err != nil || string(got) != tt.want {
			t.Errorf("%q came through as %q, %v", tt.answer, got[:n], err)
		}
		if !strings.HasPrefix(server.request(), tt.method+" / HTTP/1.1\r\nHost: "+server.addr+"\r\n\r\n") {
			t.Errorf("the server saw %q", server.request())
		}
	}
}

func TestConnectionsAreKept(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	p := start(t, app.URL, Options{})
	c := p.dialRaw()
	br := bufio.NewReader(c)
	for i := range 3 {
		// Two requests at once the last time: the second waits in the buffer.
		request := strings.Repeat(fmt.Sprintf("POST http://%s/%d HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", app.host, i), 1+i/2)
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		for range 1 + i/2 {
			if got := readAnswer(t, br); got.status != http.StatusOK || got.close {
				t.Fatalf("answer %d: %+v", i, got)
			}
		}
	}
	if s := p.Stats(); s.Connections != 1 || s.Requests != 4 {
		t.Errorf("stats %+v", s)
	}
	for _, request := range []string{
		"GET http://" + app.host + "/ HTTP/1.0\n\n",
		"GET http://" + app.host + "/ HTTP/1.1\nConnection: close\n\n",
		"GET http://" + app.host + "/ HTTP/1.1\nProxy-Connection: Close\n\n",
	} {
		c := p.dialRaw()
		_, _ = io.WriteString(c, strings.ReplaceAll(request, "\n", "\r\n"))
		all, err := io.ReadAll(c) // ends only if the proxy closes
		if err != nil || !strings.Contains(string(all), "\r\nConnection: close\r\n") {
			t.Errorf("%q: %q, %v", request, all, err)
		}
	}
}

func TestAnswersStream(t *testing.T) {
	next := make(chan struct{})
	app := newSite(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			_, _ = io.WriteString(w, "data: x\n\n")
			w.(http.Flusher).Flush()
			<-next
		}
	})
	p := start(t, app.URL, Options{})
	c := p.dialRaw()
	fmt.Fprintf(c, "GET http://%s/ HTTP/1.1\r\n\r\n", app.host)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		buf := make([]byte, len("data: x\n\n"))
		if _, err := io.ReadFull(resp.Body, buf); err != nil {
			t.Fatalf("an event did not come before the next was sent: %v", err)
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("end of the stream: %q, %v", rest, err)
	}
}

func TestBigBodiesBothWays(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	app.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	p := start(t, app.URL, Options{})
	body := strings.Repeat("0123456789abcdef", 1<<16)
	got := p.askRaw(fmt.Sprintf("POST http://%s/ HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", app.host, len(body), body))
	if got.body != body || got.err != nil {
		t.Errorf("%d bytes came back of %d, %v", len(got.body), len(body), got.err)
	}
}

// A name that only the resolver knows reaches its address under its name.
func TestNamesGoToTheResolversAddress(t *testing.T) {
	server := newSite(t, public.String()+":0", nil)
	resolver := &fakeResolver{names: map[string]string{"shop.test.": public.String()}}
	p := start(t, "http://127.0.0.1:1", Options{Resolver: resolver, InsecurePublic: insecurePublic})
	authority := "shop.test:" + portOf(server.host)
	for range 2 {
		if got := p.ask("GET http://" + authority + "/x HTTP/1.1\nHost: other\n\n"); got.status != http.StatusOK {
			t.Fatalf("answer %+v", got)
		}
	}
	if diff := cmp.Diff([]string{"GET /x " + authority, "GET /x " + authority}, server.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	c := p.dialRaw()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\n\r\nGET /tunnelled HTTP/1.1\r\nHost: shop.test\r\n\r\n", authority)
	br := bufio.NewReader(c)
	if line, err := br.ReadString('\n'); err != nil || line != "HTTP/1.1 200 Connection Established\r\n" {
		t.Fatalf("CONNECT: %q, %v", line, err)
	}
	_, _ = br.ReadString('\n')
	if got := readAnswer(t, br); got.status != http.StatusOK {
		t.Errorf("through the tunnel: %+v", got)
	}
	if n := resolver.count("shop.test."); n != 1 {
		t.Errorf("the name was looked up %d times", n)
	}
}

// The app's addresses come from its first answer, whatever the name does later.
func TestTheAppsNameIsPinned(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	other := newSniffer(t, "127.0.0.3:"+portOf(app.host))
	resolver := &fakeResolver{names: map[string]string{"app.test.": "|127.0.0.1|127.0.0.3"}}
	url := "http://app.test:" + portOf(app.host)
	p := start(t, url, Options{Resolver: resolver, Limits: Limits{PositiveTTL: 1, NegativeTTL: 1}})
	if got := p.ask("GET " + url + "/ HTTP/1.1\n\n"); got.status != http.StatusForbidden || !strings.Contains(got.body, "does not resolve") {
		t.Errorf("before the name is known: %+v", got)
	}
	for range 3 {
		if got := p.ask("GET " + url + "/ HTTP/1.1\nConnection: close\n\n"); got.status != http.StatusOK {
			t.Fatalf("answer %+v", got)
		}
	}
	other.mustBeSilent(t)
	if n := resolver.count("app.test."); n != 2 {
		t.Errorf("the app's name was looked up %d times", n)
	}
}

// localhost is this machine even where no hosts file says so.
func TestAppOnLocalhostWithoutHostsFile(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	for _, name := range []string{"localhost", "shop.localhost"} {
		url := "http://" + name + ":" + portOf(app.host)
		p := start(t, url, Options{})
		if got := p.ask("GET " + url + "/ HTTP/1.1\n\n"); got.status != http.StatusOK {
			t.Errorf("%s: answer %+v", name, got)
		}
		if got := p.ask("GET http://" + app.host + "/ HTTP/1.1\n\n"); got.status != http.StatusForbidden {
			t.Errorf("the app's address under another name: %+v", got)
		}
	}
}

func TestOwnAddressesAreRefused(t *testing.T) {
	server := newSniffer(t, public.String()+":0")
	p := start(t, "http://127.0.0.1:1", Options{
		Resolver: &fakeResolver{names: map[string]string{"me.test.": "9.9.9.9"}},
		OwnAddrs: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("9.9.9.9")} },
	})
	for _, host := range []string{"9.9.9.9", "me.test"} {
		if got := p.ask("GET http://" + host + "/ HTTP/1.1\n\n"); got.status != http.StatusForbidden {
			t.Errorf("%s: answer %+v", host, got)
		}
	}
	server.mustBeSilent(t)
}
