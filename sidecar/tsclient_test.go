package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestOfficialTypeScriptSDK drives the sidecar with an MCP client that is not
// ours. It is skipped only where Node.js is missing.
func TestOfficialTypeScriptSDK(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s on this machine", program)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "tsclient"))); err != nil {
		t.Fatal(err)
	}
	// npm's cache of the user serves later runs; nothing lands in the tree.
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}

	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()})
	client := exec.Command("node", "client.mjs", p.Ready.MCPURL)
	client.Dir = dir
	client.Stdin = strings.NewReader(apptest.Token)
	out, err := client.CombinedOutput()
	if err != nil {
		t.Fatalf("the client failed: %v\n%s", err, out)
	}
	for _, want := range []string{"signed in true", "screenshot true", "evaluate true", "done"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the client did not print %q:\n%s", want, out)
		}
	}
}
