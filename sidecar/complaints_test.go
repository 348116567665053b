package main_test

import (
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
// use, or saw the first one's pages.
func TestBrowsersSideBySide(t *testing.T) {
	site := apptest.Start(t)
	one := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	two := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	for i, p := range []*apptest.Process{one, two} {
		p.MCP.Initialize()
		p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
		p.MCP.Must("browser_evaluate", apptest.Args{"function": []string{"() => localStorage.setItem('who', 'one')", "() => 0"}[i]})
	}
	if text := two.MCP.Must("browser_evaluate", apptest.Args{"function": "() => String(localStorage.getItem('who'))"}); !strings.Contains(text, "null") {
		t.Errorf("two browsers share what they store:\n%s", text)
	}
	one.Stop()
	two.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
}

// TestComplaintsNameTestsThatExist: the list is worth what its last column is.
func TestComplaintsNameTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("docs/complaints.md")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"main": ".", "proto": "../proto", "supervisor": "../supervisor"}
	named := regexp.MustCompile("`([a-z]+)\\.(Test\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 40 {
		t.Fatalf("only %d tests are named: the list is read wrongly", len(named))
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
			t.Errorf("there is no %s.%s", n[1], n[2])
		}
	}
}
