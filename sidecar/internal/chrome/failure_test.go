//go:build linux

package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
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
