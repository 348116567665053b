package apptest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	// LeakGrace is how long what was started may take to disappear: the
	// longest that a killed Chromium tree was seen to need is under 3 s.
	LeakGrace = 5 * time.Second
	// runPrefix begins the name of a test process's own temporary directory.
	runPrefix = "pillion-test-"
)

// strayPatterns are the files that Chromium and the sidecar leave outside of
// their directories when something is wrong.
func strayPatterns() []string {
	return []string{
		"/tmp/activeagents-browser-*", "/tmp/org.chromium.*", "/tmp/.org.chromium.*",
		"/dev/shm/org.chromium.*", "/dev/shm/.org.chromium.*",
	}
}

// Main is a package's TestMain: it runs the tests in a TMPDIR of their own and
// fails the run when something outlives them. atEnd runs after the tests and
// before that look. It does not return.
func Main(m *testing.M, atEnd ...func() error) {
	os.Exit(run(func() int {
		code := m.Run()
		for _, f := range atEnd {
			if err := f(); err != nil {
				fmt.Fprintln(os.Stderr, "FAIL: end what the tests shared:", err)
				code = 1
			}
		}
		return code
	}, LeakGrace))
}

// run is Main with the tests as a function and the exit code as its result.
func run(tests func() int, grace time.Duration) int {
	before := strays()
	dir, err := os.MkdirTemp("", runPrefix)
	if err != nil {
		fmt.Fprintf(os.Stderr, "make a directory for the tests: %v\n", err)
		return 1
	}
	defer os.RemoveAll(dir)
	// A browser under another user must be able to reach its files in here.
	if err := os.Chmod(dir, 0o711); err != nil {
		fmt.Fprintf(os.Stderr, "open the tests' directory: %v\n", err)
		return 1
	}
	outer, had := os.LookupEnv("TMPDIR")
	os.Setenv("TMPDIR", dir)
	defer func() {
		if os.Unsetenv("TMPDIR"); had {
			os.Setenv("TMPDIR", outer)
		}
	}()

	code := tests()
	if code != 0 {
		return code // one failure at a time: what is left is its consequence
	}
	os.RemoveAll(filepath.Join(dir, builtDir))
	left := settle(grace, func() string { return leftovers(dir, before) })
	if left == "" {
		return 0
	}
	fmt.Fprintf(os.Stderr, "FAIL: the tests left something behind:\n%s", left)
	return 1
}

// LeakCheck fails the test when, within LeakGrace, a process still mentions
// dir, or dir still holds a file. Call it after the session is over; the
// directory itself may be there or not.
func LeakCheck(t testing.TB, dir string) {
	t.Helper()
	leakCheck(t, dir, LeakGrace)
}

func leakCheck(t testing.TB, dir string, grace time.Duration) {
	t.Helper()
	left := settle(grace, func() string {
		var b strings.Builder
		for _, p := range mentioning(dir) {
			fmt.Fprintf(&b, "process %v\n", p)
		}
		listFiles(&b, dir)
		return b.String()
	})
	if left != "" {
		t.Errorf("left of %s:\n%s", dir, left)
	}
}

// settle polls until look finds nothing, and returns what it found last.
func settle(grace time.Duration, look func() string) (left string) {
	poll(grace, func() bool {
		left = look()
		return left == ""
	})
	return left
}

// leftovers describes everything that outlived a run.
func leftovers(dir string, before map[string]bool) string {
	var b strings.Builder
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for _, g := range goroutines() {
		fmt.Fprintf(&b, "goroutine %s\n\n", g)
	}
	seen := map[int]bool{}
	for _, p := range append(children(), mentioning(dir)...) {
		if !seen[p.pid] {
			seen[p.pid] = true
			fmt.Fprintf(&b, "process %v\n", p)
		}
	}
	listFiles(&b, dir)
	for f := range strays() {
		if !before[f] && !inUse(f) {
			fmt.Fprintf(&b, "file %s\n", f)
		}
	}
	return b.String()
}

// filesShown bounds a report: a forgotten profile has hundreds of files.
const filesShown = 10

func listFiles(b *strings.Builder, dir string) {
	entries, _ := os.ReadDir(dir)
	for i, e := range entries {
		if i == filesShown {
			fmt.Fprintf(b, "and %d more\n", len(entries)-i)
			return
		}
		fmt.Fprintf(b, "file %s\n", filepath.Join(dir, e.Name()))
	}
}

// strays lists the files that strayPatterns find now.
func strays() map[string]bool {
	found := map[string]bool{}
	for _, p := range strayPatterns() {
		files, _ := filepath.Glob(p)
		for _, f := range files {
			found[f] = true
		}
	}
	return found
}

// inUse says whether a living process holds the file: then it belongs to
// somebody else's run at the same time, since ours has ended.
func inUse(path string) bool { return len(mentioning(path)) > 0 }

// goroutines returns the stacks of all goroutines that nobody would expect at
// the end of a run.
func goroutines() (unexpected []string) {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	stacks := strings.Split(string(buf), "\n\n")
	for _, s := range stacks[1:] { // the first is our own
		if !expected(s) {
			unexpected = append(unexpected, s)
		}
	}
	return unexpected
}

// expected says whether a goroutine belongs to the runtime or to package
// testing.
func expected(stack string) bool {
	for _, frame := range []string{
		"testing.(*M).", "testing.RunTests", "testing.tRunner", "testing.runFuzzing",
		"os/signal.signal_recv", "os/signal.loop", "runtime.ensureSigM", "internal/fuzz.",
		"runtime/pprof.", "runtime.ReadTrace", "runtime.goexit0",
	} {
		if strings.Contains(stack, frame) {
			return true
		}
	}
	return false
}
