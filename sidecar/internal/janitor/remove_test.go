//go:build linux

package janitor_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is put into a session's directories does not keep them: read-only ones, as
// archives are unpacked to, and trees deeper than there are descriptors.
func TestAwkwardFilesAreRemoved(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		workdir := openTemp(t)
		s, _ := open(t, workdir)
		shut, none := filepath.Join(s.Uploads, "module", "sub"), filepath.Join(s.Output, "none")
		const depth = 400
		for _, err := range []error{
			os.MkdirAll(shut, 0o700), os.WriteFile(filepath.Join(shut, "file"), []byte("x"), 0o400), os.Symlink("/etc", filepath.Join(shut, "link")),
			os.MkdirAll(none, 0o700), os.WriteFile(filepath.Join(none, "file"), nil, 0o600),
			os.MkdirAll(s.Output+"/deep"+strings.Repeat("/d", depth), 0o700), os.MkdirAll(s.Output+"/deep/beside"+strings.Repeat("/e", depth), 0o700),
			os.Chmod(shut, 0o500), os.Chmod(filepath.Dir(shut), 0o500), os.Chmod(none, 0), os.Chmod(s.Uploads, 0o500),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		few := limit
		few.Cur = depth / 2
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		err := s.Remove(t.Context())
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
		if left := names(t, workdir); err != nil || len(left) > 0 {
			t.Errorf("%v; left: %v", err, left)
		}
	})
}

// The profile is Chromium's user's, and with it the place of the owner's record: a
// pipe there keeps nobody waiting.
func TestAPipeInTheRecordsPlace(t *testing.T) {
	workdir := openTemp(t)
	s, log := open(t, workdir)
	record := filepath.Join(s.Profile, ".pillion-owner")
	if err := syscall.Mkfifo(record+".new", 0o666); err != nil {
		t.Fatal(err)
	}
	s.Watch(os.Getpid())
	if b, err := os.ReadFile(record); err != nil || !strings.Contains(string(b), `"browser":{"pid":`) {
		t.Errorf("the record is %q, %v; log %s", b, err, log)
	}
	if err := os.Remove(record); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(record, 0o666); err != nil {
		t.Fatal(err)
	}
	second, _ := open(t, workdir) // sweeps
	if err := second.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Remove(t.Context()); err != nil {
		t.Error(err)
	}
}
