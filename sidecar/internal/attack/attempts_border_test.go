//go:build linux

package attack

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// borderAttempts are those at the sidecar's port.
func borderAttempts() []attempt {
	authorized := func(target string) string {
		return target + " HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n"
	}
	return []attempt{
		{"B01", "a file of the session's by every detour", func(t *testing.T, s *stranger) {
			found, _ := filepath.Glob(filepath.Join(s.p.Workdir, "output-*"))
			if len(found) != 1 {
				t.Fatalf("output directories: %v", found)
			}
			outside := filepath.Join(t.TempDir(), "secret.txt")
			for _, err := range []error{
				os.WriteFile(outside, []byte(secret), 0o644), os.Symlink(outside, filepath.Join(found[0], "planted")),
				os.Symlink(filepath.Dir(outside), filepath.Join(found[0], "dir")), os.Link(outside, filepath.Join(found[0], "hard")),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{
				"planted", "dir/secret.txt", "hard", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "..%5c..%5cx", "%c0%ae%c0%ae/x", "%00", "x%00.png", ".", "..", "", "/", "%2f", "./planted", "dir", "dir/",
				"../uploads-x", strings.TrimPrefix(outside, "/"), "%252e%252e%252fx", "..;/x", "planted?x", "~root/x", "C:/x", "//localhost/x", "proc/self/environ", strings.Repeat("a/", 3000), "%zz",
			} {
				status, _, body := s.raw(t, authorized("GET /artifacts/"+name)+"\n")
				if status == http.StatusOK || strings.Contains(body, secret) || strings.Contains(body, "root:") {
					t.Errorf("%.40q: %d %.100q", name, status, body)
				}
			}
			for _, name := range []string{"planted", "dir", "hard"} {
				os.Remove(filepath.Join(found[0], name))
			}
		}},
		{"B02", "heads and bodies of a size or a form to choke on", func(t *testing.T, s *stranger) {
			before := rss(s.p.PID)
			for what, text := range map[string]string{
				"100 000 fields":        authorized("GET /health") + strings.Repeat("X: y\n", 100_000) + "\n",
				"a field of 2 MiB":      authorized("GET /health") + "X: " + strings.Repeat("y", 2<<20) + "\n\n",
				"a path of 2 MiB":       authorized("GET /"+strings.Repeat("y", 2<<20)) + "\n",
				"a waiting client":      authorized("POST /mcp") + "Content-Type: application/json\nExpect: 100-continue\nContent-Length: 1000000000000\n\n",
				"an odd expectation":    authorized("POST /mcp") + "Expect: the-worst\nContent-Length: 2\n\n{}",
				"a chunk extension":     authorized("POST /mcp") + "Transfer-Encoding: chunked\n\n1;" + strings.Repeat("x", 1<<20),
				"trailers":              authorized("POST /mcp") + "Trailer: Authorization, Host\nTransfer-Encoding: chunked\n\n2\r\n{}\r\n0\r\nHost: evil.test\r\n\r\n",
				"a length and chunks":   authorized("POST /mcp") + "Content-Length: 4\nTransfer-Encoding: chunked\n\n0\r\n\r\nGET /health HTTP/1.1\r\n\r\n",
				"the protocol of 1991":  "GET /\n",
				"a TLS greeting":        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
				"a greeting of HTTP/2":  "PRI * HTTP/2.0\n\nSM\n\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
				"an upgrade to HTTP/2":  authorized("GET /health") + "Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n\n",
				"a range":               authorized("GET /health") + "Range: bytes=0-0,1-1,2-2\n\n",
				"another method's name": authorized("POST /mcp") + "X-HTTP-Method-Override: DELETE\nContent-Length: 2\n\n{}",
			} {
				status, header, body := s.raw(t, text)
				checkAnswer(t, status, header, body)
				t.Logf("%-22s %d %.80q", what, status, body)
				if status == http.StatusSwitchingProtocols || strings.Contains(header.Get("Upgrade"), "h2c") {
					t.Errorf("%s: an upgrade", what)
				}
			}
			if grown := rss(s.p.PID) - before; grown > 64<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
			s.stillServes(t)
		}},
		{"B03", "a second request inside the body of a refused one", func(t *testing.T, s *stranger) {
			conn := s.dial(t)
			inner := s.spell("GET /health HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n")
			fmt.Fprintf(conn, "%s", s.spell(fmt.Sprintf("POST /mcp HTTP/1.1\nHost: evil.test\nContent-Length: %d\n\n", len(inner)))+inner)
			br := bufio.NewReader(conn)
			resp, err := http.ReadResponse(br, nil)
			if err != nil || resp.StatusCode != http.StatusForbidden {
				t.Fatalf("%v %v", resp, err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			conn.SetReadDeadline(time.Now().Add(time.Second))
			if second, err := http.ReadResponse(br, nil); err == nil {
				t.Errorf("the body was read as a request: %d", second.StatusCode)
			}
		}},
		{"B04", "a hundred streams that nobody reads, with the token", func(t *testing.T, s *stranger) {
			before := rss(s.p.PID)
			for range 100 {
				conn := s.dial(t)
				io.WriteString(conn, s.spell(authorized("GET /mcp")+"Accept: text/event-stream\nMcp-Session-Id: "+s.session+"\n\n"))
			}
			s.client(t).List()
			s.stillServes(t)
			if grown := rss(s.p.PID) - before; grown > 64<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
		}},
		{"B05", "a thousand sessions, with the token", func(t *testing.T, s *stranger) {
			for range 1000 {
				s.raw(t, post)
			}
			c := apptest.NewMCP(t, s.p.Ready.MCPURL, apptest.Token)
			c.Initialize()
			s.session = c.Session // the oldest one may be gone; the browser is not
			if text := s.client(t).Must("browser_tabs", apptest.Args{"action": "list"}); !strings.Contains(text, s.origin()) {
				t.Errorf("the browser has lost its pages: %s", text)
			}
		}},
		{"B06", "bombs of JSON: depth, width, numbers, keys, names of methods", func(t *testing.T, s *stranger) {
			before := rss(s.p.PID)
			call := func(args string) string {
				return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_tabs","arguments":` + args + `}}`
			}
			for what, body := range map[string]string{
				"depth":     call(strings.Repeat("[", 1<<20)),
				"closed":    call(strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19)),
				"keys":      call("{" + strings.TrimSuffix(strings.Repeat(`"a":1,`, 300_000), ",") + "}"),
				"width":     call(`{"action":[` + strings.TrimSuffix(strings.Repeat("1,", 800_000), ",") + "]}"),
				"a number":  call(`{"index":1` + strings.Repeat("0", 1<<20) + "}"),
				"exponents": call(`{"index":1e999999999999}`),
				"escapes":   call(`{"action":"` + strings.Repeat(`\u0000`, 200_000) + `"}`),
				"a method":  `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<20) + `"}`,
				"an id":     `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1<<20) + `","method":"ping"}`,
				"a batch":   "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 20_000), ",") + "]",
			} {
				begin := time.Now()
				text := strings.Replace(strings.Replace(post, "Content-Type", "Mcp-Session-Id: "+s.session+"\nContent-Type", 1), "BODY", body, 1)
				status, header, answer := s.raw(t, text)
				checkAnswer(t, status, header, answer)
				t.Logf("%-10s %d in %v: %.120q", what, status, time.Since(begin).Round(time.Millisecond), answer)
				if status >= 500 || len(answer) > 2<<20 {
					t.Errorf("%s: %d, %d bytes", what, status, len(answer))
				}
			}
			if grown := rss(s.p.PID) - before; grown > 256<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
			s.stillServes(t)
		}},
		{"B07", "the page for watching, with a script in its address and in what it shows", func(t *testing.T, s *stranger) {
			for _, target := range []string{"/viewer", "/viewer/", "/viewer?x=<script>", "/viewer#x", "/Viewer", "/viewer%3Cscript%3E"} {
				status, header, body := s.raw(t, "GET "+target+" HTTP/1.1\nHost: HOST\n\n")
				if status == http.StatusOK || strings.Contains(body, "<script>") {
					t.Errorf("%s: %d %v", target, status, header)
				}
			}
		}},
		{"B08", "frames that no client sends: packed, unmasked, endless pieces, floods of pings, a cut one", func(t *testing.T, s *stranger) {
			for what, frame := range map[string]string{
				"packed":       "\xc1\x82\x00\x00\x00\x00\x00\x00",
				"unmasked":     "\x81\x02hi",
				"reserved":     "\x83\x80\x00\x00\x00\x00",
				"of 2^63":      "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
				"pieces":       "\x01\x80\x00\x00\x00\x00" + strings.Repeat("\x00\x80\x00\x00\x00\x00", 50_000),
				"pings":        strings.Repeat("\x89\x80\x00\x00\x00\x00", 20_000),
				"a long ping":  "\x89\xfe\x01\x00\x00\x00\x00\x00" + strings.Repeat("x", 256),
				"a cut one":    "\x81\xfe",
				"bad text":     "\x81\x82\x00\x00\x00\x00\xff\xfe",
				"an odd close": "\x88\x81\x00\x00\x00\x00x",
			} {
				v := s.socket(t)
				conn := v.NetConn()
				conn.SetDeadline(time.Now().Add(time.Second))
				io.WriteString(conn, frame) // it may be closed in the middle
				if what == "a cut one" {
					conn.Close()
					continue
				}
				if answer, err := io.ReadAll(io.LimitReader(conn, 1<<20)); err == nil && strings.Contains(string(answer), "ready") {
					t.Errorf("%s: let in: %q", what, answer)
				}
				conn.Close()
			}
			s.watch(t, "after").Close()
			s.stillServes(t)
		}},
		{"B09", "one ticket on fifty sockets at the same moment", func(t *testing.T, s *stranger) {
			one := ticket(t, proto.TicketView, "racer", "racer")
			var in atomic.Int32
			var all sync.WaitGroup
			start := make(chan struct{})
			for range 50 {
				v := s.socket(t)
				all.Go(func() {
					<-start
					v.say(apptest.Args{"type": "auth", "ticket": one})
					if message, _ := v.next(); message["type"] == "ready" {
						in.Add(1)
					}
				})
			}
			close(start)
			all.Wait()
			if in.Load() != 1 {
				t.Errorf("%d got in", in.Load())
			}
		}},
	}
}
