package supervisor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Each way that a start fails has a code of its own, says what happened and
// what to do, and leaves nothing: the probe's cleanup and TestMain look.
func TestStartFailures(t *testing.T) {
	tests := []struct {
		mode    string
		code    proto.Code
		message string // fragments, in order, of the whole error text
		hint    []string
	}{
		{"exits", proto.CodeExitedBeforeReady, "ended before it was ready (exit status 3)",
			[]string{"sidecar doctor", "first line", "fatal: out of luck", "command: "}},
		{"exits-mute", proto.CodeExitedBeforeReady, "(exit status 7)", []string{"It logged nothing"}},
		{"garbage", proto.CodeReadyMalformed, `"Welcome to the wrapper 1.0"`, []string{"wrapper"}},
		{"leaks-garbage", proto.CodeReadyMalformed, `"got [REDACTED]"`, []string{"wrapper"}},
		{"long-line", proto.CodeReadyMalformed, "begin with its ready line", []string{"wrapper"}},
		{"closes-output", proto.CodeExitedBeforeReady, "closed its standard output", []string{"doctor"}},
		{"old", proto.CodeVersionMismatch, `"0.0.1", this program expects "` + proto.Version, []string{"go install", "ExpectVersion"}},
		{"no-chromium", proto.CodeBrowserMissing, "could not start: it is not there", []string{"apt-get install chromium"}},
		{"no-sandbox", proto.CodeSandboxUnavailable, "could not start: it is not there", []string{"sysctl kernel."}},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			s, p := fake(t, test.mode)
			b, err := s.Start(t.Context(), testLaunch())
			if b != nil {
				t.Fatal("a browser came with the error")
			}
			e := wantCode(t, err, test.code)
			if !strings.Contains(e.Message, test.message) {
				t.Errorf("message %q lacks %q", e.Message, test.message)
			}
			for _, part := range test.hint {
				if !strings.Contains(e.Hint, part) {
					t.Errorf("hint %q lacks %q", e.Hint, part)
				}
			}
			p.waitGone()
		})
	}
}

func TestStartMasksSecretsInTheSidecarsLastLines(t *testing.T) {
	t.Parallel()
	s, _ := fake(t, "exits")
	_, err := s.Start(t.Context(), testLaunch())
	text := err.Error()
	for _, secret := range []string{testToken, testRecording, "dGVzdHRlc3"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %s", secret, text)
		}
	}
	if !strings.Contains(text, "token [REDACTED], recording [REDACTED]") || strings.Contains(text, "\x1b") {
		t.Errorf("got %q", text)
	}
}

func TestStartTimesOut(t *testing.T) {
	t.Parallel()
	s, _ := fake(t, "never-ready")
	s.StartTimeout = 500 * time.Millisecond
	_, err := s.Start(t.Context(), testLaunch())
	e := wantCode(t, err, proto.CodeReadyTimeout)
	if !strings.Contains(e.Message, "500ms") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestStartCancelled(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "never-ready")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.wait("config"); cancel() }()
	_, err := s.Start(ctx, testLaunch())
	wantCode(t, err, proto.CodeCancelled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v is not context.Canceled", err)
	}
	p.waitGone()

	_, err = (&Supervisor{Command: os.Args[0]}).Start(ctx, testLaunch()) // cancelled before it began
	wantCode(t, err, proto.CodeCancelled)
}

func TestStartOutlivesItsContext(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "good")
	ctx, cancel := context.WithCancel(t.Context())
	b, err := s.Start(ctx, testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := b.Extend(t.Context(), time.Now()); err != nil { // it still obeys
		t.Error(err)
	}
	p.wait("command")
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
}

func TestStartWithoutABinary(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // whatever this machine has installed
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	other := filepath.Join(dir, "other-system")
	os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644)
	os.WriteFile(other, []byte("\x7fELFnot really"), 0o755)
	tests := []struct {
		name, command string
		code          proto.Code
		want          []string
	}{
		{"no such file", filepath.Join(dir, "absent"), proto.CodeBinaryMissing, []string{"absent", "go install"}},
		{"not on PATH", "pillion-no-such-program", proto.CodeBinaryMissing, []string{"pillion-no-such-program", "go install"}},
		{"found nowhere", "", proto.CodeBinaryMissing, []string{filepath.Dir(os.Args[0]), "on PATH", "go install"}},
		{"may not be executed", plain, proto.CodeBinaryUnusable, []string{plain, "permission denied", "chmod +x"}},
		{"a directory", dir, proto.CodeBinaryUnusable, []string{dir}},
		{"for another system", other, proto.CodeBinaryUnusable, []string{other, "exec format error", runtime.GOARCH}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := (&Supervisor{Command: test.command}).Start(t.Context(), testLaunch())
			wantCode(t, err, test.code)
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

func TestStartInAMissingDirectory(t *testing.T) {
	t.Parallel()
	r := &ExecRunner{Command: os.Args[0], Dir: filepath.Join(t.TempDir(), "absent")}
	_, err := (&Supervisor{Runner: r}).Start(t.Context(), testLaunch())
	e := wantCode(t, err, proto.CodeSpawnFailed)
	if !strings.Contains(e.Message, "absent") {
		t.Errorf("got %q", e.Message)
	}
}

func TestStartRefusesALaunchThatCannotBe(t *testing.T) {
	t.Parallel()
	r := refusingRunner{}
	_, err := (&Supervisor{Runner: r}).Start(t.Context(), testLaunch())
	wantCode(t, err, proto.CodeConfigInvalid)
}

// refusingRunner can't reach any address from its children.
type refusingRunner struct{ ExecRunner }

func (refusingRunner) Start(context.Context, []string, []byte) (Process, error) { panic("not reached") }
func (refusingRunner) ChildAddr(string) (string, error)                         { return "", errors.New("no route") }
func (refusingRunner) Diagnose(context.Context) string                          { return "" }

func TestTokens(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^aabrw_[1-9A-HJ-NP-Za-km-z]{40}$`)
	seen := map[string]bool{}
	for range 100 {
		token := newToken().Reveal()
		if !form.MatchString(token) || seen[token] {
			t.Fatalf("token %q", token)
		}
		seen[token] = true
	}
}

func TestStartMakesATokenAndALifeline(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "good")
	launch := testLaunch()
	launch.Token, launch.Lifeline = proto.Secret{}, false
	b, err := s.Start(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	config := p.wait("config")
	if !strings.Contains(config, b.MCPToken().Reveal()) || !strings.HasPrefix(b.MCPToken().Reveal(), tokenPrefix) ||
		!strings.Contains(config, `"lifeline":true`) {
		t.Errorf("config %s", config)
	}
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
}
