package egress

import (
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// place is where a request wants to go, in the words of its request line.
type place struct {
	host      string // as policy.ParseURL serialises it
	port      uint16
	authority string // as it was written: the Host field
	path      string // path and query as they were written; "" for CONNECT
}

// badTarget is why a request line names no place; it is shown to the client.
type badTarget string

// parseAbsolute reads the target of a plain request. Host and port go through
// the URL parser that decides about everything else; path and query are passed
// on byte for byte, because a proxy that tidies up "/100%" breaks the page.
func parseAbsolute(target string) (place, badTarget) {
	scheme, rest, ok := strings.Cut(target, ":")
	if !ok || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" || !strings.HasPrefix(rest, "//") {
		return place{}, "the request names no absolute URL"
	}
	if !strings.EqualFold(scheme, "http") {
		if len(scheme) > 32 {
			scheme = scheme[:32]
		}
		return place{}, badTarget("the scheme " + strings.ToLower(scheme) + " is not forwarded")
	}
	rest = rest[len("//"):]
	p := place{authority: rest, path: "/"}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		p.authority, p.path = rest[:i], rest[i:]
	}
	if strings.HasPrefix(p.path, "?") {
		p.path = "/" + p.path
	}
	if strings.Contains(p.path, "#") || !p.locate("80") {
		return place{}, "the request names no absolute URL"
	}
	return p, ""
}

// parseConnect reads the target of CONNECT: host:port or [v6]:port, both named.
func parseConnect(target string) (place, bool) {
	p := place{authority: target}
	return p, p.locate("")
}

// locate fills in host and port from the authority; false if it is not exactly a
// host with an optional port, which is then fallback, "" for none.
func (p *place) locate(fallback string) bool {
	if strings.ContainsAny(p.authority, `@/\?#%`) {
		return false // user info and tricks; a browser sends its own serialised form
	}
	u, err := policy.ParseURL("http://" + p.authority + "/")
	if err != nil {
		return false
	}
	port := fallback
	if i := strings.LastIndexByte(p.authority, ':'); i >= 0 && !strings.HasSuffix(p.authority, "]") {
		port = p.authority[i+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	p.host, p.port = u.Hostname, uint16(n)
	return err == nil && n > 0
}
