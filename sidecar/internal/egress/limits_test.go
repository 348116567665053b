package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// What servers send that is not HTTP never ends more than its exchange.
func TestNonsenseFromServers(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		status       int    // what the client gets
		broken       bool   // and whether its body ends too early
		word         string // the error word of a 502
	}{
		{"status below 100", "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n", 502, false, "EPROTO"},
		{"status 000", "HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n", 502, false, "EPROTO"},
		{"unasked upgrade", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 502, false, "EPROTO"},
		{"407", "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", 502, false, "EPROTO"},
		{"not HTTP", "SSH-2.0-OpenSSH_9\r\n", 502, false, "EPROTO"},
		{"nothing", "", 502, false, "ECONNRESET"},
		{"half a head", "HTTP/1.1 200 OK\r\nX: 1\r\n", 502, false, "ECONNRESET"},
		{"header bomb", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 502, false, "EPROTO"},
		{"endless 1xx", strings.Repeat("HTTP/1.1 102 Processing\r\nX: "+strings.Repeat("a", 1<<12)+"\r\n\r\n", 200), 502, false, "EPROTO"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 502, false, "EPROTO"},
		{"bad length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab", 502, false, "EPROTO"},
		{"bad encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nab", 502, false, "EPROTO"},
		{"line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", 502, false, "EPROTO"},
		{"short body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", 200, true, ""},
		{"cut chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", 200, true, ""},
		{"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 200, true, ""},
		{"bad chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n", 200, true, ""},
		{"body after 204", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc", 204, false, ""},
		{"control in the reason", "HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n", 200, false, ""},
	} {
		server := newRawServer(t, tt.answer)
		p := start(t, "http://"+server.addr, Options{})
		got := p.ask("GET http://" + server.addr + "/ HTTP/1.1\n\n")
		if got.status != tt.status || (got.err != nil) != tt.broken {
			t.Errorf("%s: answer %+v", tt.name, got)
		}
		if tt.word != "" && got.body != fmt.Sprintf("%s%s could not be reached (%s)\n", blocked, server.addr, tt.word) {
			t.Errorf("%s: body %q", tt.name, got.body)
		}
		// It is still there for the next one.
		if got := p.ask("GET /x HTTP/1.1\n\n"); got.status != http.StatusBadRequest {
			t.Errorf("%s: the next request got %+v", tt.name, got)
		}
	}
}

// A body that ends with the connection can't show that it was cut, unless by a
// reset.
func TestCutBodyOfOldClientsIsReset(t *testing.T) {
	server := newRawServer(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
	p := start(t, "http://"+server.addr, Options{})
	c := p.dialRaw()
	fmt.Fprintf(c, "GET http://%s/ HTTP/1.0\r\n\r\n", server.addr)
	if all, err := io.ReadAll(c); err == nil {
		t.Errorf("the cut body came as a whole one: %q", all)
	}
}

func TestLeavingClientEndsTheRequest(t *testing.T) {
	for name, request := range map[string]string{
		"waiting for the answer": "GET http://%s/ HTTP/1.1\r\n\r\n",
		"after the body":         "POST http://%s/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
		"in the body":            "POST http://%s/ HTTP/1.1\r\nContent-Length: 300\r\n\r\nabc",
	} {
		server := newHoldingServer(t, "")
		p := start(t, "http://"+server.addr, Options{})
		c := p.dialRaw()
		fmt.Fprintf(c, request, server.addr)
		waitFor(t, name+": the request to reach the server", func() bool { return strings.HasPrefix(server.request(), request[:4]) })
		_ = c.Close()
		server.mustBeLeft(t)
	}
	// In the middle of an answer, too.
	server := newHoldingServer(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
	p := start(t, "http://"+server.addr, Options{})
	c := p.dialRaw()
	fmt.Fprintf(c, "GET http://%s/ HTTP/1.1\r\n\r\n", server.addr)
	if _, err := bufio.NewReader(c).ReadString('b'); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	server.mustBeLeft(t)
}

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// openTunnel gives a tunnel to the app, after the proxy's answer.
func openTunnel(t testing.TB, p *running, to string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	c := p.dialRaw()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\n\r\n", to)
	br := bufio.NewReader(c)
	want := "HTTP/1.1 200 Connection Established\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(br, got); err != nil || string(got) != want {
		t.Fatalf("CONNECT: %q, %v", got, err)
	}
	return c, br
}

func mustEnd(t testing.TB, what string, r io.Reader) {
	t.Helper()
	if _, err := io.Copy(io.Discard, r); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("%s: the connection did not end", what)
	}
}

func TestTunnelsCarryBothWays(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // an echo that ends when its client does, as it should
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(c, c)
		_ = c.Close()
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	p := start(t, "http://"+l.Addr().String(), Options{})
	c, br := openTunnel(t, p, l.Addr().String())
	sent := strings.Repeat("0123456789abcdef", 1<<14)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.WriteString(c, sent)
		_ = c.CloseWrite()
	})
	got, err := io.ReadAll(br)
	wg.Wait()
	if string(got) != sent || err != nil {
		t.Errorf("%d bytes came back of %d, %v", len(got), len(sent), err)
	}
	waitFor(t, "the tunnel to be gone", func() bool { return p.Stats().Open == 0 })
	if s := p.Stats(); s.Tunnels != 1 || s.BytesUp != int64(len(sent)) || s.BytesDown != int64(len(sent)) {
		t.Errorf("stats %+v", s)
	}
}

