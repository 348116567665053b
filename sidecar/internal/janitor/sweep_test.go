//go:build linux

package janitor

import (
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// scene is a directory to be swept and what the test put beside it.
type scene struct {
	t       *testing.T
	base    string
	outside string // a directory with a file that nobody may touch
}

func newScene(t *testing.T) *scene {
	s := &scene{t: t, base: t.TempDir(), outside: t.TempDir()}
	s.write(filepath.Join(s.outside, "precious"), "x")
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) write(path, text string) {
	s.t.Helper()
	s.must(os.MkdirAll(filepath.Dir(path), 0o700))
	s.must(os.WriteFile(path, []byte(text), 0o600))
}

// deadRecord is a record of a process that is no more: ours, but younger.
func deadRecord() record {
	self, _ := proc.Read(os.Getpid())
	return record{PID: os.Getpid(), Start: self.Start + 1, Boot: bootID(), Uploads: "uploads-abcdef", Output: "output-abcdef"}
}

// session makes the three directories in dir, with a record.
func (s *scene) session(dir string, r record) (profile string) {
	s.t.Helper()
	profile = filepath.Join(dir, "profile-abcdef")
	text, err := json.Marshal(r)
	s.must(err)
	s.write(filepath.Join(profile, recordName), string(text))
	s.write(filepath.Join(profile, "Default", "Cookies"), "x")
	s.write(filepath.Join(dir, "uploads-abcdef", "u"), "x")
	s.write(filepath.Join(dir, "output-abcdef", "o"), "x")
	return profile
}

const rootName = "activeagents-browser-abcdef"

func TestSweepRoots(t *testing.T) {
	for _, tt := range []struct {
		name  string
		make  func(s *scene) (path string)
		stays bool
	}{
		{"dead", func(s *scene) string {
			s.session(filepath.Join(s.base, rootName), deadRecord())
			return rootName
		}, false},
		{"dead since before the boot", func(s *scene) string {
			r := deadRecord()
			r.Boot = "another"
			s.session(filepath.Join(s.base, rootName), r)
			return rootName
		}, false},
		{"dead, with a link to elsewhere inside", func(s *scene) string {
			profile := s.session(filepath.Join(s.base, rootName), deadRecord())
			s.must(os.Symlink(s.outside, filepath.Join(profile, "link")))
			return rootName
		}, false},
		{"dead, half removed", func(s *scene) string {
			s.write(filepath.Join(s.base, rootName+deadSuffix, "rest"), "x")
			return rootName + deadSuffix
		}, false},
		{"lock is held", func(s *scene) string {
			lock, err := lockDir(s.session(filepath.Join(s.base, rootName), deadRecord()))
			s.must(err)
			s.t.Cleanup(func() { lock.Close() })
			return rootName
		}, true},
		{"owner lives", func(s *scene) string {
			r := deadRecord()
			r.Start--
			s.session(filepath.Join(s.base, rootName), r)
			return rootName
		}, true},
		{"no record", func(s *scene) string {
			profile := s.session(filepath.Join(s.base, rootName), deadRecord())
			s.must(os.Remove(filepath.Join(profile, recordName)))
			return rootName
		}, true},
		{"record is garbage", func(s *scene) string {
			profile := s.session(filepath.Join(s.base, rootName), deadRecord())
			s.write(filepath.Join(profile, recordName), "{")
			return rootName
		}, true},
		{"record is a link", func(s *scene) string {
			profile := s.session(filepath.Join(s.base, rootName), deadRecord())
			s.must(os.Rename(filepath.Join(profile, recordName), filepath.Join(profile, "r")))
			s.must(os.Symlink("r", filepath.Join(profile, recordName)))
			return rootName
		}, true},
		{"just made", func(s *scene) string {
			s.must(os.Mkdir(filepath.Join(s.base, rootName), 0o700))
			return rootName
		}, true},
		{"a link to a dead session", func(s *scene) string {
			s.session(filepath.Join(s.base, "elsewhere"), deadRecord())
			s.must(os.Symlink("elsewhere", filepath.Join(s.base, rootName)))
			return rootName + "/profile-abcdef"
		}, true},
		{"a link to a dead profile", func(s *scene) string {
			profile := s.session(filepath.Join(s.base, "elsewhere"), deadRecord())
			s.must(os.Mkdir(filepath.Join(s.base, rootName), 0o700))
			s.must(os.Symlink(profile, filepath.Join(s.base, rootName, "profile-abcdef")))
			return "elsewhere/profile-abcdef"
		}, true},
		{"a file", func(s *scene) string {
			s.write(filepath.Join(s.base, rootName), "x")
			return rootName
		}, true},
		{"another name", func(s *scene) string {
			s.session(filepath.Join(s.base, rootName+"g"), deadRecord())
			return rootName + "g"
		}, true},
		{"a link that ends so", func(s *scene) string {
			s.must(os.Symlink(s.outside, filepath.Join(s.base, rootName+deadSuffix)))
			return rootName + deadSuffix
		}, true},
		{"another user's", func(s *scene) string {
			if os.Geteuid() != 0 {
				s.t.Skip("needs root to make one")
			}
			s.session(filepath.Join(s.base, rootName), deadRecord())
			s.must(os.Chown(filepath.Join(s.base, rootName), 1234, 1234))
			return rootName
		}, true},
		{"of a session in a work directory", func(s *scene) string {
			s.session(s.base, deadRecord())
			return "profile-abcdef"
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			path := filepath.Join(s.base, tt.make(s))
			sweep(t.Context(), s.base, true, slog.New(slog.DiscardHandler))
			if _, err := os.Lstat(path); (err == nil) != tt.stays {
				t.Errorf("stays: %t, want %t (%v)", err == nil, tt.stays, err)
			}
			if _, err := os.Stat(filepath.Join(s.outside, "precious")); err != nil {
				t.Errorf("the sweep left its place: %v", err)
			}
		})
	}
}

func TestSweepWorkdir(t *testing.T) {
	s := newScene(t)
	s.session(s.base, deadRecord())
	s.write(filepath.Join(s.base, "host's own"), "x")
	// A forged record names a link.
	s.must(os.Rename(filepath.Join(s.base, "output-abcdef"), filepath.Join(s.base, "kept")))
	s.must(os.Symlink(s.outside, filepath.Join(s.base, "output-abcdef")))
	sweep(t.Context(), s.base, false, slog.New(slog.DiscardHandler))
	for name, stays := range map[string]bool{
		"profile-abcdef": false, "profile-abcdef.dead": false, "uploads-abcdef": false,
		"host's own": true, "kept": true, "output-abcdef": true,
	} {
		if _, err := os.Lstat(filepath.Join(s.base, name)); (err == nil) != stays {
			t.Errorf("%s stays: %t, want %t", name, err == nil, stays)
		}
	}
	if _, err := os.Stat(filepath.Join(s.outside, "precious")); err != nil {
		t.Errorf("the sweep left its place: %v", err)
	}
}

// TestSweepKills ends a Chromium that outlived both its sidecar and its
// survivor: found by its profile, or by its session.
func TestSweepKills(t *testing.T) {
	for _, by := range []string{"profile", "session"} {
		t.Run(by, func(t *testing.T) {
			s := newScene(t)
			r := deadRecord()
			child := exec.Command("/bin/sh", "-c", "read line")
			child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if by == "profile" {
				child.Args = append(child.Args, "--user-data-dir="+filepath.Join(s.base, rootName, "profile-abcdef"))
			}
			stdin, err := child.StdinPipe()
			s.must(err)
			defer stdin.Close()
			s.must(child.Start())
			over := make(chan error, 1)
			go func() { over <- child.Wait() }()
			if by == "session" {
				row, err := proc.Read(child.Process.Pid)
				s.must(err)
				r.Browser = browserRow{PID: row.PID, Start: row.Start}
			}
			s.session(filepath.Join(s.base, rootName), r)
			sweep(t.Context(), s.base, true, slog.New(slog.DiscardHandler))
			if err := <-over; err == nil || err.Error() != "signal: killed" {
				t.Errorf("it ended with %v", err)
			}
			if _, err := os.Lstat(filepath.Join(s.base, rootName)); err == nil {
				t.Error("its session stays")
			}
		})
	}
}

func TestMayEnter(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		mode     os.FileMode
		uid, gid int // relative to the owner: 0 the same, 1 another
		want     bool
	}{
		{0o700, 0, 0, true}, {0o600, 0, 0, false}, {0o077, 0, 0, false},
		{0o010, 1, 0, true}, {0o701, 1, 0, false}, {0o070, 1, 1, false},
		{0o001, 1, 1, true}, {0o711, 1, 1, true}, {0o700, 1, 1, false}, {0o776, 1, 1, false},
	} {
		if err := os.Chmod(dir, tt.mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayEnter(info, ownerOf(info)+tt.uid, groupOf(info)+tt.gid); got != tt.want {
			t.Errorf("mode %o, other user %d, other group %d: %t", tt.mode, tt.uid, tt.gid, got)
		}
	}
	os.Chmod(dir, 0o700)
}
