package main_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestConformance runs the public conformance scenarios for servers against the
// sidecar: what each of the two newest revisions requires, and what else the suite
// has for it. testdata/conformance lists the checks that are not met, with reasons;
// neither another one nor one that is met all of a sudden goes unnoticed. It is
// skipped where Node.js is missing, and with -short, which has seen it once before.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: npm fetches the suite")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s on this machine", program)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "conformance"))); err != nil {
		t.Fatal(err)
	}
	npm := func(args ...string) {
		t.Helper()
		cmd := exec.Command("npm", append(args, "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm %s: %v\n%s", args, err, out)
		}
	}
	npm("install", "--ignore-scripts")
	node := "node"
	if exec.Command(node, "--input-type=module", "--eval", "import {globSync} from 'fs'").Run() != nil {
		npm("install", "node@22") // this machine's is older than what the suite needs
		node = filepath.Join(dir, "node_modules", "node", "bin", "node")
	}

	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	front := withToken(t, p.Ready.MCPURL)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			suite := exec.Command(node, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
				"--url", front, "--requirements", revision, "--output-dir", "results-"+revision)
			suite.Dir = dir
			out, err := suite.CombinedOutput()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) { // it fails where any scenario does
				t.Fatal(err)
			}
			got := unmet(t, filepath.Join(dir, "results-"+revision))
			want := expectedUnmet(t, filepath.Join(dir, revision+".txt"))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("unmet checks (-expected +found):\n%s\n%s", d, out)
			}
		})
	}
}

// unmet are the checks that a run of the suite found not met, as "SCENARIO CHECK".
func unmet(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the suite left no results: %v", err)
	}
	// A directory of results is named by its scenario and the time.
	timeOfRun := regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)
	var all []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(b, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		scenario := timeOfRun.ReplaceAllString(strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "server-"), "")
		for _, c := range checks {
			if c.Status == "FAILURE" || c.Status == "WARNING" {
				all = append(all, scenario+" "+c.ID)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// expectedUnmet reads such a list. What follows a # says why.
func expectedUnmet(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(b)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return all
}

// withToken serves what is behind address to a client that can send no token. A
// request for another host stays one.
func withToken(t *testing.T, address string) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewUnstartedServer(nil)
	own := front.Listener.Addr().String()
	front.Config.Handler = apptest.Proxy(&httputil.ReverseProxy{
		FlushInterval: -1, // an event stream arrives event by event
		Transport:     &http.Transport{DisableKeepAlives: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
			r.Out.Header.Set("Authorization", "Bearer "+apptest.Token)
			if r.Out.Host == own {
				r.Out.Host = target.Host
			}
		},
	})
	front.Start()
	t.Cleanup(front.Close)
	return front.URL + target.Path
}
