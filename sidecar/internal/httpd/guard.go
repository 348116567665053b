package httpd

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pillion-browser/pillion/proto"
)

// refusal is a status and what is said with it.
type refusal struct {
	status int
	text   string
}

// The refusals of the guards. They are never changed.
var (
	hostRefused   = &refusal{http.StatusForbidden, "Host not allowed"}
	originRefused = &refusal{http.StatusForbidden, "Origin not allowed"}
	tokenRefused  = &refusal{http.StatusUnauthorized, "Missing or invalid bearer token"}
	queryRefused  = &refusal{http.StatusBadRequest, "No query allowed"}
)

// guard decides who may speak, by headers alone.
type guard struct {
	hosts       []string // accepted values of Host, in lower case
	liveOrigins []string // accepted values of Origin on /live, in lower case
	token       proto.Secret
}

// check is the guard of everything but the live view's upgrade; nil lets the
// request through. A page can send neither a Host that names us under a name of
// ours nor a cross-origin request without Origin, and does not know the token.
func (g *guard) check(r *http.Request) *refusal {
	if !g.hostAccepted(r) {
		return hostRefused
	}
	if _, present := r.Header["Origin"]; present { // empty and "null" included
		return originRefused
	}
	// Two of them would leave it to each reader which one counts.
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return tokenRefused
	}
	token, ok := bearerToken(values[0])
	if !ok || !g.token.Matches(token) {
		return tokenRefused
	}
	return nil
}

// checkPage is the guard of the sidecar's own page, which is no secret: whoever
// opens it has to know the token.
func (g *guard) checkPage(r *http.Request) *refusal {
	if !g.hostAccepted(r) {
		return hostRefused
	}
	if _, present := r.Header["Origin"]; present {
		return originRefused
	}
	return nil
}

// checkLive is the guard of the live view's upgrade, whose ticket comes later
// and never in the address.
func (g *guard) checkLive(r *http.Request) *refusal {
	switch {
	case !g.hostAccepted(r):
		return hostRefused
	case len(r.Header["Origin"]) != 1 || !slices.Contains(g.liveOrigins, strings.ToLower(r.Header.Get("Origin"))):
		return originRefused
	case strings.Contains(r.RequestURI, "?"):
		return queryRefused
	}
	return nil
}

// hostAccepted looks at the Host header. r.Host is that header only for a
// target that has no authority of its own.
func (g *guard) hostAccepted(r *http.Request) bool {
	if !strings.HasPrefix(r.RequestURI, "/") && r.RequestURI != "*" {
		return false
	}
	return slices.Contains(g.hosts, strings.ToLower(r.Host))
}

// acceptedHosts is the set of Host values that mean this server: its address,
// all names of the machine itself if it listens there, and what was allowed.
func acceptedHosts(host string, port int, allowed []string) []string {
	names := []string{host}
	switch host = strings.ToLower(host); host {
	case "127.0.0.1", "localhost", "::1":
		names = []string{"127.0.0.1", "localhost", "::1"}
	case "0.0.0.0", "::": // names of no machine
		names = []string{"127.0.0.1", "localhost", "::1"}
	}
	var hosts []string
	for _, name := range names {
		hosts = append(hosts, net.JoinHostPort(name, strconv.Itoa(port)))
	}
	return lowered(append(hosts, allowed...))
}

func lowered(values []string) []string {
	var lower []string
	for _, v := range values {
		lower = append(lower, strings.ToLower(v))
	}
	return lower
}

// bearerToken takes a token out of an Authorization header: the scheme in any
// case, white space, one token, and perhaps white space.
func bearerToken(header string) (string, bool) {
	const scheme = "bearer"
	if len(header) <= len(scheme) || !strings.EqualFold(header[:len(scheme)], scheme) {
		return "", false
	}
	rest := header[len(scheme):]
	token := strings.Trim(rest, " \t") // white space of HTTP, and none of other letters
	if token == "" || strings.TrimLeft(rest, " \t") == rest || strings.ContainsFunc(token, unicode.IsSpace) {
		return "", false
	}
	return token, true
}
