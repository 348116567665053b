//go:build linux

package chrome

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome/proc"
)

// goneWithin is how long a killed parent's Chromium may last.
const goneWithin = 5 * time.Second

// codeOf returns the code of a *proto.Error, or why there is none.
func codeOf(err error) string {
	var e *proto.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return fmt.Sprintf("no code: %v", err)
}

// fakeBrowser makes an executable that a dedicated user can reach.
func fakeBrowser(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(openTemp(t), "chromium")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStartFailures has an error of its own for each way not to start.
func TestStartFailures(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		closed := fakeBrowser(t, "exit 0")
		if err := os.Chmod(closed, 0o644); err != nil {
			t.Fatal(err)
		}
		garbage := filepath.Join(openTemp(t), "chromium")
		if err := os.WriteFile(garbage, []byte("MZ\x00\x01 not for this machine"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, path string
			code       proto.Code
			says       string
		}{
			{"missing", "/nonexistent/chromium", proto.CodeBrowserMissing, "no such file"},
			{"not executable", closed, proto.CodeBrowserMissing, "permission denied"},
			{"no program", garbage, proto.CodeBrowserUnsuitable, "exec format"},
			{"exits", fakeBrowser(t, "echo a word of farewell >&2; exit 7"), proto.CodeBrowserExited, "exit status 7; its last output: a word of farewell"},
			{"aborts for want of a sandbox", fakeBrowser(t, "echo '[1:1] No usable sandbox! Update' >&2; kill -ABRT $$"), proto.CodeSandboxUnavailable, "No usable sandbox"},
			{"is killed", fakeBrowser(t, "kill -KILL $$"), proto.CodeBrowserExited, "killed"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				b, err := tryLaunch(t, "auto", func(o *Options) { o.Binary = Binary{Path: tt.path, Flavour: Shell} })
				if err == nil {
					err = b.Explain(alive(b.Process))
					b.end()
				}
				if got := codeOf(err); got != string(tt.code) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: %v; want %s that says %q", got, err, tt.code, tt.says)
				}
			})
		}
	})
}

// TestEnvironment sees what a started program inherits.
func TestEnvironment(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		t.Setenv("SECRET_OF_THE_HOST", "s")
		t.Setenv("HTTPS_PROXY", "http://elsewhere")
		b := launch(t, "auto", func(o *Options) {
			o.Binary = Binary{Path: fakeBrowser(t, `env; echo "cwd=$(pwd)"; ls -l /proc/self/fd | sed 's/.* \([0-9]* ->\)/fd \1/'`), Flavour: Shell}
		})
		<-b.Done()
		out := b.Output()
		for _, want := range []string{"HOME=" + b.profile + "/home\n", "TMPDIR=" + shortTmp(b.profile, b.profile+"/tmp") + "\n", "cwd=" + b.profile + "\n", "fd 3 -> pipe", "fd 4 -> pipe"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in %s", want, out)
			}
		}
		// 5 is the directory that ls reads.
		for _, bad := range []string{"SECRET", "PROXY", roleVar, "DISPLAY", "fd 6 ->"} {
			if strings.Contains(out, bad) {
				t.Errorf("%q is in %s", bad, out)
			}
		}
	})
}

// TestUnguarded finds a launcher that adds a switch, or takes ours away.
func TestUnguarded(t *testing.T) {
	real, err := Find(t.Context(), Want{Chromium: Shell})
	if err != nil {
		t.Skip(err)
	}
	b := launch(t, Shell, func(o *Options) {
		o.Binary.Path = fakeBrowser(t, "exec "+real.Path+` --disable-web-security "$@"`)
	})
	b.ask(t, "", "Browser.getVersion", struct{}{})
	if err := b.CheckCommandLine(); codeOf(err) != string(proto.CodeBrowserUnguarded) || !strings.Contains(err.Error(), "--disable-web-security") {
		t.Error(err)
	}
}

// TestCrash kills the browser process under us.
func TestCrash(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		for _, flavour := range []string{Shell, Full} {
			t.Run(flavour, func(t *testing.T) {
				b := launch(t, flavour)
				b.ask(t, "", "Browser.getVersion", struct{}{})
				if err := b.ExitError(); err != nil {
					t.Errorf("it runs: %v", err)
				}
				syscall.Kill(b.PID(), syscall.SIGKILL)
				select {
				case <-b.Done():
				case <-time.After(goneWithin):
					t.Fatal("its death goes unnoticed")
				}
				if got := codeOf(b.ExitError()); got != string(proto.CodeBrowserExited) {
					t.Errorf("%s: %v", got, b.ExitError())
				}
				if left := mine(t, b); left != nil {
					t.Errorf("left: %+v", left)
				}
			})
		}
	})
}

