package kits

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// dirEnv names the directory of the cache.
	dirEnv = "PILLION_KITS_DIR"
	// sources holds the pages, from here.
	sources = "../../../testdata/kits"
	// buildLimit is for npm and the bundler together: a minute on two busy cores,
	// the rest is for a slow network.
	buildLimit = 8 * time.Minute
	// keyLength is how much of the sources' hash names a build.
	keyLength = 16
)

// building lets one test build and the others wait for it.
var building sync.Mutex

// pages gives the directory of the built pages, building them where the cache
// does not have them.
func pages(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short: the pages' kits are many megabytes")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("needs npm, to build the pages")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node, to build the pages")
	}
	building.Lock()
	defer building.Unlock()
	cache := cacheDir(t)
	built := filepath.Join(cache, key(t))
	if _, err := os.Stat(built); err == nil {
		return built
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatalf("make the cache: %v", err)
	}
	// Beside the place where the pages will be, so that they can be moved there
	// in one step; whoever comes second finds it taken, which is as good.
	work, err := os.MkdirTemp(cache, "build-")
	if err != nil {
		t.Fatalf("make a place to build in: %v", err)
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(filepath.Join(work, "src"), os.DirFS(sources)); err != nil {
		t.Fatalf("copy the sources: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	step := func(name string, args ...string) {
		t.Helper()
		begin := time.Now()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = filepath.Join(work, "src")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
		}
		t.Logf("%s took %v", strings.Join(cmd.Args[:2], " "), time.Since(begin).Round(time.Second))
	}
	// No package may run a program of its own while it is installed.
	step(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefer-offline", "--loglevel=error")
	step(node, "build.mjs", filepath.Join(work, "pages"))
	if err := os.Rename(filepath.Join(work, "pages"), built); err != nil {
		if _, statErr := os.Stat(built); statErr != nil {
			t.Fatalf("keep the built pages: %v", err)
		}
	}
	return built
}

func cacheDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv(dirEnv); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		return abs
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir() // no home: built for this run alone
	}
	return filepath.Join(dir, "pillion-kits")
}

// key names a build by all that went into it.
func key(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	root := os.DirFS(sources)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		one := sha256.Sum256(b)
		sum.Write([]byte(name + "\n"))
		sum.Write(one[:])
		return nil
	})
	if err != nil {
		t.Fatalf("read the sources: %v", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:keyLength]
}
