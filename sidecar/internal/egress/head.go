package egress

import (
	"bufio"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// A request head, read strictly: what two servers could read differently is
// refused, because the next one would read the rest in the other way.

var (
	errHeadTooLarge = errors.New("request head too large")
	errHeadBad      = errors.New("request head malformed")
)

// field is one header line.
type field struct{ name, value string }

// head is a request line and its header lines, in order.
type head struct {
	method, target string
	http10         bool
	fields         []field
}

// readHead reads one head, line ends and all. Errors other than its own two are
// the connection's.
func readHead(br *bufio.Reader) (head, error) {
	var raw []byte
	for {
		part, err := br.ReadSlice('\n')
		raw = append(raw, part...)
		switch {
		case len(raw) > maxHead:
			return head{}, errHeadTooLarge
		case err == bufio.ErrBufferFull:
			continue
		case err != nil:
			return head{}, err
		case string(raw) == "\r\n": // nothing but an empty line
			return head{}, errHeadBad
		case strings.HasSuffix(string(raw[max(0, len(raw)-4):]), "\r\n\r\n"):
			return parseHead(string(raw[:len(raw)-4]))
		case len(raw) < 2 || raw[len(raw)-2] != '\r':
			return head{}, errHeadBad // a bare newline ends a line for some and not for others
		}
	}
}

// parseHead parses a head without its last two line ends.
func parseHead(raw string) (head, error) {
	lines := strings.Split(raw, "\r\n")
	method, rest, ok1 := strings.Cut(lines[0], " ")
	target, version, ok2 := strings.Cut(rest, " ")
	h := head{method: method, target: target, http10: version == "HTTP/1.0"}
	if !ok1 || !ok2 || !isToken(method) || target == "" || !visibleASCII(target) || !h.http10 && version != "HTTP/1.1" {
		return head{}, errHeadBad
	}
	for _, line := range lines[1:] {
		// A line that starts with a space continues the one before it for some.
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		if !ok || !isToken(name) || strings.ContainsFunc(value, isControl) {
			return head{}, errHeadBad
		}
		h.fields = append(h.fields, field{name, value})
	}
	if len(h.all("Host")) > 1 {
		return head{}, errHeadBad
	}
	return h, nil
}

// all is every value of a field.
func (h head) all(name string) []string {
	var values []string
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			values = append(values, f.value)
		}
	}
	return values
}

// tokens is the members of a field that is a comma-separated list, lower-case.
func (h head) tokens(name string) []string { return tokensOf(h.all(name)) }

func tokensOf(values []string) []string {
	var tokens []string
	for _, v := range values {
		for t := range strings.SplitSeq(v, ",") {
			if t = strings.ToLower(strings.Trim(t, " \t")); t != "" {
				tokens = append(tokens, t)
			}
		}
	}
	return tokens
}

// keepsAlive says whether the client wants its connection back.
func (h head) keepsAlive() bool {
	return !h.http10 && !slices.Contains(h.tokens("Connection"), "close") &&
		!slices.Contains(h.tokens("Proxy-Connection"), "close")
}

// length is the body's length. Browsers send no chunked requests over HTTP/1.1,
// so there is no other way to frame one; false for anything doubtful.
func (h head) length() (int64, bool) {
	if len(h.all("Transfer-Encoding")) > 0 {
		return 0, false
	}
	values := h.all("Content-Length")
	switch {
	case len(values) == 0:
		return 0, true
	case len(values) > 1 || strings.Trim(values[0], "0123456789") != "":
		return 0, false
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	return n, err == nil
}

// hopByHop are the fields that end at a proxy.
var hopByHop = []string{
	"connection", "proxy-connection", "keep-alive", "proxy-authorization", "proxy-authenticate",
	"te", "trailer", "transfer-encoding", "upgrade",
}

// endsHere says whether a field is not passed on: it is hop by hop, or one of
// the tokens of the message's Connection field names it.
func endsHere(name string, connection []string) bool {
	name = strings.ToLower(name)
	return slices.Contains(hopByHop, name) || slices.Contains(connection, name)
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

func visibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// isControl says whether r can't stand in a header's value. Bytes beyond ASCII
// can: servers send Latin-1 and UTF-8 alike.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
