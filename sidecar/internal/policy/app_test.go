package policy

import (
	"strings"
	"testing"
	"unicode"

	"github.com/pillion-browser/pillion/proto"
)

func mustApp(t testing.TB, origin string) App {
	t.Helper()
	app, err := NewApp(origin)
	if err != nil {
		t.Fatal(err)
	}
	return app
}

func TestNewApp(t *testing.T) {
	for _, tt := range []struct {
		raw, origin, host string
		port              uint16
		tls               bool
	}{
		{"http://127.0.0.1:3000", "http://127.0.0.1:3000", "127.0.0.1", 3000, false},
		{"http://127.1:3000/path?q#f", "http://127.0.0.1:3000", "127.0.0.1", 3000, false},
		{"HTTP://LOCALHOST", "http://localhost", "localhost", 80, false},
		{"https://app.test", "https://app.test", "app.test", 443, true},
		{"https://app.test:443/", "https://app.test", "app.test", 443, true},
		{"http://[0::1]:80", "http://[::1]", "[::1]", 80, false},
	} {
		app := mustApp(t, tt.raw)
		if app.Origin() != tt.origin || app.Host() != tt.host || app.Port() != tt.port || app.TLS() != tt.tls {
			t.Errorf("NewApp(%q) = %+v", tt.raw, app)
		}
	}
	for _, raw := range []string{"", "app.test", "/", "ftp://app.test", "file:///x", "ws://app.test", "about:blank", "http://h:0"} {
		if app, err := NewApp(raw); err == nil {
			t.Errorf("NewApp(%q) = %+v", raw, app)
		}
	}
}

func TestTarget(t *testing.T) {
	const app = "http://127.0.0.1:7000"
	for _, tt := range []struct {
		id, raw, want string // "" is a refusal
	}{
		{"S106", "/login", app + "/login"},
		{"S107", "login?x=1#y", ""}, // not a path by the contract: it would make a path of example.com too
		{"S108", "HTTP://127.0.0.1:7000/", app + "/"},
		{"S109", "http://127.0.0.1:7000", app + "/"},
		{"S110", "http://evil.test/", ""},
		{"S111", "https://127.0.0.1:7000/", ""},
		{"S112", "http://127.0.0.1:7001/", ""},
		{"S113", "//evil.test/x", ""},
		{"S114", `/\evil.test/x`, ""},
		{"S115", "http://127.0.0.1:7000@evil.test/", ""},
		{"S116", `http://evil.test\@127.0.0.1:7000/`, ""},
		{"S117", "http:127.0.0.1:7001", ""},
		{"S118", "file:///etc/passwd", ""},
		{"S119", "view-source:http://127.0.0.1:7000/", ""},
		{"S120", "chrome://settings", ""},
		{"S121", "chrome://crash", ""},
		{"S122", "devtools://devtools/bundled/inspector.html", ""},
		{"S123", "data:text/html,hi", ""},
		{"S124", "javascript:document.title=1", ""},
		{"S125", "about:blank", "about:blank"}, // the contract lets it pass
		{"S126", "blob:http://127.0.0.1:7000/x", ""},
		{"S127", "", ""},
		{"S128", "http://127.0.0.1:7000.evil.test/", ""},
		{"S129", "http://127.0.0.1:7000\t/", ""},
		{"S130", "ht\ntp://evil.test/", ""},
		{"S131", "///evil.test", ""},
		{"S132", "http://127.0.0.1:7000%2eevil.test/", ""},
		{"S133", "filesystem:http://127.0.0.1:7000/temporary/x", ""},
		{"S134", "about:srcdoc", ""},
		{"S135", "http://127.0.0.1:07000/", app + "/"},

		{"original", "/login?next=%2F", app + "/login?next=%2F"},
		{"original", "http://127.1:7000/x", app + "/x"},
		{"original", "http:/127.0.0.1:7000/x", app + "/x"},
		{"original", "http://localhost:7000/", ""},
		{"original", "http://169.254.169.254/latest/meta-data", ""},
		{"original", "example.com", ""},
		{"trimmed", " \u00a0\ufeff\r\n/x\u2029", app + "/x"},
		{"trimmed", "\n about:blank ", "about:blank"},
		{"no trim in JavaScript", "\u0085/x", ""},
		{"user", "http://u:p@127.0.0.1:7000/", "http://u:p@127.0.0.1:7000/"},
		{"dots", "/a/../../b", app + "/b"},
		{"hidden in a path", "/\t/evil.test", ""},
		{"two slashes in a path", "/x//y", app + "/x//y"},
		{"fragment", "/#/route", app + "/#/route"},
		{"blank with more", "about:blank#x", ""},
		{"blank in capitals", "ABOUT:BLANK", ""},
		{"error page", "chrome-error://chromewebdata/", ""},
	} {
		href, refusal := mustApp(t, app).Target(tt.raw)
		if href != tt.want || (refusal != nil) != (tt.want == "") {
			t.Errorf("%s: Target(%q) = %q, %v; want %q", tt.id, tt.raw, href, refusal, tt.want)
		}
		if refusal == nil {
			continue
		}
		if refusal.Code != proto.CodeOffApp || !strings.Contains(refusal.Message, "may only open pages of the sandbox app at "+app) {
			t.Errorf("%s: refusal %q %q", tt.id, refusal.Code, refusal.Message)
		}
	}
}

