package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// What users of other browser tools complained of; docs/complaints.md has the
// list and says where the rest is tested.

// TestALostSessionLosesNothing: a client that must begin anew found another
// browser, or none.
func TestALostSessionLosesNothing(t *testing.T) {
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
	p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => { document.title = 'Kept' }"})

	forgetful := apptest.NewMCP(t, p.Ready.MCPURL, apptest.Token)
	forgetful.Session = "0123456789abcdef0123456789abcdef"
	if a := forgetful.Post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil); a.Status != http.StatusNotFound {
		t.Errorf("a session that never was: status %d, want 404: %s", a.Status, a.Body)
	}
	for range 3 {
		forgetful.Initialize()
		if text := forgetful.Must("browser_snapshot", nil); !strings.Contains(text, "Page Title: Kept") {
			t.Errorf("another session finds another page:\n%s", text)
		}
		if a := forgetful.Close(); a.Status >= 300 {
			t.Errorf("close: status %d", a.Status)
		}
	}
	if text := p.MCP.Must("browser_snapshot", nil); !strings.Contains(text, "Page Title: Kept") {
		t.Errorf("the first session lost its page:\n%s", text)
	}
}

// TestBrowsersSideBySide: the second one was refused, since the profile was in
// use, or saw the first one's pages. They start at the same time, and each has
// its own port, directory and store.
func TestBrowsersSideBySide(t *testing.T) {
	site := apptest.Start(t)
	all := make([]*apptest.Process, times(2, 2, 20))
	shared := apptest.Workdir(t)
	for i := range all {
		all[i] = apptest.Spawn(t, encode(t, apptest.Config{"app_url": site.URL(), "token": apptest.Token, "workdir": shared, "lifeline": true}))
	}
	ports := map[int]bool{}
	for i, p := range all {
		p.AwaitReady(apptest.Token)
		ports[p.Ready.Port] = true
		p.MCP.Initialize()
		p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
		p.MCP.Must("browser_evaluate", apptest.Args{"function": fmt.Sprintf("() => localStorage.setItem('who', localStorage.getItem('who') ? 'two' : '%d')", i)})
	}
	found, err := filepath.Glob(filepath.Join(shared, "profile-*"))
	if err != nil || len(found) != len(all) || len(ports) != len(all) {
		t.Errorf("%d browsers have %d ports and the directories %v, %v", len(all), len(ports), found, err)
	}
	for i, p := range all {
		if text := p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => localStorage.getItem('who')"}); !strings.Contains(text, fmt.Sprintf(`"%d"`, i)) {
			t.Errorf("browser %d shares what it stores:\n%s", i, text)
		}
	}
	for i, p := range all {
		if i < len(all)-1 {
			p.Stop()
		}
	}
	last := all[len(all)-1]
	last.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
	last.Stop()
	apptest.LeakCheck(t, shared)
	sum(t, "%d sidecars side by side, nothing shared, nothing left", len(all))
}

// TestDocsNameTestsThatExist: a list of promises is worth what its column of tests is.
func TestDocsNameTestsThatExist(t *testing.T) {
	places := map[string]string{"main": ".", "proto": "../proto", "supervisor": "../supervisor", "deliver": "internal/record/deliver"}
	for doc, atLeast := range map[string]int{"complaints.md": 40, "reliability.md": 30} {
		text, err := os.ReadFile(filepath.Join("docs", doc))
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("`([a-z]+)\\.((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
		if len(named) < atLeast {
			t.Fatalf("%s names only %d tests: it is read wrongly", doc, len(named))
		}
		for _, n := range named {
			dir := places[n[1]]
			if dir == "" {
				dir = filepath.Join("internal", n[1])
			}
			files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range files {
				code, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(code), "\nfunc "+n[2]+"(")
			}
			if !found {
				t.Errorf("%s: there is no %s.%s", doc, n[1], n[2])
			}
		}
	}
}
