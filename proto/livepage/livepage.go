package livepage

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"net/http"
	"strconv"
	"strings"
)

var (
	//go:embed page.html
	document string
	//go:embed page.css
	style string
	//go:embed js
	scripts embed.FS
)

// Options say where the page finds what it needs. Socket and one of the others are
// needed; the paths may be relative to the page's own.
type Options struct {
	Socket  string // path of the WebSocket
	Tickets string // path that answers a POST of {"mode"} with {"ticket"}
	Session string // the browser's session, where the page signs its own tickets
}

// New serves the page at whatever address it is asked for.
func New(o Options) http.Handler {
	script := joined()
	body := []byte(strings.NewReplacer(
		"/*CSS*/", style, "/*JS*/", script, "/*SOCKET*/", html.EscapeString(o.Socket),
		"/*TICKETS*/", html.EscapeString(o.Tickets), "/*SESSION*/", html.EscapeString(o.Session),
	).Replace(document))
	rules := "default-src 'none'; script-src " + digest(script) + "; style-src " + digest(style) + "; connect-src 'self'; " +
		"img-src blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", rules)
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // the client may be gone
	})
}

// joined is the scripts in one, in the order of their names.
func joined() string {
	entries, err := scripts.ReadDir("js")
	if err != nil {
		panic(err) // the files are compiled in
	}
	var b strings.Builder
	for _, e := range entries {
		text, err := scripts.ReadFile("js/" + e.Name())
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	return b.String()
}

// digest allows one text in a content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
