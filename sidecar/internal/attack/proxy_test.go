//go:build linux

package attack

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/egress"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// The proxy is reached by Chromium alone and with credentials that it alone
// knows. So raw requests go to one that is made here as the sidecar makes its
// own, but with known credentials and, for what takes minutes, shorter times.
// What can be tried on the real one is tried there: see S170 and S180.

// ownAddrs are this machine's addresses, as the sidecar counts them.
func ownAddrs() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr(nearAddr), netip.MustParseAddr(nearAddr6)}
}

const proxyUser, proxyPassword = "browser", "0123456789abcdef0123456789abcdef"

// startProxy makes a proxy for the app and gives its address.
func startProxy(t *testing.T, app string, limits egress.Limits) (*egress.Proxy, string) {
	t.Helper()
	pin, err := policy.NewApp(app)
	if err != nil {
		t.Fatal(err)
	}
	p := egress.New(egress.Options{
		App: pin, OwnAddrs: ownAddrs, Limits: limits,
		Credentials: egress.Credentials{User: proto.NewSecret(proxyUser), Password: proto.NewSecret(proxyPassword)},
	})
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	t.Cleanup(func() { p.Close(); <-served })
	return p, ln.Addr().String()
}

// exchange is a raw request and what it should be answered with.
type exchange struct {
	text   string
	status []int
}

// exchanges are the rows of raw proxy requests. APP is the app's host and port;
// AUTH is the line with the credentials.
func exchanges() map[string]exchange {
	return map[string]exchange{
		"S168": {"GET http://APP/lab HTTP/1.1\nAUTHHost: evil.test\n\n", []int{200}},
		"S169": {"GET /x HTTP/1.1\nAUTHHost: APP\n\n", []int{400, 403}},
		"S171": {"CONNECT 10.0.0.1:443 HTTP/1.1\nAUTH\n", []int{403}},
		"S172": {"CONNECT public.test:25 HTTP/1.1\nAUTH\n", []int{403}},
		"S173": {"CONNECT evil.test HTTP/1.1\nAUTH\n", []int{403}},
		"S174": {"POST http://APP/lab HTTP/1.1\nAUTHContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n", []int{400}},
		"S175": {"TRACE http://APP/ HTTP/1.1\nAUTH\n", []int{403, 405}},
		"S176": {"GET ftp://x/ HTTP/1.1\nAUTH\n", []int{400}},
		"S177": {"GET http://APP/ HTTP/1.1\nAUTHX: " + strings.Repeat("a", 2<<20) + "\n\n", []int{431}},
	}
}

// proxyRow runs a row of a raw proxy request. One of more.json is the request;
// its why begins with the status.
func proxyRow(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	switch r.ID {
	case "S170":
		e.withoutCredentials(t)
		return
	case "S178":
		e.hopByHop(t)
		return
	case "S179":
		e.silentTunnel(t)
		return
	case "S180":
		e.proxyInEnvironment(t)
		return
	}
	x, known := exchanges()[r.ID]
	if !known {
		x = exchange(readRequest(t, r))
	}
	e.world.names.set("private.dns.test", "10.9.8.7")
	before := mark(e.world)
	app := e.origin()
	if strings.Contains(r.How, "tls") {
		app = "https://secure.public.test"
	}
	p, addr := startProxy(t, app, egress.Limits{})
	status, answer := e.ask(t, addr, e.spellProxy(x.text, r))
	ok := false
	for _, want := range x.status {
		ok = ok || status == want
	}
	if !ok {
		t.Errorf("answered with %d %q, want %v", status, answer, x.status)
	}
	if !r.allowed() {
		before.refused(t, e.world)
		constantRefusal(t, status, answer)
	} else if strings.Contains(x.text, "PUBLIC") && len(e.world.far.since(before.far, nil)) == 0 {
		t.Error("nothing arrived")
	}
	if p.Stats().Open > 1 {
		t.Errorf("%d connections are open", p.Stats().Open)
	}
}

// spellProxy puts a row's words into a raw request.
func (e *scene) spellProxy(text string, r row) string {
	pair := base64.StdEncoding.EncodeToString([]byte(proxyUser + ":" + proxyPassword))
	text = strings.NewReplacer(
		"AUTH", "Proxy-Authorization: Basic "+pair+"\n", "PAIR", pair, "APPPORT", "7000", "APP", e.appHost,
		"PUBLICNAME", e.token(r)+".public.test", "EVILNAME", e.evil(r)).Replace(text)
	head, body, found := strings.Cut(text, "\n\n")
	text = strings.ReplaceAll(head, "\n", "\r\n")
	if found {
		text += "\r\n\r\n" + body
	}
	return text
}

// ask sends raw bytes to a proxy and reads the answer; 0 is none.
func (e *scene) ask(t *testing.T, addr, text string) (status int, answer string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(apptest.Patience))
	go io.WriteString(conn, text) // it may be closed in the middle
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	var b []byte
	if resp.ContentLength != 0 && !strings.HasPrefix(text, "CONNECT") {
		b, _ = io.ReadAll(resp.Body)
	}
	return resp.StatusCode, string(b)
}

// constantRefusal looks for what a refusal must not tell: addresses that a name
// led to, errors of the system, paths.
func constantRefusal(t *testing.T, status int, answer string) {
	t.Helper()
	for _, word := range []string{"dial", "lookup", "no such host", "refused)", "10.9.8.7", "goroutine", "/lab"} {
		if strings.Contains(answer, word) {
			t.Errorf("%d tells %q: %q", status, word, answer)
		}
	}
	if status != 0 && answer != "" && !strings.HasPrefix(answer, "Blocked by the sandbox browser: ") {
		t.Errorf("%d with %q", status, answer)
	}
}

