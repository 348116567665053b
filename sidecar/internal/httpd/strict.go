package httpd

import (
	"bytes"
	"errors"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
)

// net/http takes heads that other readers of HTTP read differently: a length
// beside chunks, folded lines, bare newlines. Whatever stands before this server
// might pass such a request on as something that it is not. So a head is held
// back here until it is whole, and one that is not plain is answered with 400.

// strictListener gives out connections that are read so.
type strictListener struct{ net.Listener }

func (l strictListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &strictConn{Conn: conn}, nil
}

// strictConn reads one request after the other: a head, then as many bytes as it
// names. After one whose end is not told so (chunks, another protocol), it reads
// on without looking; see [mustClose]. It has one reader at a time.
type strictConn struct {
	net.Conn
	held    []byte // read, and not looked at
	ready   []byte // looked at, and not given out
	body    int64  // bytes of a body that are still to come
	passing bool   // nothing is looked at any more
	refused bool   // and nothing is read
}

// badHead stands in the place of a head that is not plain: the server refuses it.
const badHead = "BAD\r\n\r\n"

// heldBytes is more than a head may have; the server refuses what is longer.
const heldBytes = headerBytes + 8<<10

func (c *strictConn) Read(p []byte) (int, error) {
	for {
		switch {
		case len(c.ready) > 0:
			n := copy(p, c.ready)
			c.ready = c.ready[n:]
			return n, nil
		case c.refused:
			return 0, io.EOF
		case len(p) == 0 || c.passing:
			return c.Conn.Read(p)
		case c.body > 0:
			n, err := c.Conn.Read(p[:min(int64(len(p)), c.body)])
			c.body -= int64(n)
			return n, err
		}
		if c.look() {
			continue
		}
		var b [4 << 10]byte
		n, err := c.Conn.Read(b[:])
		c.held = append(c.held, b[:n]...)
		switch {
		case n > 0:
		case errors.Is(err, io.EOF) && len(c.held) > 0:
			c.pass(c.held) // half a head, for the server to refuse
		default:
			return 0, err // a deadline: what is held stays
		}
	}
}

// look makes ready what can be; false if more has to be read.
func (c *strictConn) look() bool {
	first := bytes.IndexByte(c.held, '\n')
	if first < 0 && len(c.held) <= heldBytes {
		return false
	}
	if first >= 0 && !requestLine.Match(c.held[:first+1]) {
		c.refuse()
		return true
	}
	end := headEnd(c.held)
	switch {
	case end < 0 && len(c.held) <= heldBytes:
		return false
	case end < 0:
		c.pass(c.held)
		return true
	}
	length, told, plain := measure(string(c.held[:end]))
	switch {
	case !plain:
		c.refuse()
	case !told:
		c.pass(c.held)
	default:
		here := min(int64(len(c.held)-end), length) // the sum of the two may be no number
		c.body = length - here
		c.ready, c.held = c.held[:end+int(here)], c.held[end+int(here):]
		if len(c.held) == 0 {
			c.held = nil // its memory is given out
		}
	}
	return true
}

func (c *strictConn) pass(b []byte) {
	c.ready, c.held, c.passing = b, nil, true
}

func (c *strictConn) refuse() {
	c.ready, c.held, c.refused = []byte(badHead), nil, true
}

// CloseWrite ends the one direction, as of the connection below.
func (c *strictConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

var requestLine = regexp.MustCompile(`^[^ \r\n]+ [^ \r\n]+ HTTP/[0-9]\.[0-9]\r\n$`)

// headEnd is where a head ends, by whatever ends it for some reader; -1 is nowhere.
func headEnd(b []byte) int {
	end := -1
	for _, empty := range []string{"\n\r\n", "\n\n"} {
		if i := bytes.Index(b, []byte(empty)); i >= 0 && (end < 0 || i+len(empty) < end) {
			end = i + len(empty)
		}
	}
	return end
}

// measure is the length of the body that follows a head, whether the head tells
// it, and whether every reader takes the head for the same.
func measure(head string) (length int64, told, plain bool) {
	line, rest, _ := strings.Cut(head, "\r\n")
	lengths, encodings, told := 0, 0, true
	for rest != "\r\n" {
		var field string
		field, rest, plain = strings.Cut(rest, "\r\n")
		if !plain || field == "" || field[0] == ' ' || field[0] == '\t' || strings.ContainsAny(field, "\r\n") {
			return 0, false, false
		}
		name, value, _ := strings.Cut(field, ":")
		switch strings.ToLower(name) {
		case "content-length":
			var err error
			lengths++
			length, err = strconv.ParseInt(strings.Trim(value, " \t"), 10, 64)
			told = told && err == nil && length >= 0
		case "transfer-encoding":
			encodings++
			told = false
		case "upgrade":
			told = false
		}
	}
	old := strings.HasSuffix(line, " HTTP/1.0")
	return length, told, lengths+encodings <= 1 && !(old && encodings > 0)
}