// S179 and its kin: whoever is silent for too long is cut.
func TestSilenceEnds(t *testing.T) {
	const short = 50 * time.Millisecond
	server := newHoldingServer(t, "x")
	p := start(t, "http://"+server.addr, Options{Limits: Limits{FirstByte: short}})
	_, br := openTunnel(t, p, server.addr)
	mustEnd(t, "a tunnel that never sent", br)
	server.mustBeLeft(t)

	server = newHoldingServer(t, "x")
	p = start(t, "http://"+server.addr, Options{Limits: Limits{Silence: short}})
	c, br := openTunnel(t, p, server.addr)
	_, _ = io.WriteString(c, "hello")
	mustEnd(t, "a tunnel gone silent", br)
	server.mustBeLeft(t)

	server = newHoldingServer(t, "x")
	p = start(t, "http://"+server.addr, Options{Limits: Limits{HalfClosed: short}})
	c, br = openTunnel(t, p, server.addr)
	_, _ = io.WriteString(c, "hello")
	_ = c.CloseWrite()
	mustEnd(t, "a tunnel that the client has left", br)

	server = newHoldingServer(t, "")
	p = start(t, "http://"+server.addr, Options{Limits: Limits{Silence: short}})
	if got := p.ask("GET http://" + server.addr + "/ HTTP/1.1\n\n"); got.status != http.StatusBadGateway || !strings.Contains(got.body, "(ETIMEDOUT)") {
		t.Errorf("a server that never answers: %+v", got)
	}
	server = newHoldingServer(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
	p = start(t, "http://"+server.addr, Options{Limits: Limits{Silence: short}})
	if got := p.ask("GET http://" + server.addr + "/ HTTP/1.1\n\n"); got.status != http.StatusOK || got.err == nil {
		t.Errorf("a server that stops in the middle: %+v", got)
	}

	p = start(t, "http://127.0.0.1:1", Options{Limits: Limits{Head: short, Idle: short, Linger: short}})
	mustEnd(t, "a connection without a request", p.dialRaw())
	slow := p.dialRaw()
	_, _ = io.WriteString(slow, "GET http://")
	mustEnd(t, "a head that never ends", slow)
}

// A tunnel in which only one side talks is not silent.
func TestOneWayTalkIsNotSilence(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const beats, silence = 20, 400 * time.Millisecond
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		for range beats { // twice as long as the allowed silence, together
			time.Sleep(2 * silence / beats)
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	p := start(t, "http://"+l.Addr().String(), Options{Limits: Limits{Silence: silence}})
	c, br := openTunnel(t, p, l.Addr().String())
	_, _ = io.WriteString(c, "go")
	if got, err := io.ReadAll(br); len(got) != beats || err != nil {
		t.Errorf("%d of %d bytes came, %v", len(got), beats, err)
	}
}

func TestByteLimit(t *testing.T) {
	big := newSite(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("a", 1<<20))
	})
	p := start(t, big.URL, Options{Limits: Limits{Body: 100 << 10}})
	got := p.ask("GET http://" + big.host + "/ HTTP/1.1\n\n")
	if got.err == nil || len(got.body) > 200<<10 {
		t.Errorf("%d bytes came, %v", len(got.body), got.err)
	}
	c, br := openTunnel(t, p, big.host)
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if all, _ := io.ReadAll(br); len(all) > 200<<10 {
		t.Errorf("%d bytes came through the tunnel", len(all))
	}
}

