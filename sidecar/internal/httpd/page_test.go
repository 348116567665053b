package httpd

import (
	"io"
	"net/http"
	"testing"
)

// TestPage asks for the sidecar's own page as a browser does, and as nobody may.
func TestPage(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "the page")
	})
	h := newHarness(t, Options{Page: page})
	for _, c := range []struct {
		name, method, path, host, origin string
		want                             int
	}{
		{"a browser", "GET", "/viewer", "", "", http.StatusOK},
		{"a name that is not ours", "GET", "/viewer", "evil.test", "", http.StatusForbidden},
		{"another page", "GET", "/viewer", "", "http://evil.test", http.StatusForbidden},
		{"with a query", "GET", "/viewer?x", "", "", http.StatusUnauthorized},
		{"another spelling", "GET", "/viewer/", "", "", http.StatusUnauthorized},
		{"a POST", "POST", "/viewer", "", "", http.StatusUnauthorized},
		{"something else", "GET", "/health", "", "", http.StatusUnauthorized},
	} {
		r, err := http.NewRequest(c.method, "http://"+h.host()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != c.want || (c.want == http.StatusOK) != (string(body) == "the page") {
			t.Errorf("%s: %d %s", c.name, answer.StatusCode, body)
		}
	}
	if own := "http://" + h.guard.hosts[0]; h.guard.liveOrigins[len(h.guard.liveOrigins)-len(h.guard.hosts)] != own {
		t.Errorf("its own page may not watch: %q", h.guard.liveOrigins)
	}
	if without := newHarness(t, Options{}); len(without.guard.liveOrigins) > 0 {
		t.Errorf("origins without a page: %q", without.guard.liveOrigins)
	}
}
