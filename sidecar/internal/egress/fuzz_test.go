package egress

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// requestSeeds are heads that are fine, odd and bad. APP is the app.
var requestSeeds = []string{
	"GET http://APP/ HTTP/1.1\r\nHost: APP\r\n\r\n",
	"GET http://APP/100%?%zz|^ HTTP/1.1\r\nConnection: close, X\r\nX: 1\r\nTE: trailers\r\n\r\n",
	"POST http://APP/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET http://APP/2 HTTP/1.1\r\n\r\n",
	"POST http://APP/ HTTP/1.1\r\nContent-Length: 30\r\n\r\nabc",
	"POST http://APP/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
	"HEAD http://APP//x HTTP/1.0\r\n\r\n",
	"CONNECT APP HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: APP\r\n\r\n",
	"CONNECT [::1]:80 HTTP/1.1\r\n\r\n",
	"CONNECT 0x7f.1:80 HTTP/1.1\r\n\r\n",
	"GET http://localhost/ HTTP/1.1\r\n\r\n",
	"GET http://APP@127.0.0.1:1/ HTTP/1.1\r\n\r\n",
	"GET http://\u2460.0.0.1/ HTTP/1.1\r\n\r\n",
	"GET /x HTTP/1.1\r\nHost: APP\r\n\r\n",
	"GET http://APP/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
	"GET http://APP/ HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
	"\r\n\r\n", "\x16\x03\x01\x02\x00", "",
}

// FuzzProxyRequest sends bytes to the proxy as they are. Whatever they are, the
// proxy lives, its answer is HTTP, and the only server it can be made to talk to
// is the app, under the app's name.
func FuzzProxyRequest(f *testing.F) {
	app := newSite(f, "127.0.0.1:0", nil)
	other := newSniffer(f, "127.0.0.1:0")
	const short = 200 * time.Millisecond
	p := start(f, app.URL, Options{Limits: Limits{Linger: short, Idle: short, Head: short, Silence: time.Second, HalfClosed: short}})
	for _, seed := range requestSeeds {
		f.Add([]byte(seed))
		f.Add([]byte(strings.ReplaceAll(seed, "APP", "OTHER")))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = bytes.ReplaceAll(raw, []byte("APP"), []byte(app.host))
		raw = bytes.ReplaceAll(raw, []byte("OTHER"), []byte(other.addr))
		c, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_ = c.SetDeadline(time.Now().Add(patience))
		go func() {
			_, _ = c.Write(raw)
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		all, err := io.ReadAll(c)
		if err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatalf("%q: the connection did not end", raw)
		}
		if len(all) > 0 && !bytes.HasPrefix(all, []byte("HTTP/1.1 ")) {
			t.Fatalf("%q: answer %q", raw, all)
		}
		app.mu.Lock()
		seen := app.seen
		app.seen = nil
		app.mu.Unlock()
		for _, s := range seen {
			// In a tunnel anything may be sent.
			if !strings.EqualFold(s[strings.LastIndexByte(s, ' ')+1:], app.host) && !bytes.Contains(raw, []byte("CONNECT")) {
				t.Fatalf("%q: the app saw %q", raw, s)
			}
		}
		other.mustBeSilent(t)
	})
}

// FuzzHead: a head that is taken has parts that can be put together again, and
// net/http, where it takes the head too, reads the same.
func FuzzHead(f *testing.F) {
	for _, seed := range requestSeeds {
		f.Add([]byte(strings.ReplaceAll(seed, "APP", "app.test")))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		br := bufio.NewReader(bytes.NewReader(raw))
		h, err := readHead(br)
		if err != nil {
			return
		}
		again := h.method + " " + h.target + " HTTP/1.1\r\n"
		if h.http10 {
			again = h.method + " " + h.target + " HTTP/1.0\r\n"
		}
		for _, f := range h.fields {
			again += f.name + ": " + f.value + "\r\n"
		}
		h2, err := readHead(bufio.NewReader(strings.NewReader(again + "\r\n")))
		if err != nil || len(h2.fields) != len(h.fields) || h2.target != h.target {
			t.Fatalf("%q is read as %+v, and that as %+v, %v", raw, h, h2, err)
		}
		theirs, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return
		}
		if theirs.Method != h.method || theirs.RequestURI != h.target {
			t.Fatalf("%q is %s %s to net/http and %s %s to us", raw, theirs.Method, theirs.RequestURI, h.method, h.target)
		}
		if n, ok := h.length(); ok && theirs.ContentLength != n && h.method != "CONNECT" {
			t.Fatalf("%q has %d bytes to net/http and %d to us", raw, theirs.ContentLength, n)
		}
	})
}