func TestConnectionLimitAndStrangers(t *testing.T) {
	p := start(t, "http://127.0.0.1:1", Options{Limits: Limits{Conns: 2}})
	a, b := p.dialRaw(), p.dialRaw()
	waitFor(t, "two connections", func() bool { return p.Stats().Open == 2 })
	mustEnd(t, "one over the limit", p.dialRaw())
	_ = a.Close()
	waitFor(t, "room", func() bool { return p.Stats().Open == 1 })
	if got := p.ask("GET /x HTTP/1.1\n\n"); got.status != http.StatusBadRequest {
		t.Errorf("with room again: %+v", got)
	}
	_ = b.Close()
	if s := p.Stats(); s.Turned != 1 {
		t.Errorf("stats %+v", s)
	}

	var seen atomic.Value
	p = start(t, "http://127.0.0.1:1", Options{PeerAllowed: func(a, _ net.Addr) bool { seen.Store(a.String()); return false }})
	c := p.dialRaw()
	_, _ = io.WriteString(c, "GET /x HTTP/1.1\r\n\r\n")
	if all, _ := io.ReadAll(c); len(all) > 0 {
		t.Errorf("a stranger got %q", all)
	}
	if seen.Load() != c.LocalAddr().String() || p.Stats().Turned != 1 {
		t.Errorf("the stranger was %v, stats %+v", seen.Load(), p.Stats())
	}
}

// Close cuts what runs and waits for it: a tunnel, a request, a body on its way
// up, a lookup, an idle client.
func TestCloseCutsEverything(t *testing.T) {
	server := newHoldingServer(t, "")
	resolver := &fakeResolver{hold: make(chan struct{})}
	p := start(t, "http://"+server.addr, Options{Resolver: resolver})
	tunnel, _ := openTunnel(t, p, server.addr)
	_, _ = io.WriteString(tunnel, "hello")
	waiting, up, lookup, idle := p.dialRaw(), p.dialRaw(), p.dialRaw(), p.dialRaw()
	fmt.Fprintf(waiting, "GET http://%s/ HTTP/1.1\r\n\r\n", server.addr)
	fmt.Fprintf(up, "POST http://%s/ HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", server.addr)
	_, _ = io.WriteString(lookup, "GET http://slow.test/ HTTP/1.1\r\n\r\n")
	waitFor(t, "everything to run", func() bool {
		r := server.request()
		return strings.Contains(r, "hello") && strings.Contains(r, "GET /") && strings.Contains(r, "POST /") && resolver.count("slow.test.") == 1
	})
	begin := time.Now()
	p.Close()
	if took := time.Since(begin); took > patience/2 {
		t.Errorf("Close took %v", took)
	}
	for name, c := range map[string]*net.TCPConn{"tunnel": tunnel, "request": waiting, "upload": up, "lookup": lookup, "idle": idle} {
		if all, _ := io.ReadAll(c); len(all) > 0 && name != "tunnel" {
			t.Errorf("%s: %q", name, all)
		}
	}
	if _, err := net.Dial("tcp", p.addr); err == nil {
		t.Error("the listener is still open")
	}
	if s := p.Stats(); s.Open != 0 {
		t.Errorf("stats %+v", s)
	}
	p.Close()
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	if err := p.Serve(l); err == nil {
		t.Error("a closed proxy serves")
	}
}

func TestServeReportsALostListener(t *testing.T) {
	p := New(Options{})
	defer p.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := p.Serve(l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve: %v", err)
	}
}
