package apptest

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	// SidecarEnv names a sidecar binary to test instead of one that is built,
	// for instance a release build.
	SidecarEnv = "PILLION_TEST_SIDECAR"
	// builtDir holds the built binary in the run's directory.
	builtDir = "built"
	// sidecarPackage is what is built.
	sidecarPackage = "github.com/pillion-browser/pillion/sidecar"
)

// Build returns the path of the sidecar's binary, building it at the first
// call of a run. With -race the binary has the race detector too.
//
// The file itself is the cache: it lies in the run's directory and Main
// removes it. Two tests that come at the same time build twice and the later
// one's file stays, which costs time and nothing else.
func Build(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(SidecarEnv); path != "" {
		return path
	}
	dir := filepath.Join(os.TempDir(), builtDir)
	path := filepath.Join(dir, "sidecar")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatalf("make a directory for the sidecar: %v", err)
	}
	fresh := path + "." + rand.Text()
	args := []string{"build", "-o", fresh}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, sidecarPackage)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the sidecar: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, path); err != nil {
		t.Fatalf("keep the built sidecar: %v", err)
	}
	return path
}
