package chrome

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestExitError(t *testing.T) {
	for _, tt := range []struct {
		name, how, output string
		code              proto.Code
		hint              string
		files             uint64
	}{
		{"sandbox", "signal: aborted", "x\n[1:1:ERROR] FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:128] No usable sandbox! If you want...\n#0 0x55\n", proto.CodeSandboxUnavailable, "max_user_namespaces", 0},
		{"sandbox step", "signal: trace/breakpoint trap", "[1130/1:FATAL:sandbox/linux/services/credentials.cc:137] Check failed: . : Function not implemented (38)", proto.CodeSandboxUnavailable, "seccomp", 0},
		{"processes", "signal: trace/breakpoint trap", "[1130/1:ERROR:base/threading/platform_thread_posix.cc:162] pthread_create: Resource temporarily unavailable (11)", proto.CodeBrowserExited, "pids-limit", 0},
		{"root", "exit status 1", "Running as root without --no-sandbox is not supported.", proto.CodeSandboxUnavailable, "namespaces", 0},
		{"display", "exit status 1", "ERROR:ui/ozone] Missing X server or $DISPLAY\nThe platform failed to initialize.  Exiting.", proto.CodeBrowserExited, "Xvfb", 0},
		{"memory", "signal: killed", "", proto.CodeBrowserExited, "memory", 0},
		{"other", "exit status 21", "[1:1:WARNING:a.cc(1)] x\nboo\n[1:1:ERROR:dbus/bus.cc:405] y\n", proto.CodeBrowserExited, "", 0},
		{"enough files", "exit status 21", "", proto.CodeBrowserExited, "", 1024},
		{"few files, said", "signal: trace/breakpoint trap", "x: Too many open files (24)", proto.CodeBrowserExited, "ulimit -n", 4096},
		{"few files, not said", "signal: trace/breakpoint trap", "", proto.CodeBrowserExited, "ulimit -n", 64},
		{"few files, something else said", "signal: trace/breakpoint trap", "[1130/1:FATAL:sandbox/linux/services/credentials.cc:137] Check failed", proto.CodeBrowserExited, "ulimit -n", 64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := exitError(tt.how, tt.output, tt.files)
			if err.Code != tt.code || !strings.Contains(err.Hint, tt.hint) || tt.hint == "" && err.Hint != "" {
				t.Errorf("%s: %s (%s)", err.Code, err.Message, err.Hint)
			}
			if strings.Contains(err.Message, "dbus") {
				t.Errorf("message has noise: %q", err.Message)
			}
			if strings.Contains(err.Message, "\n") {
				t.Errorf("message has lines: %q", err.Message)
			}
		})
	}
}

func TestStartError(t *testing.T) {
	own, dedicated := &User{UID: 1000}, &User{UID: 61200, Dedicated: true}
	for _, tt := range []struct {
		name string
		user *User
		err  error
		code proto.Code
	}{
		{"gone", own, &os.PathError{Op: "fork/exec", Err: syscall.ENOENT}, proto.CodeBrowserMissing},
		{"closed to the user", dedicated, &os.PathError{Op: "fork/exec", Err: syscall.EACCES}, proto.CodeBrowserMissing},
		{"may not change user", dedicated, &os.PathError{Op: "fork/exec", Err: syscall.EPERM}, proto.CodeUserUnavailable},
		{"user does not exist here", dedicated, &os.PathError{Op: "fork/exec", Err: syscall.EINVAL}, proto.CodeUserUnavailable},
		{"other machine's program", own, &os.PathError{Op: "fork/exec", Err: syscall.ENOEXEC}, proto.CodeBrowserUnsuitable},
		{"no pipes on this system", own, fmt.Errorf("fork/exec: %w", errors.ErrUnsupported), proto.CodeBrowserUnsuitable},
		{"no processes left", own, &os.PathError{Op: "fork/exec", Err: syscall.EAGAIN}, proto.CodeBrowserExited},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := startError("/x/chromium", tt.user, tt.err)
			if err.Code != tt.code || err.Hint == "" {
				t.Errorf("%s: %s (%s)", err.Code, err.Message, err.Hint)
			}
		})
	}
}

func TestTail(t *testing.T) {
	var tl tail
	for range 3 * tailBytes / 10 {
		if n, err := tl.Write([]byte("123456789\n")); n != 10 || err != nil {
			t.Fatal(n, err)
		}
	}
	tl.Write([]byte("the end\x1b[31m\xff\n\n"))
	if n := len(tl.String()); n != tailBytes {
		t.Errorf("keeps %d bytes, want %d", n, tailBytes)
	}
	if got, want := lastLines(tl.String(), 2), "123456789 | the end [31m?"; got != want {
		t.Errorf("last lines %q, want %q", got, want)
	}
	tl.Write(make([]byte, 3*tailBytes))
	if n := len(tl.String()); n != tailBytes {
		t.Errorf("keeps %d bytes, want %d", n, tailBytes)
	}
}
