//go:build unix

package supervisor

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// processNamed tells what the process of this pid runs, "" if there is none.
func processNamed(pid string) string {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return ""
	}
	stat, _ := os.ReadFile("/proc/" + pid + "/stat")
	if strings.Contains(string(stat), ") Z ") { // dead, and its new parent's to reap
		return ""
	}
	return "pid " + pid + " " + string(stat)
}

func TestTheChildLeadsItsGroup(t *testing.T) {
	t.Parallel()
	_, p := start(t, "good")
	pid := p.pid()
	group, err := syscall.Getpgid(pid)
	if err != nil || group != pid {
		t.Errorf("the group of %d is %d, %v", pid, group, err)
	}
}

// Neither the arguments nor the environment hold a secret, and of the host's
// own environment only what is listed passes.
func TestTheChildsSurroundings(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	t.Setenv("HTTP_PROXY", "http://user:hush@proxy")
	t.Setenv("LC_TIME", "en_GB.UTF-8")
	s, p := fake(t, "good")
	s.Runner = &ExecRunner{Command: s.Command, Args: s.Args, Env: []string{"EXTRA=1"}}
	b, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	args, env := p.wait("args"), p.wait("env")
	if args != "serve" {
		t.Errorf("arguments %q", args)
	}
	for _, secret := range []string{"hush", testToken, testRecording} {
		if strings.Contains(env, secret) {
			t.Errorf("%q is in the environment", secret)
		}
	}
	for _, entry := range []string{"PATH=" + os.Getenv("PATH"), "LC_TIME=en_GB.UTF-8", "EXTRA=1"} {
		if !strings.Contains(env, entry) {
			t.Errorf("%q is missing", entry)
		}
	}
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentOnWindows(t *testing.T) {
	t.Parallel()
	got := filterEnv([]string{"Path=C:\\", "SystemRoot=C:\\W", "SECRET=1", "=C:=C:\\", "odd"}, "windows")
	if strings.Join(got, "|") != `Path=C:\|SystemRoot=C:\W` {
		t.Errorf("got %q", got)
	}
}

// A host that dies in whatever way takes its sidecars along: they see the end
// of the lifeline.
func TestTheHostDies(t *testing.T) {
	t.Parallel()
	child := newProbe(t)
	host := newProbe(t)
	runner := &ExecRunner{Command: os.Args[0], Args: []string{fakeFlag + "host", host.arg()}}
	process, err := runner.Start(t.Context(), []string{"good", child.arg()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer endProcess(process)
	if got := host.wait("started"); got != "<nil>" {
		t.Fatal(got)
	}
	if err := syscall.Kill(host.pidOf(process), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	child.wait("lifeline")
	child.waitGone()
}

func (p *probe) pidOf(process Process) int {
	pid, err := strconv.Atoi(process.ID())
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

func endProcess(process Process) {
	process.Kill()
	process.Wait()
	process.Stdin().Close()
	process.Stdout().Close()
	process.Stderr().Close()
}
