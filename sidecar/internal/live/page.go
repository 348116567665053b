package live

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"net/http"
	"strconv"
	"strings"
)

var (
	//go:embed viewer/viewer.html
	viewerHTML string
	//go:embed viewer/viewer.css
	viewerCSS string
	//go:embed viewer/viewer.js
	viewerJS string
)

// Page is a web page to watch and drive by, for debugging without a host. It holds
// no secret: whoever opens it puts the browser's token behind its address
// (#token=…), where it stays in the page, which signs its own tickets with it.
func Page(session string) http.Handler {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	body := []byte(strings.NewReplacer("/*CSS*/", viewerCSS, "/*JS*/", viewerJS, "/*SESSION*/", html.EscapeString(session)).Replace(viewerHTML))
	rules := "default-src 'none'; script-src " + hash(viewerJS) + "; style-src " + hash(viewerCSS) + "; connect-src 'self'; " +
		"img-src blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", rules)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // the client may be gone
	})
}
