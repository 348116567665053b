package httpd

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// Heads that two readers could take for different requests are refused before
// the guards, and nothing that follows them is read.
func TestHeadsThatReadersDisagreeAbout(t *testing.T) {
	h := newHarness(t, Options{})
	const start, close = "POST /mcp HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n", "Connection: close\n"
	const second = "GET /health HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"
	for name, c := range map[string]struct{ text, want string }{
		"plain":                       {start + close + "Content-Length: 2\n\n{}", "200"},
		"chunks":                      {start + close + "Transfer-Encoding: chunked\n\n2\n{}\n0\n\n", "200"},
		"two, one after the other":    {start + "Content-Length: 2\n\n{}" + start + close + "Content-Length: 2\n\n{}", "200 200"},
		"chunks, and another request": {start + "Transfer-Encoding: chunked\n\n2\n{}\n0\n\n" + second, "200"},
		"an offer, and another":       {start + "Connection: Upgrade\nUpgrade: h2c\nContent-Length: 2\n\n{}" + second, "200"},
		"a length and chunks":         {start + "Content-Length: 2\nTransfer-Encoding: chunked\n\n0\n\n" + second, "400"},
		"chunks and a length":         {start + "Transfer-Encoding: chunked\ncontent-length: 2\n\n0\n\n" + second, "400"},
		"one length twice":            {start + "Content-Length: 2\nContent-Length: 2\n\n{}", "400"},
		"a folded field":              {start + "X: a\n b: c\nContent-Length: 2\n\n{}", "400"},
		"a folded token":              {"POST /mcp HTTP/1.1\nHost: HOST\nAuthorization: Bearer\n TOKEN\nContent-Length: 2\n\n{}", "400"},
		"folded by a tab":             {"POST /mcp HTTP/1.1\nHost: HOST\n\tevil.test\nAuthorization: Bearer TOKEN\n\n", "400"},
		"chunks of the old protocol":  {"POST /mcp HTTP/1.0\nHost: HOST\nAuthorization: Bearer TOKEN\nTransfer-Encoding: chunked\n\n0\n\n", "400"},
		"bad in the second":           {start + "Content-Length: 2\n\n{}" + start + "X: y\n z\n\n" + second, "200 400"},
		"no field at all":             {"GET / HTTP/1.1\n\n", "400"},
		"the protocol of 1991":        {"GET /\n", "400"},
		"an empty line in front":      {"\n" + second, "400"},
		"a space in the target":       {"GET /a b HTTP/1.1\nHost: HOST\n\n", "400"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := h.raw(c.text)
			var got []string
			for _, part := range strings.Split(answer, "HTTP/1.1 ")[1:] {
				got = append(got, part[:3])
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("answered with %q, want %s: %q", got, c.want, answer)
			}
		})
	}
	for name, text := range map[string]string{
		"bare newlines":       "GET /health HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n",
		"one bare newline":    "GET /health HTTP/1.1\r\nHost: HOST\nAuthorization: Bearer TOKEN\r\n\r\n",
		"a bare newline last": "GET /health HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\n\n",
	} {
		conn := h.dial()
		io.WriteString(conn, strings.NewReplacer("HOST", h.host(), "TOKEN", testToken).Replace(text))
		if answer, _ := io.ReadAll(conn); !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
			t.Errorf("%s: %q", name, answer)
		}
	}
}

// However the bytes come, the same is read: all of them, or what a refusal leaves.
func FuzzStrictConn(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: x\r\n\r\n",
		"GET / HTTP/1.1\nHost: x\n\n", "\r\n\r\n", "GET /\r\n", strings.Repeat("x", 30<<10), "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 30<<10),
		"POST / HTTP/1.1\r\nContent-Length: 9223372036854775807\r\n\r\nrest",
		"GET / HTTP/1.1\r\nUpgrade: x\r\n\r\nrest", "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
	} {
		f.Add(seed, uint8(1))
		f.Add(seed, uint8(100))
	}
	f.Fuzz(func(t *testing.T, text string, step uint8) {
		read := func(step int) string {
			b, err := io.ReadAll(&strictConn{Conn: &trickle{rest: []byte(text), step: step}})
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		whole, pieces := read(1<<20), read(int(step)+1)
		if whole != pieces {
			t.Errorf("%q by %d: %q, at once: %q", text, step, pieces, whole)
		}
		if kept := strings.TrimSuffix(whole, badHead); whole != text && (kept == whole || !strings.HasPrefix(text, kept)) {
			t.Errorf("%q became %q", text, whole)
		}
	})
}

// trickle is a connection from which a few bytes come at a time.
type trickle struct {
	net.Conn
	rest []byte
	step int
}

func (c *trickle) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.step)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// A deadline between two reads loses nothing of a head.
func TestAHeadOutlivesADeadline(t *testing.T) {
	const text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	c := &strictConn{Conn: &interrupted{trickle{rest: []byte(text), step: 5}, false}}
	var got bytes.Buffer
	buf := make([]byte, 3)
	for got.Len() < len(text) {
		n, err := c.Read(buf)
		if got.Write(buf[:n]); err != nil && !errors.Is(err, errInterrupted) {
			t.Fatalf("%q, %v", &got, err)
		}
	}
	if got.String() != text {
		t.Errorf("read %q", &got)
	}
}

var errInterrupted = errors.New("deadline")

// interrupted fails with every second read.
type interrupted struct {
	trickle
	odd bool
}

func (c *interrupted) Read(p []byte) (int, error) {
	if c.odd = !c.odd; c.odd {
		return 0, errInterrupted
	}
	return c.trickle.Read(p)
}
