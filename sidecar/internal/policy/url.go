package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/pillion-browser/pillion/proto"
)

// Bounds of a URL. They keep the parser, whose cost grows with the square of
// the last two, far below a millisecond a character.
const (
	// maxURL is far above what web servers take (8 to 16 KiB).
	maxURL = 64 << 10
	// maxSlashes bounds the segments of a path.
	maxSlashes = 8 << 10
	// maxAuthority holds user, password, a host of the DNS's length with every
	// byte of it percent-encoded, and a port.
	maxAuthority = 2 << 10
)

var (
	errTooLong   = errors.New("longer than a URL may be")
	errAmbiguous = errors.New("browsers may disagree about its host")
)

// ParseURL reads an absolute URL as browsers do. Of URLs that name a server it
// refuses some that a browser accepts, never the other way round, and what it
// returns means the same to Chromium. The error names neither path nor query.
func ParseURL(raw string) (proto.URL, error) { return parse(raw, "") }

var _ proto.URLParser = ParseURL

// parse reads raw, which may be relative to base unless base is "".
func parse(raw, base string) (u proto.URL, err error) {
	// The library indexes into fixed arrays; a defect there must refuse one URL,
	// not end the session.
	defer func() {
		if p := recover(); p != nil {
			u, err = proto.URL{}, fmt.Errorf("parse URL: defect in the parser: %v", p)
		}
	}()
	if len(raw) > maxURL || strings.Count(raw, "/")+strings.Count(raw, `\`) > maxSlashes || authorityLen(raw) > maxAuthority {
		return proto.URL{}, errTooLong
	}
	var host string // as it was written
	parser := whatwg.NewParser(
		whatwg.WithPreParseHostFunc(func(_ *whatwg.Url, h string) string {
			host = h
			return h
		}),
		whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^', '|')), // as Chromium does
	)
	parsed, err := parser.ParseRef(base, raw)
	if err != nil {
		return proto.URL{}, errors.New("not an absolute URL that a browser would open")
	}
	if hasHost(parsed.Scheme()) && !sound(host, parsed) {
		return proto.URL{}, errAmbiguous
	}
	u = proto.URL{
		Scheme: parsed.Scheme(), Host: parsed.Host(), Port: parsed.Port(), Hostname: parsed.Hostname(),
		Path: parsed.Pathname(), Query: parsed.Query(), Fragment: parsed.Fragment(),
		Username: parsed.Username(), Password: parsed.Password(),
		Origin: "null", Href: parsed.Href(false),
	}
	switch {
	case hasHost(u.Scheme):
		u.Origin = u.Scheme + "://" + u.Host
	case u.Scheme == "blob":
		if inner, err := parse(u.Path, ""); err == nil && isHTTP(inner.Scheme) {
			u.Origin = inner.Origin
		}
	}
	return u, nil
}

// hasHost says whether URLs of scheme name a server.
func hasHost(scheme string) bool {
	return isHTTP(scheme) || scheme == "ws" || scheme == "wss" || scheme == "ftp"
}

func isHTTP(scheme string) bool { return scheme == "http" || scheme == "https" }

// portOf is the port that u's server listens on.
func portOf(u proto.URL) (uint16, bool) {
	if u.Port != "" {
		n, err := strconv.ParseUint(u.Port, 10, 16)
		return uint16(n), err == nil && n > 0
	}
	switch u.Scheme {
	case "http", "ws":
		return 80, true
	case "https", "wss":
		return 443, true
	}
	return 0, false
}

// sound says whether the host that the library made of written is the one that
// every browser makes of it. See the package's Why.
func sound(written string, u *whatwg.Url) bool {
	host := u.Hostname()
	addr, literal := Literal(host)
	switch {
	case strings.HasPrefix(host, "["):
		return literal && addr.Is6() && addr.Zone() == "" && strings.Count(written, "[") == 1 && strings.Count(written, "]") == 1
	case literal:
		// In ASCII, and no sign: a number with one is a name to browsers.
		decoded, ok := percentDecode(written)
		return addr.Is4() && ok && strings.Trim(asciiLower(decoded), "0123456789abcdefx.") == ""
	}
	// A name. Labels are there, as written, and of characters that no browser
	// escapes or refuses.
	name := strings.TrimSuffix(host, ".")
	if name == "" || endsInNumber(host) || disputed(written) {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" {
			return false
		}
		for i := range len(label) {
			if !nameByte(label[i]) {
				return false
			}
		}
	}
	return name == host || endsInDot(written)
}

// disputedLetters are mapped in another way, or not at all, by the newer tables
// of Chromium: the capital sharp s, and the mathematical Hebrew letters. A run
// over all characters found no more.
const disputedLetters = "\u1e9e\u2135\u2136\u2137\u2138"

// disputed says whether a written host has letters beyond ASCII that browsers
// read otherwise, or together with a label that might, once they are mapped,
// claim to be punycode already.
func disputed(written string) bool {
	decoded, _ := percentDecode(written)
	ascii := strings.Map(func(r rune) rune {
		switch {
		case r == '\ufe63' || r == '\uff0d': // both are mapped to a hyphen
			return '-'
		case r > unicode.MaxASCII:
			return -1
		}
		return r
	}, decoded)
	return ascii != decoded && (strings.Contains(ascii, "--") || strings.ContainsAny(decoded, disputedLetters))
}

// endsInDot says whether a host ends in one of the characters that mean a dot.
func endsInDot(written string) bool {
	decoded, ok := percentDecode(written)
	if !ok {
		return false
	}
	for _, dot := range []string{".", "\u3002", "\uff0e", "\uff61"} {
		if strings.HasSuffix(decoded, dot) {
			return true
		}
	}
	return false
}

// percentDecode undoes %XX; false if there is a % that starts no such group.
func percentDecode(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String(), true
}

// authorityLen is the length of what stands between the scheme's slashes and the
// path, or of more than that.
func authorityLen(raw string) int {
	_, rest, ok := strings.Cut(raw, ":")
	if !ok {
		rest = raw
	}
	rest = strings.TrimLeft(rest, "/\\\t\r\n")
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		return i
	}
	return len(rest)
}
