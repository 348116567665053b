//go:build linux

package janitor_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// logBuffer is a log that a test can read while it is written.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// browserUID is whom Chromium would run as in these tests.
func browserUID() int {
	if os.Geteuid() == 0 {
		return 61999
	}
	return os.Geteuid()
}

func open(t *testing.T, workdir string) (*janitor.Session, *logBuffer) {
	t.Helper()
	log := &logBuffer{}
	s, err := janitor.Open(janitor.Options{
		Workdir: workdir, UID: browserUID(), GID: browserUID(), Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Remove(t.Context()) })
	return s, log
}

// survivorOf is the only child of a test that runs no Chromium.
func survivorOf(t *testing.T) int {
	t.Helper()
	children := family(os.Getpid())
	if len(children) != 1 {
		t.Fatalf("children: %+v", children)
	}
	return children[0].PID
}

var sessionNames = regexp.MustCompile(`^output-[a-zA-Z0-9]{6} profile-[a-zA-Z0-9]{6} uploads-[a-zA-Z0-9]{6}$`)

func TestOpen(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		t.Run("own directory", func(t *testing.T) {
			tmp := openTemp(t)
			t.Setenv("TMPDIR", tmp)
			s, log := open(t, "")
			if got := names(t, tmp); len(got) != 1 || !regexp.MustCompile(`^activeagents-browser-[a-zA-Z0-9]{6}$`).MatchString(got[0]) || s.Root != filepath.Join(tmp, got[0]) {
				t.Errorf("%q in the temporary directory, root %s", got, s.Root)
			}
			looksRight(t, s)
			if err := s.Remove(t.Context()); err != nil {
				t.Error(err)
			}
			if got := names(t, tmp); got != nil {
				t.Errorf("left: %q", got)
			}
			if s.Watched() || len(family(os.Getpid())) != 0 || log.String() != "" {
				t.Errorf("survivor lives: %t; log %s", s.Watched(), log)
			}
			if err := s.Remove(t.Context()); err != nil {
				t.Errorf("second Remove: %v", err)
			}
		})
		t.Run("work directory", func(t *testing.T) {
			workdir := openTemp(t)
			if err := os.Chmod(workdir, 0o700); err != nil {
				t.Fatal(err)
			}
			s, _ := open(t, workdir)
			looksRight(t, s)
			if info, _ := os.Stat(workdir); browserUID() != os.Geteuid() && info.Mode().Perm() != 0o711 {
				t.Errorf("work directory has mode %v", info.Mode())
			}
			// What a session left there for Chromium's children to hold.
			if err := os.WriteFile(filepath.Join(s.Profile, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.Remove(t.Context()); err != nil {
				t.Error(err)
			}
			if got := names(t, workdir); got != nil {
				t.Errorf("left: %q", got)
			}
		})
		t.Run("two in one work directory", func(t *testing.T) {
			workdir := openTemp(t)
			first, _ := open(t, workdir)
			second, _ := open(t, workdir)
			if err := second.Remove(t.Context()); err != nil {
				t.Error(err)
			}
			if got := strings.Join(names(t, workdir), " "); !sessionNames.MatchString(got) || !strings.Contains(got, filepath.Base(first.Profile)) {
				t.Errorf("the first session has %s", got)
			}
		})
	})
}

// looksRight checks names, modes and owners.
func looksRight(t *testing.T, s *janitor.Session) {
	t.Helper()
	if got := strings.Join(names(t, s.Root), " "); !sessionNames.MatchString(got) {
		t.Errorf("directories %s", got)
	}
	for dir, owner := range map[string]int{s.Profile: browserUID(), s.Home: browserUID(), s.Tmp: browserUID(), s.Uploads: os.Geteuid(), s.Output: os.Geteuid()} {
		info, err := os.Stat(dir)
		if err != nil {
			t.Error(err)
			continue
		}
		if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != owner || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: owner %d, mode %v", dir, uid, info.Mode())
		}
	}
	if got := names(t, s.Uploads); got != nil {
		t.Errorf("uploads hold %q", got)
	}
	if !s.Watched() {
		t.Error("there is no survivor")
	}
}

