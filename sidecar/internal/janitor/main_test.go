//go:build linux

package janitor_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// ordinaryUID is whom tests run as when they run a second time without root.
const ordinaryUID = 60998

// roleVar tells a re-executed test binary what to be.
const roleVar = "PILLION_TEST_ROLE"

// goneWithin is how long anything may last after a sidecar was killed.
const goneWithin = 5 * time.Second

func TestMain(m *testing.M) {
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if code, handled := janitor.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if role := os.Getenv(roleVar); role != "" && role != "ordinary" {
		standIn(role)
	}
	code := m.Run()
	if code == 0 && !eventually(goneWithin, func() bool { return len(family(os.Getpid())) == 0 }) {
		fmt.Fprintf(os.Stderr, "processes left: %+v\n", family(os.Getpid()))
		code = 1
	}
	os.Exit(code)
}

// family are the descendants of a process.
func family(pid int) []proc.Process {
	all, err := proc.List()
	if err != nil {
		return nil
	}
	if tree := proc.Tree(all, pid); len(tree) > 0 {
		return tree[1:]
	}
	return nil
}

// eventually waits for a fact.
func eventually(within time.Duration, fact func() bool) bool {
	for deadline := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		if fact() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// bothUsers runs f as it is, and when that is as root, the whole test a second
// time as an ordinary user.
func bothUsers(t *testing.T, f func(t *testing.T)) {
	if os.Geteuid() != 0 {
		f(t)
		return
	}
	t.Run("root", f)
	t.Run("ordinary", func(t *testing.T) {
		name := t.Name()[:strings.IndexByte(t.Name(), '/')]
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+name+"$", "-test.v")
		cmd.Dir = "/"
		cmd.Env = []string{roleVar + "=ordinary", "PATH=/usr/bin:/bin", "TMPDIR=" + openTemp(t)}
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: ordinaryUID, Gid: ordinaryUID, Groups: []uint32{}},
			Pdeathsig:  syscall.SIGKILL,
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: "+name)) || testing.Verbose() {
			t.Logf("%s", out)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// openTemp makes a temporary directory that everybody may use.
func openTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pillion-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// strays are the files that a Chromium leaves in shared places when it is not
// kept from it.
func strays(t *testing.T) map[string]bool {
	t.Helper()
	list := make(map[string]bool)
	for _, pattern := range []string{"/tmp/org.chromium.*", "/tmp/.org.chromium.*", "/dev/shm/.org.chromium.*", "/dev/shm/org.chromium.*"} {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			list[path] = true
		}
	}
	return list
}
