package house

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms is the order of the sidecar's packages: each may import proto, the page
// that speaks its messages and the writer of metrics, itself with what lies below it, and the rooms before
// it.
func rooms() []string {
	return []string{
		"policy", "redact", "event", "cdp", "janitor", "chrome", "browser", "page", "action", "takeover",
		"tools", "mcp", "egress", "record", "live", "httpd", "apptest", "browsertest",
	}
}

// guests says which directories may import a third-party module outside of
// tests. A name without a slash is one of the sidecar's rooms.
func guests() map[string][]string {
	return map[string][]string{
		"github.com/chromedp/chromedp":           {"cdp", "chrome"},
		"github.com/chromedp/chromedp/kb":        {"browser", "action"}, // key tables alone
		"github.com/chromedp/cdproto":            {"cdp", "chrome", "browser", "page", "action", "record", "live", "browsertest"},
		"github.com/gorilla/websocket":           {"live", "testdata/app"},
		"github.com/modelcontextprotocol/go-sdk": {"mcp", "tools"},
		"github.com/nlnwa/whatwg-url":            {"policy"},
		"golang.org/x/sys":                       {"chrome", "janitor", "sidecar", "supervisor"},
		"k8s.io":                                 {"supervisor/kube"}, // a module of its own
		"github.com/google/go-cmp":               {},
		"github.com/rogpeppe/go-internal":        {},
		"modernc.org/sqlite":                     {"proto/archive"},
	}
}

// room is the sidecar's room that a directory belongs to, or "".
func room(dir string) string {
	rest, inside := strings.CutPrefix(dir, "sidecar/internal/")
	if !inside {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// eachImport calls f with every import outside of tests.
func eachImport(t *testing.T, f func(s source, imported string)) {
	t.Helper()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			f(s, imported)
		}
	}
}

func TestPackagesImportWhatStandsAboveThem(t *testing.T) {
	order := rooms()
	eachImport(t, func(s source, imported string) {
		target, ours := strings.CutPrefix(imported, modulePath+"/")
		if !ours || s.dir != "proto" && (target == "proto" || target == "proto/livepage" || target == "proto/exposition") {
			return
		}
		if from := room(s.dir); from != "" {
			place, to := slices.Index(order, from), slices.Index(order, room(target))
			site := from == "apptest" && target == "testdata/app"
			if !site && (place < 0 || to < 0 || to > place) {
				t.Errorf("%s imports %s: the order is %v", s.path, target, order)
			}
			return
		}
		// Recordings cross from the sidecar to the host in a file.
		shared := strings.HasPrefix(target, "proto/")
		allowed := false
		switch {
		case strings.HasPrefix(s.dir, "proto/"):
			allowed = strings.HasPrefix(target, "proto/archive")
		case s.dir == "sidecar":
			allowed = shared || room(target) != "" && room(target) != "apptest" && room(target) != "browsertest"
		case s.dir == "supervisor":
			allowed = strings.HasPrefix(target, "supervisor/internal/")
		case strings.HasPrefix(s.dir, "supervisor/cmd/"):
			allowed = shared || strings.HasPrefix(target, "supervisor") || target == "testdata/app"
		case strings.HasPrefix(s.dir, "supervisor/"):
			allowed = shared || strings.HasPrefix(target, "supervisor")
		}
		if !allowed {
			t.Errorf("%s imports %s", s.path, target)
		}
	})
}

func TestThirdPartyModulesHaveFewUsers(t *testing.T) {
	allowed := guests()
	eachImport(t, func(s source, imported string) {
		first, _, _ := strings.Cut(imported, "/")
		if !strings.Contains(first, ".") || strings.HasPrefix(imported, modulePath) {
			return
		}
		permitted := false
		for module, users := range allowed {
			if imported == module || strings.HasPrefix(imported, module+"/") {
				permitted = permitted || slices.Contains(users, s.dir) || slices.Contains(users, room(s.dir))
			}
		}
		if !permitted {
			t.Errorf("%s imports %s", s.path, imported)
		}
	})
}

func TestPureRoomsStayPure(t *testing.T) {
	// Decisions that can be tested without a socket, a process or a clock.
	impure := []string{"net/http", "os/exec", "net/rpc", "database/sql", "plugin"}
	eachImport(t, func(s source, imported string) {
		if slices.Contains([]string{"policy", "redact", "event", "takeover"}, room(s.dir)) && slices.Contains(impure, imported) {
			t.Errorf("%s imports %s", s.path, imported)
		}
	})
}
