package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pillion-browser/pillion/proto"
)

// aboutBlank is the one page that is not the app and may be opened.
const aboutBlank = "about:blank"

// App is the one web application that a browser is pinned to, with what a config
// adds to it. The zero App matches nothing. It is a value and never changes.
type App struct {
	origin string // "http://127.0.0.1:3000"
	host   string // "127.0.0.1", "[::1]" or a name
	port   uint16
	tls    bool

	others  []string // further origins whose pages are the app's
	aliases []string // further names of its host
	grants  []grant  // what else pages may connect to, beside what mode allows
	mode    proto.Egress
}

// NewApp pins to the origin of an http or https URL; its path, query and user
// are dropped.
func NewApp(origin string) (App, error) {
	u, err := ParseURL(origin)
	if err != nil {
		return App{}, fmt.Errorf("read the app's URL: %w", err)
	}
	port, ok := portOf(u)
	if !isHTTP(u.Scheme) || !ok {
		return App{}, fmt.Errorf("read the app's URL: %q has no http or https server", u.Scheme+":")
	}
	return App{origin: u.Origin, host: u.Hostname, port: port, tls: u.Scheme == "https"}, nil
}

// Origin is the app's serialised origin: "http://127.0.0.1:3000".
func (a App) Origin() string { return a.origin }

// Host is the app's host as [ParseURL] serialises it.
func (a App) Host() string { return a.host }

// Hosts are all names of the app's host: [App.Host] and its aliases.
func (a App) Hosts() []string { return append([]string{a.host}, a.aliases...) }

// Port is the app's port, the scheme's own where the origin names none.
func (a App) Port() uint16 { return a.port }

// TLS says whether the app is an https one.
func (a App) TLS() bool { return a.tls }

// Target turns what a tool was asked to open into the URL to open: a path on the
// app, a full URL of the app, or about:blank. What is opened is the serialised
// URL, never the text that was asked for.
func (a App) Target(raw string) (href string, refusal *proto.Error) {
	text := strings.TrimFunc(raw, isJSSpace)
	if text == aboutBlank {
		return text, nil
	}
	base := ""
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		base = a.origin
	}
	// Browsers drop tabs and newlines inside of a URL, so "ht\ntp:" is a way to
	// hide one. Nobody means them.
	hidden := strings.ContainsFunc(text, unicode.IsControl)
	if u, err := parse(text, base); err == nil && !hidden && a.owns(u) {
		return u.Href, nil
	}
	return "", &proto.Error{
		Code:    proto.CodeOffApp,
		Message: fmt.Sprintf("The browser may only open pages of the sandbox app at %s, not %s", a.names(), shorten(text)),
		Hint:    "Give a path that starts with / or a full URL of the app" + a.hint(text),
	}
}

// maxNamed is how many origins beside the app's own a message names.
const maxNamed = 5

// names is every origin of the app, for people.
func (a App) names() string {
	named := a.origin
	if n := min(len(a.others), maxNamed); n > 0 {
		named += " (and " + strings.Join(a.others[:n], ", ")
		if more := len(a.others) - n; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		named += ")"
	}
	return named
}

// hint names the setting that would open what was asked for.
func (a App) hint(text string) string {
	if setting := a.Widening(text); setting != "" {
		return "; the host can allow this origin with " + setting
	}
	return ""
}

// owns says whether u is a page of the app.
func (a App) owns(u proto.URL) bool {
	return isHTTP(u.Scheme) && a.ownsOrigin(u.Origin)
}

func (a App) ownsOrigin(origin string) bool {
	return a.origin != "" && (origin == a.origin || slices.Contains(a.others, origin))
}

// MayNavigate says whether a main frame may request url. Fetch pauses a request
// at each hop, so this is asked again for every redirect.
func (a App) MayNavigate(url string) bool {
	if url == aboutBlank {
		return true
	}
	u, err := ParseURL(url)
	return err == nil && a.owns(u)
}

// OnApp says whether a main frame that shows url still belongs to the app. Empty
// and error pages do, as do the app's own blob: pages; a page of another origin,
// a data: page or a page of the browser does not. It is for targets of type page.
func (a App) OnApp(url string) bool {
	u, err := ParseURL(url)
	if err != nil {
		// Chromium reports "" and ":" for frames that have no document yet, and
		// nothing unreadable for a server's page: there we and it disagree.
		return !namesServer(url)
	}
	switch u.Scheme {
	case "http", "https":
		return a.owns(u)
	case "blob":
		return a.ownsOrigin(u.Origin)
	case "about", "chrome-error":
		return true
	}
	return false
}

// namesServer says whether an unreadable url looks like one of a server's, or is
// so long that nothing can be said.
func namesServer(url string) bool {
	if len(url) > maxURL {
		return true
	}
	url = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(url)
	scheme, _, ok := strings.Cut(strings.TrimFunc(url, func(r rune) bool { return r <= ' ' }), ":")
	scheme = asciiLower(scheme)
	return ok && (hasHost(scheme) || scheme == "blob")
}

// secure says whether scheme speaks TLS.
func secure(scheme string) bool { return scheme == "https" || scheme == "wss" }

// OriginOf is what a message may say of url: its origin, or its scheme where it
// has none, or that it can't be read. Never a path or a query.
func OriginOf(url string) string {
	u, err := ParseURL(url)
	switch {
	case err != nil && len(url) <= maxURL:
		return "an unreadable address"
	case err != nil:
		return "an overlong address"
	case u.Origin != "null":
		return u.Origin
	}
	return u.Scheme + ":"
}

// maxShown is how many characters of a foreign text a message repeats.
const maxShown = 200

// shorten quotes a foreign text for a message: one line, no control or invisible
// characters, at most maxShown characters of it.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n == maxShown {
			return strconv.Quote(text[:i]) + "..."
		}
		n++
	}
	return strconv.Quote(text)
}

// isJSSpace says whether JavaScript's trim removes r.
func isJSSpace(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}