// TestStop ends a browser that works and one that hangs.
func TestStop(t *testing.T) {
	for name, hang := range map[string]bool{"working": false, "hanging": true} {
		t.Run(name, func(t *testing.T) {
			b := launch(t, Shell)
			b.ask(t, "", "Browser.getVersion", struct{}{})
			if hang {
				syscall.Kill(-b.PID(), syscall.SIGSTOP)
			}
			if err := b.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if err := b.ExitError(); err != nil {
				t.Errorf("stopped by us: %v", err)
			}
			if left := mine(t, b); left != nil {
				t.Errorf("left: %+v", left)
			}
			b.Kill() // of what is gone: no signal, no wait
		})
	}
	t.Run("out of time", func(t *testing.T) {
		b := launch(t, Shell)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

// The roles below change what the test process may do and run the test again.

// TestWithoutUserNamespaces is a system that allows none: Chromium's sandbox
// can't work and there is no private network.
func TestWithoutUserNamespaces(t *testing.T) {
	if os.Getenv(roleVar) != "ordinary" {
		needRoot(t)
		again(t, t.Name(), "closed", &syscall.SysProcAttr{
			Cloneflags:                 syscall.CLONE_NEWUSER,
			UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 1}, {ContainerID: ordinaryUID, HostID: ordinaryUID, Size: 1}},
			GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: 100000, Size: 1}, {ContainerID: ordinaryUID, HostID: ordinaryUID, Size: 1}},
			GidMappingsEnableSetgroups: true,
			Credential:                 &syscall.Credential{Groups: []uint32{}},
		})
		return
	}
	b, err := tryLaunch(t, Shell)
	if err != nil {
		t.Fatal(err)
	}
	defer b.end()
	if private, why := b.seat.PrivateNetwork(); private || !strings.Contains(why, "user namespace") {
		t.Errorf("private network %t: %q", private, why)
	}
	err = b.Explain(alive(b.Process))
	if codeOf(err) != string(proto.CodeSandboxUnavailable) {
		t.Errorf("%v\n%s", err, b.Output())
	}
}

// TestWithoutUser is root that may not become anybody else.
func TestWithoutUser(t *testing.T) {
	if os.Getenv(roleVar) != "ordinary" {
		needRoot(t)
		again(t, t.Name(), "drop "+strconv.Itoa(unix.CAP_SETUID), &syscall.SysProcAttr{})
		return
	}
	if _, err := tryLaunch(t, Shell); codeOf(err) != string(proto.CodeUserUnavailable) {
		t.Error(err)
	}
}

// TestRootWithoutAdmin is root in an ordinary container: no right to make
// network namespaces, but user namespaces.
func TestRootWithoutAdmin(t *testing.T) {
	if os.Getenv(roleVar) != "ordinary" {
		needRoot(t)
		again(t, t.Name(), "drop "+strconv.Itoa(unix.CAP_SYS_ADMIN), &syscall.SysProcAttr{})
		return
	}
	b := launch(t, Shell)
	checkWalls(t, b)
	checkProcess(t, b)
	checkNetwork(t, b)
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to set the stage")
	}
}

// playRole is what a re-executed test binary does in place of the tests.
func playRole(role string) int {
	word, number, _ := strings.Cut(role, " ")
	switch word {
	case "closed":
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
			fmt.Println(err)
			return 1
		}
		return testsAgain(&syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUID, Gid: ordinaryUID, Groups: []uint32{}}})
	case "drop":
		runtime.LockOSThread()
		cap, _ := strconv.Atoi(number)
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(cap), 0, 0, 0); err != nil {
			fmt.Println(err)
			return 1
		}
		return testsAgain(&syscall.SysProcAttr{})
	case "parent":
		return standIn(number)
	}
	fmt.Fprintln(os.Stderr, "unknown role", role)
	return 2
}

// testsAgain runs the same tests in a child with attr.
func testsAgain(attr *syscall.SysProcAttr) int {
	runtime.LockOSThread()
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), roleVar+"=ordinary")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = attr
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Run(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// TestParentKilled kills a stand-in for the sidecar at several moments.
func TestParentKilled(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		for _, moment := range []string{"prepared", "started", "answered", "hanging", "full"} {
			t.Run(moment, func(t *testing.T) { killParent(t, moment) })
		}
	})
}

func killParent(t *testing.T, moment string) {
	cmd := exec.Command("/proc/self/exe")
	tmp := openTemp(t)
	cmd.Env = []string{roleVar + "=parent " + moment, "TMPDIR=" + tmp, "PATH=" + searchPath}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(line, "ready") {
		t.Errorf("stand-in says %q", line)
	}
	all, err := proc.List()
	if err != nil {
		t.Fatal(err)
	}
	family := proc.Tree(all, cmd.Process.Pid)[1:]
	if moment != "prepared" && len(family) == 0 {
		t.Error("there is no Chromium")
	}
	cmd.Process.Kill()
	cmd.Wait()
	start := time.Now()
	for {
		var left []proc.Process
		for _, p := range family {
			if now, err := proc.Read(p.PID); err == nil && now.Start == p.Start && !now.Zombie {
				left = append(left, p)
			}
		}
		if len(left) == 0 {
			t.Logf("%d processes gone after %s", len(family), time.Since(start).Round(time.Millisecond))
			return
		}
		if time.Since(start) > goneWithin {
			t.Fatalf("left after %s: %+v", goneWithin, left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// standIn is a sidecar that goes as far as moment, says so and waits to be
// killed.
func standIn(moment string) int {
	flavour := Shell
	if moment == "full" {
		flavour = Full
	}
	ctx := context.Background()
	binary, err := Find(ctx, Want{Chromium: flavour})
	check(err)
	user, err := PickUser()
	check(err)
	profile, _, err := trialProfile(user)
	check(err)
	seat, err := Prepare(ctx, Options{Binary: binary, User: user, Profile: profile})
	check(err)
	if moment != "prepared" {
		p, err := seat.Start(ctx, seat.Listener().Addr().String())
		check(err)
		if moment != "started" {
			check(alive(p))
		}
		if moment == "hanging" {
			check(syscall.Kill(p.PID(), syscall.SIGSTOP))
		}
	}
	fmt.Println("ready")
	select {}
}

// check ends a stand-in.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
