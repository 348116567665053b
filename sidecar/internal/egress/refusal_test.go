package egress

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// S170 and around: without the credentials there is 407 and nothing else.
func TestCredentials(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	resolver := &fakeResolver{}
	p := start(t, app.URL, Options{
		Resolver:    resolver,
		Credentials: Credentials{User: proto.NewSecret("pillion"), Password: proto.NewSecret("s3cret")},
	})
	const right = "Proxy-Authorization: Basic cGlsbGlvbjpzM2NyZXQ=\n"
	n := 0
	for _, tt := range []struct {
		request string
		status  int
	}{
		{"GET http://APP/ HTTP/1.1\n\n", 407},
		{"GET http://APP/ HTTP/1.1\nProxy-Authorization: Basic cGlsbGlvbjp4\n\n", 407},
		{"GET http://APP/ HTTP/1.1\nProxy-Authorization: Bearer cGlsbGlvbjpzM2NyZXQ=\n\n", 407},
		{"GET http://APP/ HTTP/1.1\nProxy-Authorization: Basic\n\n", 407},
		{"GET http://APP/ HTTP/1.1\nAuthorization: Basic cGlsbGlvbjpzM2NyZXQ=\n\n", 407},
		{"GET http://APP/ HTTP/1.1\n" + right + right + "\n", 407},
		{"GET http://localhost:1/ HTTP/1.1\n\n", 407},
		{"GET http://nowhere.test/ HTTP/1.1\n\n", 407},
		{"GET /x HTTP/1.1\n\n", 407},
		{"TRACE ftp://x HTTP/1.1\n\n", 407},
		{"CONNECT APP HTTP/1.1\n\n", 407},
		{"CONNECT 10.0.0.1:443 HTTP/1.1\n\n", 407},
		{"CONNECT nonsense HTTP/1.1\n\n", 407},
		{"GET http://APP/ HTTP/1.1\n" + right + "\n", 200},
		{"GET http://APP/ HTTP/1.1\nproxy-authorization: bAsIc  cGlsbGlvbjpzM2NyZXQ=\n\n", 200},
		{"CONNECT APP HTTP/1.1\n" + right + "\n", 200},
		{"CONNECT 10.0.0.1:443 HTTP/1.1\n" + right + "\n", 403},
	} {
		got := p.ask(strings.ReplaceAll(tt.request, "APP", app.host))
		if got.status != tt.status {
			t.Errorf("%q: answer %+v", tt.request, got)
		}
		if tt.status != 407 {
			continue
		}
		n++
		if got.header.Get("Proxy-Authenticate") != `Basic realm="sandbox browser"` {
			t.Errorf("%q: header %v", tt.request, got.header)
		}
		if !strings.HasPrefix(tt.request, "CONNECT") && got.body != blocked+"the proxy's credentials are missing\n" {
			t.Errorf("%q: body %q", tt.request, got.body)
		}
	}
	if seen := app.requests(); len(seen) != 2 || app.last.Header.Get("Proxy-Authorization") != "" {
		t.Errorf("the app saw %q with %v", seen, app.last.Header)
	}
	if resolver.count("nowhere.test.") != 0 {
		t.Error("a stranger made the proxy look up a name")
	}
	if int(p.Stats().Unauthenticated) != n {
		t.Errorf("%d of %d strangers were counted", p.Stats().Unauthenticated, n)
	}
}