// withoutCredentials: the real proxy in Chromium's own network, as a process in
// there would find it, lets nobody in; and outside nobody finds it.
func (e *scene) withoutCredentials(t *testing.T) {
	t.Helper()
	_, addr := startProxy(t, e.origin(), egress.Limits{})
	before := mark(e.world)
	for _, auth := range []string{"", "Proxy-Authorization: Basic eDp5\n", "Proxy-Authorization: Basic\n", "Authorization: PAIR\n", "Proxy-Authorization: Basic PAIR\nProxy-Authorization: Basic PAIR\n"} {
		for _, line := range []string{"GET http://APP/ HTTP/1.1\n", "CONNECT APP HTTP/1.1\n", "CONNECT 10.0.0.1:443 HTTP/1.1\n", "GET http://evil.test/ HTTP/1.1\n"} {
			if status, answer := e.ask(t, addr, e.spellProxy(line+auth+"\n", row{})); status != http.StatusProxyAuthRequired {
				t.Errorf("%q %q: %d %q", line, auth, status, answer)
			}
		}
	}
	browser := familyWith(e.p.PID, "--remote-debugging-pipe")
	if len(browser) == 0 {
		t.Fatal("Chromium is not found")
	}
	_, rest, _ := strings.Cut(commandLine(browser[0]), "--proxy-server=http://")
	real, _, _ := strings.Cut(rest, " ")
	if conn, err := net.DialTimeout("tcp", real, time.Second); err == nil {
		conn.Close()
		t.Errorf("the proxy at %s is reached from outside of Chromium's network", real)
	}
	inNetworkOf(t, browser[0], func() {
		for _, line := range []string{"GET http://APP/ HTTP/1.1\n\n", "CONNECT APP HTTP/1.1\n\n", "GET http://evil.test/ HTTP/1.1\n\n"} {
			if status, answer := e.ask(t, real, e.spellProxy(line, row{})); status != http.StatusProxyAuthRequired {
				t.Errorf("the real one, %q: %d %q", line, status, answer)
			}
		}
	})
	before.silent(t, e.world)
}

// hopByHop: fields that end at a proxy, and those that Connection names, do not
// reach the server.
func (e *scene) hopByHop(t *testing.T) {
	t.Helper()
	_, addr := startProxy(t, e.origin(), egress.Limits{})
	e.app.Reset()
	status, _ := e.ask(t, addr, e.spellProxy("GET http://APP/hop HTTP/1.1\nAUTHConnection: close, X-Secret, keep-alive\nX-Secret: 1\nTE: trailers\nKeep-Alive: 5\nProxy-Connection: keep-alive\nTrailer: X\nX-Kept: 1\n\n", row{}))
	if status != http.StatusNotFound { // the app's own answer
		t.Fatalf("answered with %d", status)
	}
	for _, seen := range e.app.Requests() {
		for _, name := range []string{"X-Secret", "Te", "Keep-Alive", "Upgrade", "Proxy-Connection", "Proxy-Authorization", "Trailer"} {
			if seen.Header.Get(name) != "" {
				t.Errorf("%s reached the server: %v", name, seen.Header)
			}
		}
		if seen.Header.Get("X-Kept") != "1" {
			t.Errorf("a field was lost: %v", seen.Header)
		}
	}
}

// silentTunnel: a tunnel through which nothing is sent ends, and all end with the
// proxy.
func (e *scene) silentTunnel(t *testing.T) {
	t.Helper()
	const short = 200 * time.Millisecond
	p, addr := startProxy(t, e.origin(), egress.Limits{FirstByte: short})
	open := func(addr string) net.Conn {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(apptest.Patience))
		io.WriteString(conn, e.spellProxy("CONNECT APP HTTP/1.1\nAUTH\n", row{}))
		if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, "200") {
			t.Fatalf("CONNECT: %q, %v", line, err)
		}
		return conn
	}
	if _, err := io.Copy(io.Discard, open(addr)); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error("the silent tunnel does not end")
	}
	apptest.Await(t, "the tunnel to be gone", func() bool { return p.Stats().Open == 0 })
	p, addr = startProxy(t, e.origin(), egress.Limits{})
	conn := open(addr)
	if p.Stats().Tunnels != 1 || p.Stats().Open != 1 {
		t.Errorf("not counted: %+v", p.Stats())
	}
	p.Close()
	if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error("the tunnel outlives the proxy")
	}
}

// proxyInEnvironment: a proxy that the environment names is not asked by the real
// sidecar, neither for the app nor for what its pages load.
func (e *scene) proxyInEnvironment(t *testing.T) {
	t.Helper()
	trap := apptest.Sniffer(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY"} {
		t.Setenv(name, trap.URL())
		t.Setenv(strings.ToLower(name), trap.URL())
	}
	t.Setenv("NO_PROXY", "")
	other := &scene{world: e.world, flavour: e.flavour, book: e.book, app: e.app, appHost: e.appHost}
	other.begin(t)
	c := other.open(t, "/leave?to=x")
	before := mark(e.world)
	loadBy(t, c, "http://environment.public.test/", "fetch")
	loadBy(t, c, "https://environment.public.test/", "fetch")
	if n := len(e.world.tap.since(before.tap, to(netip.MustParseAddr(publicAddr)))); n < 2 {
		t.Errorf("%d connections to the public server", n)
	}
	trap.WantSilent(t)
	other.p.Stop()
}

// inNetworkOf runs f on a thread that is in a process's network namespace.
func inNetworkOf(t *testing.T, pid int, f func()) {
	t.Helper()
	done := make(chan error)
	go func() { // on a thread that ends with it
		err := enterNetwork(fmt.Sprintf("/proc/%d/ns/net", pid))
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Errorf("enter the network of %d: %v", pid, err)
	}
}
