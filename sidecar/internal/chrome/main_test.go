//go:build linux

package chrome

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

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// ordinaryUID is whom tests run as when they run a second time without root.
// Nobody has it, and it lies outside the range of dedicated users.
const ordinaryUID = 60999

// roleVar tells a re-executed test binary what to be.
const roleVar = "PILLION_TEST_ROLE"

func TestMain(m *testing.M) {
	if code, handled := HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if role := os.Getenv(roleVar); role != "" && role != "ordinary" {
		os.Exit(playRole(role))
	}
	code := m.Run()
	if code == 0 {
		code = leaks()
	}
	os.Exit(code)
}

// leaks fails the run when a goroutine of ours or a child process is left.
func leaks() int {
	deadline := time.Now().Add(5 * time.Second)
	for {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var ours []string
		for g := range bytes.SplitSeq(stacks, []byte("\n\n")) {
			if bytes.Contains(g, []byte("sidecar/internal/chrome.(*")) {
				ours = append(ours, string(g))
			}
		}
		var children []proc.Process
		if all, err := proc.List(); err == nil {
			children = proc.Tree(all, os.Getpid())[1:]
		}
		if len(ours) == 0 && len(children) == 0 {
			return 0
		}
		if time.Now().After(deadline) {
			fmt.Fprintf(os.Stderr, "left: goroutines %s\nprocesses %+v\n", strings.Join(ours, "\n\n"), children)
			return 1
		}
		time.Sleep(20 * time.Millisecond)
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
		again(t, t.Name()[:strings.IndexByte(t.Name(), '/')], "ordinary", &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: ordinaryUID, Gid: ordinaryUID, Groups: []uint32{}},
		})
	})
}

// again runs one test in a new process of the test binary.
func again(t *testing.T, name, role string, attr *syscall.SysProcAttr) {
	t.Helper()
	// The binary's directory may be closed to others; the link is not.
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+name+"$", "-test.v")
	cmd.Dir = "/"
	tmp := openTemp(t)
	cmd.Env = []string{roleVar + "=" + role, "PATH=" + searchPath, "TMPDIR=" + tmp, "HOME=" + tmp}
	cmd.SysProcAttr = attr
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+name)) || testing.Verbose() {
		t.Logf("%s", out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("--- SKIP")) {
		t.Skip("skipped in there")
	}
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

// browser is a started Chromium of a test.
type browserUnderTest struct {
	*Process
	seat    *Seat
	user    *User
	profile string
	asked   int64
}

// launch starts flavour and ends it with the test.
func launch(t *testing.T, flavour string, change ...func(*Options)) *browserUnderTest {
	t.Helper()
	b, err := tryLaunch(t, flavour, change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.end)
	return b
}

func (b *browserUnderTest) end() {
	b.Kill()
	b.Transport().Close()
	b.seat.Close()
	b.user.Close()
}

func tryLaunch(t *testing.T, flavour string, change ...func(*Options)) (*browserUnderTest, error) {
	t.Helper()
	binary, err := Find(t.Context(), Want{Chromium: flavour})
	if err != nil {
		t.Skip(err)
	}
	user, err := PickUser()
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Binary: binary, User: user, Profile: newProfile(t, user)}
	for _, c := range change {
		c(&opts)
	}
	seat, err := Prepare(t.Context(), opts)
	if err != nil {
		user.Close()
		return nil, err
	}
	p, err := seat.Start(t.Context(), seat.Listener().Addr().String())
	if err != nil {
		user.Close()
		return nil, err
	}
	return &browserUnderTest{Process: p, seat: seat, user: user, profile: opts.Profile}, nil
}

// newProfile makes a profile directory as the janitor does.
func newProfile(t *testing.T, user *User) string {
	t.Helper()
	profile := filepath.Join(openTemp(t), "profile-abcdef")
	for _, dir := range []string{profile, filepath.Join(profile, "home"), filepath.Join(profile, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if user.Dedicated {
			if err := os.Chown(dir, user.UID, user.GID); err != nil {
				t.Fatal(err)
			}
		}
	}
	return profile
}