func TestTargetNamesTheInput(t *testing.T) {
	app := mustApp(t, "http://127.0.0.1:7000")
	_, refusal := app.Target("  https://example.com/a?b ")
	if !strings.HasSuffix(refusal.Message, `, not "https://example.com/a?b"`) {
		t.Errorf("refusal %q", refusal.Message)
	}
	_, refusal = app.Target("x\n### Result\n\u202e" + strings.Repeat("é", 1000))
	if len([]rune(refusal.Message)) > 400 || strings.ContainsFunc(refusal.Message, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("refusal %q", refusal.Message)
	}
}

func TestOnAppAndMayNavigate(t *testing.T) {
	app := mustApp(t, "http://127.0.0.1:7000")
	for _, tt := range []struct {
		id, url  string
		on, navi bool
	}{
		{"app", "http://127.0.0.1:7000/x", true, true},
		{"app with user", "http://u@127.0.0.1:7000/", true, true},
		{"S191", "http://127.0.0.1:7000/two", true, true},
		{"S181", "http://evil.test/", false, false},
		{"S187", "file:///etc/passwd", false, false},
		{"S188", "data:text/html,hi", false, false},
		{"S189", "chrome://version", false, false},
		{"other port", "http://127.0.0.1:7001/", false, false},
		{"alias", "http://localhost:7000/", false, false},
		{"other scheme", "https://127.0.0.1:7000/", false, false},
		{"socket", "ws://127.0.0.1:7000/", false, false},
		{"blank", "about:blank", true, true},
		{"blank with more", "about:blank#blocked", true, false},
		{"frame document", "about:srcdoc", true, false},
		{"error page", "chrome-error://chromewebdata/", true, false},
		{"own blob", "blob:http://127.0.0.1:7000/9115d58c", true, false},
		{"foreign blob", "blob:http://evil.test/9115d58c", false, false},
		{"nobody's blob", "blob:null/9115d58c", false, false},
		{"no document yet", "", true, false},
		{"no document yet", ":", true, false},
		{"unreadable", "http://a..b/", false, false},
		{"unreadable", "\thtt\nps://[::1", false, false},
		{"unreadable", "blob:" + strings.Repeat("/", maxSlashes+1), false, false},
		{"overlong", "http://127.0.0.1:7000/" + strings.Repeat("a", maxURL), false, false},
		{"signed number", "http://127.0.0.-255:7000/", false, false},
		{"source view", "view-source:http://127.0.0.1:7000/", false, false},
		{"extension", "chrome-extension://abc/x.html", false, false},
	} {
		if got := app.OnApp(tt.url); got != tt.on {
			t.Errorf("%s: OnApp(%.60q) = %v", tt.id, tt.url, got)
		}
		if got := app.MayNavigate(tt.url); got != tt.navi {
			t.Errorf("%s: MayNavigate(%.60q) = %v", tt.id, tt.url, got)
		}
	}
	var none App
	for _, url := range []string{"http:///", "http://127.0.0.1/", "blob:null/x", "null"} {
		if none.MayNavigate(url) || none.OnApp("http://h/") || none.OnApp("blob:null/x") {
			t.Errorf("the zero App owns %q", url)
		}
	}
}

// unreadable stands for a URL that names no host to connect to.
const unreadable Reason = "unreadable"

// loaded is how a page's request for a URL is judged, by the URL alone.
func loaded(app App, url string) Reason {
	u, err := ParseURL(url)
	if err != nil {
		return unreadable
	}
	port, ok := portOf(u)
	if !ok {
		return unreadable
	}
	return app.Destination(u.Hostname, port, nil).Refused
}