func TestOpenFailures(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		file := filepath.Join(openTemp(t), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		closed := openTemp(t)
		inside := filepath.Join(closed, "a", "workdir")
		if err := os.MkdirAll(inside, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, workdir, says string
			root                bool // for root alone
			prepare             func() error
		}{
			{name: "missing", workdir: closed + "/missing", says: "missing"},
			{name: "a file", workdir: file, says: "file"},
			{name: "not ours to enter", workdir: inside, says: "can't get into " + closed, root: true, prepare: func() error { return os.Chmod(closed, 0o700) }},
			{name: "not ours to open", workdir: inside, says: "can't get into " + inside, root: true, prepare: func() error {
				return errors.Join(os.Chmod(closed, 0o755), os.Chmod(inside, 0o700), os.Chown(inside, 1234, 1234))
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				if tt.root && os.Geteuid() != 0 {
					t.Skip("an ordinary user's Chromium goes where the sidecar goes")
				}
				if tt.prepare != nil {
					if err := tt.prepare(); err != nil {
						t.Fatal(err)
					}
				}
				_, err := janitor.Open(janitor.Options{Workdir: tt.workdir, UID: browserUID(), GID: browserUID()})
				var e *proto.Error
				if !errors.As(err, &e) || e.Code != proto.CodeWorkdirUnusable || e.Hint == "" || !strings.Contains(e.Message, tt.says) {
					t.Errorf("%v; want workdir_unusable that says %q", err, tt.says)
				}
			})
		}
		if os.Geteuid() != 0 {
			readOnly := openTemp(t)
			if err := os.Chmod(readOnly, 0o500); err != nil {
				t.Fatal(err)
			}
			if _, err := janitor.Open(janitor.Options{Workdir: readOnly, UID: browserUID(), GID: browserUID()}); err == nil {
				t.Error("opens a session in a directory that can't be written to")
			}
		}
		if left := family(os.Getpid()); !eventually(goneWithin, func() bool { return len(family(os.Getpid())) == 0 }) {
			t.Errorf("survivors of failed starts: %+v", left)
		}
	})
}

// TestSurvivor looks at the process that waits.
func TestSurvivor(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		t.Setenv("SECRET_OF_THE_HOST", "s")
		s, log := open(t, openTemp(t))
		pid := survivorOf(t)
		// Its name is the first thing that it does; then it sleeps in its read.
		var name []byte
		if !eventually(goneWithin, func() bool {
			name, _ = os.ReadFile(procFile(pid, "comm"))
			return string(name) == "sidecar-janitor\n" && quiet(pid)
		}) {
			t.Fatalf("the survivor does not come up; it is called %q", name)
		}
		if diff := cmp.Diff([]string{"sidecar", "__janitor"}, proc.Args(pid)); diff != "" {
			t.Error(diff)
		}
		if env, err := os.ReadFile(procFile(pid, "environ")); err != nil || len(env) != 0 {
			t.Errorf("environment %q, %v", env, err)
		}
		for _, fd := range names(t, procFile(pid, "fd")) {
			what, _ := os.Readlink(procFile(pid, "fd", fd))
			// The Go runtime watches its processor quota.
			want := what == "/dev/null" || strings.HasPrefix(what, "anon_inode:") || strings.HasPrefix(what, "/sys/fs/cgroup/")
			if fd == "0" {
				want = strings.HasPrefix(what, "pipe:")
			}
			if !want {
				t.Errorf("descriptor %s is %s", fd, what)
			}
		}
		row, err := proc.Read(pid)
		if err != nil || row.Session != pid || row.Group != pid {
			t.Errorf("%+v, %v", row, err)
		}
		status, _ := proc.Status(pid)
		t.Logf("survivor: VmRSS %s, RssAnon %s", status["VmRSS"], status["RssAnon"])
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
			syscall.Kill(pid, signal)
		}
		if again, err := proc.Read(pid); err != nil || again.Zombie || !s.Watched() {
			t.Error("signals end the survivor")
		}

		// Its death is noticed, and the session goes on.
		syscall.Kill(pid, syscall.SIGKILL)
		if !eventually(goneWithin, func() bool { return strings.Contains(log.String(), "the survivor ended") }) {
			t.Errorf("log: %s", log)
		}
		if s.Watched() {
			t.Error("a dead survivor watches")
		}
		s.Watch(pid)
		if err := s.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// quiet reports whether a process sleeps.
func quiet(pid int) bool {
	stat, err := os.ReadFile(procFile(pid, "stat"))
	return err == nil && bytes.Contains(stat, []byte(") S "))
}

func procFile(pid int, name ...string) string {
	return filepath.Join(append([]string{"/proc", itoa(pid)}, name...)...)
}
