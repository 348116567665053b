package apptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shortGrace keeps the tests of failing runs quick.
const shortGrace = 100 * time.Millisecond

// quiet runs a run with its complaint taken away from the test's output.
func quiet(t *testing.T, grace time.Duration, tests func()) (code int, complaint string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	code = run(func() int { tests(); return 0 }, grace)
	os.Stderr = stderr
	w.Close()
	b := make([]byte, 64<<10)
	n, _ := r.Read(b)
	r.Close()
	return code, string(b[:n])
}

func TestRunFailsOnWhatIsLeft(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes are seen through /proc alone")
	}
	hold := make(chan struct{})
	held := make(chan struct{})
	var child *exec.Cmd
	for _, c := range []struct {
		name, want string
		tests      func()
		after      func()
	}{
		{"nothing", "", func() {}, func() {}},
		{"what goes in time", "", func() { go func() { time.Sleep(shortGrace / 4) }() }, func() {}},
		{"a goroutine", "TestRunFailsOnWhatIsLeft", func() { go func() { <-hold; close(held) }() }, func() { close(hold); <-held }},
		{"a file", "left.txt", func() { os.WriteFile(filepath.Join(os.TempDir(), "left.txt"), nil, 0o600) }, func() {}},
		{"a child", "sleep 60", func() {
			child = exec.Command("sleep", "60")
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
		}, func() { child.Process.Kill(); child.Wait() }},
		{"a zombie", "state Z", func() {
			child = exec.Command("true")
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
		}, func() { child.Wait() }},
	} {
		grace := LeakGrace // not waited for when nothing is left
		if c.want != "" {
			grace = shortGrace
		}
		code, complaint := quiet(t, grace, c.tests)
		c.after()
		if (code != 0) != (c.want != "") || !strings.Contains(complaint, c.want) {
			t.Errorf("%s: code %d, complaint %q", c.name, code, complaint)
		}
	}
}

func TestRunGivesTestsADirectoryOfTheirOwn(t *testing.T) {
	outer := os.TempDir()
	var inner string
	code, complaint := quiet(t, LeakGrace, func() {
		inner = os.TempDir()
		if info, err := os.Stat(inner); err != nil || info.Mode().Perm() != 0o711 {
			t.Errorf("%s: %v, %v", inner, info, err)
		}
	})
	if _, err := os.Stat(inner); code != 0 || inner == outer || !os.IsNotExist(err) || os.TempDir() != outer {
		t.Errorf("code %d (%s), inner %q, outer %q then %q, %v", code, complaint, inner, outer, os.TempDir(), err)
	}
}

func TestLeakCheckSeesProcessesAndFiles(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes are seen through /proc alone")
	}
	dir := t.TempDir()
	LeakCheck(t, dir)
	LeakCheck(t, filepath.Join(dir, "never-made"))

	for name, start := range map[string]func(*exec.Cmd){
		"environment": func(c *exec.Cmd) { c.Env = []string{"SESSION=" + dir + "/x"} },
		"arguments":   func(c *exec.Cmd) { c.Args = append(c.Args, "0", dir) },
		"directory":   func(c *exec.Cmd) { c.Dir = dir },
	} {
		cmd := exec.Command("/bin/sh", "-c", "read x")
		start(cmd)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		found := func() bool { return len(mentioning(dir)) == 1 }
		Await(t, "the process to be seen by its "+name, found)
		if len(mentioning(dir+"other")) != 0 || len(mentioning(strings.TrimSuffix(dir, dir[len(dir)-1:]))) != 0 {
			t.Errorf("%s: a neighbour's name matches too", name)
		}
		stdin.Close()
		cmd.Wait()
	}
	os.WriteFile(filepath.Join(dir, "left.txt"), nil, 0o600)
	if got := attempt(t, func(t testing.TB) { leakCheck(t, dir, shortGrace) }); len(got) != 1 || !strings.Contains(got[0], "left.txt") {
		t.Errorf("complaints: %q", got)
	}
}
