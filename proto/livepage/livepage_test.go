package livepage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto/livepage"
)

func served(o livepage.Options) (body, policy string) {
	w := httptest.NewRecorder()
	livepage.New(o).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w.Body.String(), w.Header().Get("Content-Security-Policy")
}

// TestPolicyAllowsThePageAndNothingElse: the digests are of what is in the page.
func TestPolicyAllowsThePageAndNothingElse(t *testing.T) {
	body, policy := served(livepage.Options{Socket: "socket", Tickets: "tickets"})
	for directive, element := range map[string]string{"script-src": "script", "style-src": "style"} {
		m := regexp.MustCompile(`(?s)<` + element + `>(.*)</` + element + `>`).FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("no %s", element)
		}
		sum := sha256.Sum256([]byte(m[1]))
		if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
			t.Errorf("the policy %s lacks %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("policy %s", policy)
	}
	if m := regexp.MustCompile(`https?://|src=|<link|@import|\son\w+=`).FindString(body); m != "" {
		t.Errorf("the page has %q", m)
	}
}

func TestOptionsAreEscaped(t *testing.T) {
	body, _ := served(livepage.Options{Socket: "/live", Session: `a"><script>alert(1)</script>`})
	if !strings.Contains(body, `data-socket="/live" data-tickets="" data-session="a&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"`) {
		t.Errorf("%.1200s", body[strings.Index(body, "<body"):])
	}
}