// A refused upload is still being sent when the refusal is written.
func TestRefusedUploadsReadTheRefusal(t *testing.T) {
	p := start(t, "http://127.0.0.1:1", Options{})
	body := strings.Repeat("a", 3<<20)
	got := p.askRaw(fmt.Sprintf("POST http://10.0.0.1/ HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	if got.status != http.StatusForbidden || got.err != nil {
		t.Errorf("answer %+v", got)
	}
}

// The answers to a closed port, a refused one and an unknown name differ in the
// documented sentence alone.
func TestRefusalsTellNothing(t *testing.T) {
	closed := newSniffer(t, public.String()+":0")
	free := newSite(t, public.String()+":0", nil)
	port := portOf(free.host)
	free.Close()
	p := start(t, "http://127.0.0.1:1", Options{
		Resolver:       &fakeResolver{names: map[string]string{"in.test.": "10.1.2.3", "out.test.": public.String()}},
		InsecurePublic: insecurePublic,
	})
	for request, want := range map[string]string{
		"GET http://in.test/secret HTTP/1.1\n\n":                        "in.test:80 resolves to a loopback, link-local or private address",
		"GET http://out.test:" + port + "/secret HTTP/1.1\n\n":          "out.test:" + port + " could not be reached (ECONNREFUSED)",
		"GET http://no.test/secret HTTP/1.1\n\n":                        "no.test:80 does not resolve",
		"GET http://out.test:" + portOf(closed.addr) + "/ HTTP/1.1\n\n": "out.test:" + portOf(closed.addr) + " could not be reached (ECONNRESET)",
	} {
		if got := p.ask(request); got.body != blocked+want+"\n" {
			t.Errorf("%q: %d %q", request, got.status, got.body)
		}
	}
	c := p.dialRaw()
	fmt.Fprintf(c, "CONNECT out.test:%s HTTP/1.1\r\n\r\n", port)
	if all, err := io.ReadAll(c); err != nil || len(all) > 0 {
		t.Errorf("CONNECT to a closed port: %q, %v", all, err)
	}
}

func TestRefusedConnectIsBare(t *testing.T) {
	p := start(t, "http://127.0.0.1:1", Options{})
	c := p.dialRaw()
	_, _ = io.WriteString(c, "CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n")
	_ = c.CloseWrite()
	all, err := io.ReadAll(bufio.NewReader(c))
	if want := "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"; err != nil || string(all) != want {
		t.Errorf("answer %q, %v", all, err)
	}
}

func TestRefusalsAreReported(t *testing.T) {
	var got []Refusal
	p := start(t, "http://127.0.0.1:1", Options{OnRefusal: func(r Refusal) { got = append(got, r) }})
	p.ask("GET http://10.0.0.1:8080/secret HTTP/1.1\n\n")
	p.ask("CONNECT a@b HTTP/1.1\n\n")
	p.ask("CONNECT [::1]:81 HTTP/1.1\n\n")
	p.Close()
	want := []Refusal{
		{Host: "10.0.0.1", Port: 8080, Rule: RulePrivate, Reason: policy.ReasonPrivate, Setting: "allow_hosts"},
		{Rule: RuleMalformed, Reason: reasonMalformed},
		{Host: "::1", Port: 81, Rule: RulePrivate, Reason: policy.ReasonPrivate, Setting: "allow_hosts"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
	if p.Stats().Refusals != 3 {
		t.Errorf("stats %+v", p.Stats())
	}
}

func TestReportsAreLimited(t *testing.T) {
	var got []Refusal
	now := time.Unix(1000, 0)
	q := &reporter{log: discard(), hand: func(r Refusal) { got = append(got, r) }, now: func() time.Time { return now }}
	say := func(host string) { q.report(Refusal{Host: host}) }
	for range 1000 {
		say("a.test")
	}
	say("b.test")
	if len(got) != maxRefusalsPerHost+1 || got[len(got)-1].Unreported != 1000-maxRefusalsPerHost {
		t.Errorf("%d reports, the last %+v", len(got), got[len(got)-1])
	}
	for i := range 1000 {
		say(fmt.Sprintf("%d.test", i))
	}
	if len(got) != maxRefusals || len(q.hosts) > maxRefusals {
		t.Errorf("%d reports, %d hosts kept", len(got), len(q.hosts))
	}
	now = now.Add(refusalWindow)
	say("a.test")
	if len(got) != maxRefusals+1 || got[maxRefusals].Unreported != 1000-(maxRefusals-maxRefusalsPerHost-1) {
		t.Errorf("in the next window: %d reports, the last %+v", len(got), got[len(got)-1])
	}
}

// The browser's memory of the credentials: lost with a 407 and with the end of a
// connection that had them, there again with the next request that carries them.
func TestMemoryOfCredentials(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	told := make(chan bool, 100)
	p := start(t, app.URL, Options{
		Credentials:   Credentials{User: proto.NewSecret("pillion"), Password: proto.NewSecret("s3cret")},
		OnCredentials: func(known bool) { told <- known },
	})
	next := func(what string, want bool) {
		t.Helper()
		select {
		case known := <-told:
			if known != want {
				t.Fatalf("%s: told %v", what, known)
			}
		case <-time.After(patience):
			t.Fatalf("%s: nothing was told", what)
		}
	}
	silent := func(what string) {
		t.Helper()
		if len(told) > 0 {
			t.Fatalf("%s: told %v", what, <-told)
		}
	}
	const right = "Proxy-Authorization: Basic cGlsbGlvbjpzM2NyZXQ=\r\n"
	get := func(c io.ReadWriter) {
		t.Helper()
		fmt.Fprintf(c, "GET http://%s/ HTTP/1.1\r\n%s\r\n", app.host, right)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("answer %v, %v", resp, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	a, b := p.dialRaw(), p.dialRaw()
	get(a)
	silent("the first request, with what was known from the start")
	p.ask("GET http://" + app.host + "/ HTTP/1.1\n\n")
	next("a challenge", false)
	p.ask("GET http://" + app.host + "/ HTTP/1.1\n\n")
	silent("another one")
	get(a)
	next("a request with credentials", true)
	get(b)
	silent("another one")
	_ = a.Close()
	next("the end of a connection that had them", false)
	get(b)
	next("a request on another one", true)
	stranger := p.dialRaw()
	_ = stranger.Close()
	waitFor(t, "the stranger to be gone", func() bool { return p.Stats().Open == 1 })
	silent("the end of a connection that never had them")
	c := p.dialRaw()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\n%s\r\n", app.host, right)
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	next("the end of a tunnel", false)
}

// Tunnels of WebRTC have no User-Agent. They are refused before their name is
// looked up; those of pages pass.
func TestWebRTCGetsNoTunnel(t *testing.T) {
	resolver := &fakeResolver{}
	app := newSite(t, "127.0.0.1:0", nil)
	p := start(t, app.URL, Options{Resolver: resolver, RefuseWebRTC: true})
	for _, tt := range []struct {
		request string
		status  int
	}{
		{"CONNECT APP HTTP/1.1\nUser-Agent: Mozilla/5.0\n\n", 200},
		{"CONNECT APP HTTP/1.1\nProxy-Connection: keep-alive\n\n", 403},
		{"CONNECT secret.turn.test:443 HTTP/1.1\n\n", 403},
		{"GET http://APP/ HTTP/1.1\n\n", 200},
	} {
		if got := p.ask(strings.ReplaceAll(tt.request, "APP", app.host)); got.status != tt.status {
			t.Errorf("%q: %+v", tt.request, got)
		}
	}
	if resolver.count("secret.turn.test.") != 0 {
		t.Error("its name was looked up")
	}
	p = start(t, app.URL, Options{})
	if got := p.ask("CONNECT " + app.host + " HTTP/1.1\n\n"); got.status != 200 {
		t.Errorf("unless asked to: %+v", got)
	}
}