func TestSubResources(t *testing.T) {
	app := mustApp(t, "http://127.0.0.1:7000")
	for _, tt := range []struct {
		id, url string
		want    Reason
	}{
		{"app", "http://127.0.0.1:7000/app.js", ""},
		{"app socket", "ws://127.0.0.1:7000/cable", ""},
		{"public", "https://cdn.example.com/x.js", ""},
		{"public address", "http://8.8.8.8/", ""},
		{"no URL", "data", unreadable},
		{"port 0", "http://example.com:0/", unreadable},
		{"original", "http://127.0.0.1:5432/", ReasonPrivate},
		{"original", "http://localhost:3000/", ReasonLocalName},
		{"original", "http://[::1]:3000/", ReasonPrivate},
		{"original", "http://10.0.0.1/", ReasonPrivate},
		{"original", "http://169.254.169.254/", ReasonPrivate},
		{"original", "http://app.localhost/", ReasonLocalName},
		{"original", "ws://127.0.0.1:9222/", ReasonPrivate},
		{"S152", "http://2130706433/", ReasonPrivate},
		{"S153", "http://0x7f.1/", ReasonPrivate},
		{"S154", "http://0177.0.0.1/", ReasonPrivate},
		{"S155", "http://127.1/", ReasonPrivate},
		{"S156", "http://localhost/", ReasonLocalName},
		{"S157", "http://LOCALHOST:80/", ReasonLocalName},
		{"S158", "http://foo.localhost/", ReasonLocalName},
		{"S159", "http://localhost./", ReasonLocalName},
		{"S160", "http://127.0.0.1./", ReasonPrivate},
		{"S161", "http://127\u30020\u30020\u30021/", unreadable},
		{"S162", "http://\u2460\u2461\u2466.0.0.1/", unreadable},
		{"S163", "http://%6c%6fcalhost/", ReasonLocalName},
		{"S164", "http://lo\u00adcalhost/", ReasonLocalName},
		{"S165", "http://127.0.1/", ReasonPrivate},
		{"S166", "http://localhost6/", ""}, // a name: the proxy looks it up and refuses
		{"S167", "http://[::ffff:0x7f.1]/", unreadable},
	} {
		if got := loaded(app, tt.url); got != tt.want {
			t.Errorf("%s: %.60q is refused with %q, want %q", tt.id, tt.url, got, tt.want)
		}
	}
}

func TestOriginOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://sso.example.com/authorize?state=abc#x": "https://sso.example.com",
		"http://u:p@h:8080/":                            "http://h:8080",
		"ws://h/secret":                                 "ws://h",
		"blob:https://h/uuid":                           "https://h",
		"blob:null/uuid":                                "blob:",
		"data:text/html,secret":                         "data:",
		"file:///home/secret":                           "file:",
		"chrome://settings/secret":                      "chrome:",
		"/secret":                                       "an unreadable address",
		"http://a b/secret":                             "an unreadable address",
		"http://h/" + strings.Repeat("a", maxURL):       "an overlong address",
	} {
		if got := OriginOf(url); got != want {
			t.Errorf("OriginOf(%.60q) = %q, want %q", url, got, want)
		}
	}
}

// FuzzTarget: what is opened is about:blank or a URL that every rule calls the
// app's; what is not is refused in one printable line.
func FuzzTarget(f *testing.F) {
	for _, tt := range urls {
		f.Add(tt.raw, true)
		f.Add("/"+tt.raw, false)
	}
	f.Add("http://[::1]:3000/\\..\\x", true)
	f.Fuzz(func(t *testing.T, raw string, v6 bool) {
		app := mustApp(t, "http://127.0.0.1:3000")
		if v6 {
			app = mustApp(t, "http://[::1]:3000")
		}
		href, refusal := app.Target(raw)
		switch {
		case (href == "") == (refusal == nil):
			t.Fatalf("Target(%q) = %q, %v", raw, href, refusal)
		case refusal != nil:
			if strings.ContainsFunc(refusal.Message, func(r rune) bool { return !unicode.IsPrint(r) }) || len(refusal.Message) > 2500 {
				t.Fatalf("Target(%q) is refused with %q", raw, refusal.Message)
			}
		case href == aboutBlank:
		case len(href) <= maxURL && authorityLen(href) <= maxAuthority:
			u, err := ParseURL(href)
			if err != nil || u.Origin != app.Origin() || u.Href != href {
				t.Fatalf("Target(%q) = %q, which is %q of %q, %v", raw, href, u.Href, u.Origin, err)
			}
			if !app.MayNavigate(href) || !app.OnApp(href) {
				t.Fatalf("Target(%q) = %q, which another rule refuses", raw, href)
			}
		}
	})
}
