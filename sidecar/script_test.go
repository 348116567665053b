package main_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// The directories of the scripts, from this package's own.
const (
	scripts    = "../testdata/script"
	configs    = "../testdata/config"
	badConfigs = configs + "/bad"
)

// TestScripts runs testdata/script: each file is one behaviour of the command
// line, as a user of a shell or another program meets it.
//
// A script has the sidecar as "sidecar" on its PATH and as $SIDECAR, the sample
// app at $APP, a port that is taken as $BUSY, testdata/config as $CONFIG and the
// scripts themselves as $SCRIPTS.
// Beside the usual commands there are:
//
//	exits CODE PROGRAM [ARG...]   run it, and insist on the exit code
//	refused FILE MESSAGE          a config is refused for this reason first
func TestScripts(t *testing.T) {
	site, busy := apptest.Start(t), busyPort(t)
	binary, config, dir := absolute(t, apptest.Build(t)), absolute(t, configs), absolute(t, scripts)
	testscript.Run(t, testscript.Params{
		Dir:                scripts,
		WorkdirRoot:        apptest.Workdir(t), // a browser of another user finds its way in it
		RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "refused": refused,
		},
		Setup: func(env *testscript.Env) error {
			bin := filepath.Join(env.WorkDir, ".bin")
			if err := os.Mkdir(bin, 0o755); err != nil {
				return err
			}
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("SIDECAR", binary)
			env.Setenv("CONFIG", config)
			env.Setenv("SCRIPTS", dir)
			env.Setenv("APP", site.URL())
			env.Setenv("BUSY", busy)
			return os.Symlink(binary, filepath.Join(bin, "sidecar"))
		},
	})
}

// exits is the command of that name: exec tells failures from success, and hosts
// tell them from each other.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	run(ts, want, args[1], args[2:]...)
}

func run(ts *testscript.TestScript, want int, program string, args ...string) {
	code := 0
	if err := ts.Exec(program, args...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", program, err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("%s exits with %d, want %d", program, code, want)
	}
}

// refused is the command of that name, for the files of testdata/config/bad.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: refused FILE MESSAGE")
	}
	// One that is taken would run for ever.
	ctx, cancel := context.WithTimeout(context.Background(), apptest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, ts.Getenv("SIDECAR"), "--config", filepath.Join(ts.Getenv("CONFIG"), "bad", args[0]))
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 {
		ts.Fatalf("%v, stdout %q", err, stdout.String())
	}
	lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
	if want := "browser-sidecar: invalid configuration: " + args[1]; lines[0] != want {
		ts.Fatalf("the first line is\n%s\nwant\n%s", lines[0], want)
	}
	e, ok := proto.ParseErrorLine(lines[len(lines)-1])
	if !ok || e.Code != proto.CodeConfigInvalid || e.Message != args[1] {
		ts.Fatalf("the last line is %s", lines[len(lines)-1])
	}
}

// TestScriptsRefuseEveryBadConfig finds a config that no script knows.
func TestScriptsRefuseEveryBadConfig(t *testing.T) {
	const script = scripts + "/config-refused.txtar"
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(badConfigs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.Contains(string(text), "\nrefused "+f.Name()+" ") {
			t.Errorf("%s has no line for %s with its first message", script, f.Name())
		}
	}
}

// busyPort is a port of 127.0.0.1 that somebody else listens on.
func busyPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
