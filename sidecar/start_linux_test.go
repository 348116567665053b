package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestStartFailures has each way not to start that a host can meet: exit code 1,
// nothing on stdout, one clear line with its cure on stderr, the supervisor's
// line at the end, and nothing left.
func TestStartFailures(t *testing.T) {
	busy, err := strconv.Atoi(busyPort(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(apptest.Workdir(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		config apptest.Config
		code   proto.Code
		says   string
	}{
		{"port taken", apptest.Config{"port": busy}, proto.CodeListenFailed, "is taken by another program"},
		{"no such address", apptest.Config{"host": "203.0.113.1"}, proto.CodeListenFailed, "this machine has no address 203.0.113.1"},
		{"no workdir", apptest.Config{"workdir": "/nonexistent/work"}, proto.CodeWorkdirUnusable, "/nonexistent/work"},
		{"workdir a file", apptest.Config{"workdir": file}, proto.CodeWorkdirUnusable, file},
		{"no Chromium there", apptest.Config{"chromium_path": "/nonexistent/chromium"}, proto.CodeBrowserMissing, "chromium_path /nonexistent/chromium"},
		{"Chromium a directory", apptest.Config{"chromium_path": filepath.Dir(file)}, proto.CodeBrowserMissing, "is not an executable file"},
		{"shell in headed mode", apptest.Config{"mode": "headed", "chromium": "shell"}, proto.CodeBrowserUnsuitable, "headed mode"},
		{"another program", apptest.Config{"chromium_path": "/bin/ls"}, proto.CodeBrowserExited, "unrecognized option"},
		{"no output", apptest.Config{"chromium_path": program(t, "exit 0")}, proto.CodeBrowserExited, "exit status 0"},
		{"killed", apptest.Config{"chromium_path": program(t, "kill -9 $$")}, proto.CodeBrowserExited, "killed"},
		{"no sandbox", apptest.Config{"chromium_path": program(t, "echo '[1:1:0101/000000.1:FATAL:x.cc(1)] No usable sandbox!' >&2; kill -ABRT $$")}, proto.CodeSandboxUnavailable, "No usable sandbox"},
		{"garbage", apptest.Config{"chromium_path": program(t, `printf 'hello\0' >&4; exec sleep 600`)}, proto.CodeBrowserUnsuitable, "does not answer as Chromium does"},
		{"closed pipe", apptest.Config{"chromium_path": program(t, `exec 3<&- 4>&- sleep 600`)}, proto.CodeBrowserUnsuitable, "does not answer as Chromium does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, dir := spawn(t, c.config)
			if code := p.Wait(); code != 1 || len(p.Stdout()) != 0 {
				t.Errorf("exit code %d, stdout %q", code, p.Stdout())
			}
			log := p.Stderr()
			e := errorLine(t, log)
			if e.Code != c.code || !strings.Contains(e.Message, c.says) {
				t.Errorf("the error line is %+v; want %s that says %q", e, c.code, c.says)
			}
			if e.Hint == "" || !strings.Contains(log, "browser-sidecar: "+e.Hint+"\n") || strings.Count(log, "browser-sidecar: "+e.Message+"\n") != 1 {
				t.Errorf("the log does not hold one line for people and its cure:\n%s", log)
			}
			apptest.LeakCheck(t, dir)
		})
	}
}

// spawn starts a sidecar and does not wait for it.
func spawn(t *testing.T, change apptest.Config) (*apptest.Process, string) {
	t.Helper()
	dir := apptest.Workdir(t)
	config := apptest.Config{"app_url": deadApp, "token": apptest.Token, "workdir": dir, "lifeline": true}
	for k, v := range change {
		config[k] = v
	}
	return apptest.Spawn(t, encode(t, config)), dir
}

// TestStopDuringStart sends signals, and the end of the lifeline, at moments of
// the start that can be told: the sidecar ends in good order, has printed
// nothing, and leaves nothing.
func TestStopDuringStart(t *testing.T) {
	silent := program(t, "while :; do sleep 600; done") // never answers
	for _, c := range []struct {
		name   string
		config apptest.Config
		reason string
		at     func(t *testing.T, p *apptest.Process, dir string)
		stop   func(p *apptest.Process)
	}{
		{"directories made", nil, proto.ReasonSignal, awaitProfile, terminate},
		{"Chromium runs", nil, proto.ReasonSignal, awaitChromium, terminate},
		{"Chromium runs, SIGINT", nil, proto.ReasonSignal, awaitChromium, func(p *apptest.Process) { p.Signal(syscall.SIGINT) }},
		{"Chromium runs, lifeline ends", nil, proto.ReasonParentGone, awaitChromium, func(p *apptest.Process) { p.CloseStdin() }},
		{"Chromium runs, stop command", nil, proto.ReasonCommand, awaitChromium, func(p *apptest.Process) { p.SendLine(`{"type":"stop"}`) }},
		{"full Chromium runs", apptest.Config{"chromium": "full"}, proto.ReasonSignal, awaitChromium, terminate},
		{"Chromium is silent", apptest.Config{"chromium_path": silent}, proto.ReasonSignal, awaitChromium, terminate},
		{"Chromium is silent, second signal", apptest.Config{"chromium_path": silent}, proto.ReasonSignal, awaitChromium, func(p *apptest.Process) {
			p.Signal(syscall.SIGTERM)
			p.Signal(syscall.SIGHUP)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, dir := spawn(t, c.config)
			c.at(t, p, dir)
			begin := time.Now()
			c.stop(p)
			code := p.Wait()
			if len(p.Stdout()) > 0 { // it was faster than this test
				wantEnd(t, p, c.reason, 0, false)
			} else if !strings.Contains(p.Stderr(), "stopping during the start") || !strings.Contains(p.Stderr(), "reason="+c.reason) {
				t.Errorf("the log does not say why:\n%s", p.Stderr())
			}
			if code != 0 || strings.Contains(p.Stderr(), "pillion-error") {
				t.Errorf("exit code %d:\n%s", code, p.Stderr())
			}
			if took := time.Since(begin); took > fastPath {
				t.Errorf("the stop took %v", took)
			}
			apptest.LeakCheck(t, dir)
		})
	}
}

func terminate(p *apptest.Process) { p.Signal(syscall.SIGTERM) }

func awaitProfile(t *testing.T, _ *apptest.Process, dir string) {
	apptest.Await(t, "the profile", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "profile-*"))
		return len(found) > 0
	})
}

func awaitChromium(t *testing.T, p *apptest.Process, dir string) { chromium(t, dir) }

// TestStopBeforeConfig stops a sidecar that still waits for its config, on stdin
// and in a file that is a pipe.
func TestStopBeforeConfig(t *testing.T) {
	for name, args := range map[string][]string{"stdin": nil, "file": {"--config", "/dev/stdin"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdin, w := pipe(t, 0)
			defer w.Close()
			cmd := exec.Command(apptest.Build(t), args...)
			cmd.Stdin = stdin
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stdin.Close()
			if _, err := w.WriteString(`{"token":`); err != nil {
				t.Fatal(err)
			}
			apptest.Await(t, "the sidecar to read", func() bool {
				unread, err := unix.IoctlGetInt(int(w.Fd()), unix.TIOCINQ)
				return err == nil && unread == 0
			})
			cmd.Process.Signal(syscall.SIGTERM)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
