package files_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// place is a session's directories and the store over them.
type place struct {
	*files.Store
	t                        *testing.T
	uploads, output, profile string
}

func open(t *testing.T, limits files.Limits) place {
	t.Helper()
	p := place{t: t}
	for name, dir := range map[string]*string{"uploads-1": &p.uploads, "output-1": &p.output, "profile-1": &p.profile} {
		*dir = filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(*dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	p.Store, err = files.Open(files.Options{
		Uploads: p.uploads, Output: p.output, Profile: p.profile, UID: os.Geteuid(), GID: os.Getegid(), Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func (p place) put(path, content string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) fetch(link string) string {
	p.t.Helper()
	f, err := p.Artifact(link)
	if err != nil {
		return "! " + err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p place) write(name, content string) files.Saved {
	p.t.Helper()
	saved, err := p.Write(name, []byte(content))
	if err != nil {
		p.t.Fatal(err)
	}
	return saved
}

func TestFilesThatToolsWriteCanBeFetched(t *testing.T) {
	p := open(t, files.Limits{})
	first, err := p.Keep("page.png", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Keep("page.png", []byte("two"))
	if err != nil {
		t.Fatal(err)
	}
	if first.Link != "page.png" || second.Link != "page-1.png" || p.fetch("page.png") != "one" || p.fetch("page-1.png") != "two" {
		t.Errorf("%+v %+v", first, second)
	}
	if got := p.write("shot.png", "named"); got.Link != "./shot.png" || p.fetch(got.Link) != "named" || p.fetch("shot.png") != "named" {
		t.Errorf("a named file: %+v", got)
	}
	if got := p.write("shot.png", "again"); p.fetch(got.Link) != "again" {
		t.Error("a named file is not written over")
	}
	if got := p.write("sub/dir/shot.png", "deep"); got.Link != "sub/dir/shot.png" || p.fetch(got.Link) != "deep" {
		t.Errorf("in a directory: %+v", got)
	}
	if got := p.write(filepath.Join(p.output, "absolute.txt"), "abs"); got.Link != "absolute.txt" || p.fetch("absolute.txt") != "abs" {
		t.Errorf("by a path in output: %+v", got)
	}
	if _, err := os.Stat(filepath.Join(p.uploads, "shot.png")); err != nil {
		t.Error("a named file is not in the uploads directory")
	}
}

func TestNothingElseCanBeFetched(t *testing.T) {
	p := open(t, files.Limits{})
	p.put(filepath.Join(p.uploads, "host.txt"), "the host's")
	p.put(filepath.Join(p.output, "other.txt"), "of another part")
	p.write("own.txt", "ours")
	for _, link := range []string{
		"host.txt", "other.txt", "", ".", "..", "/", "../own.txt", "/etc/passwd", filepath.Join(p.uploads, "own.txt"),
		"own.txt/", "own.txt/..", "a/../../own.txt", "own.txt\x00",
	} {
		if got := p.fetch(link); !strings.HasPrefix(got, "! ") && link != "own.txt/" {
			t.Errorf("%q gives %q", link, got)
		}
	}
	// What stands in a file's place later is not it.
	if err := os.Remove(filepath.Join(p.uploads, "own.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(p.uploads, "own.txt")); err != nil {
		t.Fatal(err)
	}
	if got := p.fetch("own.txt"); got != "! "+fs.ErrNotExist.Error() {
		t.Errorf("a link in its place gives %q", got)
	}
}

func TestNamesOutsideAreRefused(t *testing.T) {
	p := open(t, files.Limits{})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.uploads, "way")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "x"), filepath.Join(p.uploads, "out.txt")); err != nil {
		t.Fatal(err)
	}
	p.put(filepath.Join(p.uploads, "twice.txt"), "kept")
	if err := os.Link(filepath.Join(p.uploads, "twice.txt"), filepath.Join(outside, "twice.txt")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"", ".", "..", "../x", "a/../../x", "/etc/x.png", "/", "way/x", "way/sub/x", "out.txt", "twice.txt", "x\x00y", "x\ny", "x\u2028y",
		p.uploads, p.output, filepath.Join(p.output, "..", "x"),
	} {
		var denied *files.AccessError
		_, err := p.Write(name, []byte("x"))
		if !errors.As(err, &denied) || !strings.Contains(err.Error(), "File access denied") ||
			!strings.Contains(err.Error(), "Allowed roots: output-1, uploads-1") && !strings.Contains(err.Error(), "has control characters in its name") {
			t.Errorf("write %q: %v", name, err)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("write %q: more than a line: %v", name, err)
		}
		if _, err := p.Stage([]string{name}); err == nil {
			t.Errorf("stage %q: no error", name)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("outside: %v", left)
	}
}

func TestOldFilesMakeRoom(t *testing.T) {
	p := open(t, files.Limits{File: 100, Total: 250, Count: 4})
	big := bytes.Repeat([]byte("x"), 100)
	for _, name := range []string{"a", "b"} {
		if s, err := p.Keep(name, big); err != nil || s.Evicted != nil {
			t.Fatal(s, err)
		}
	}
	s, err := p.Keep("c", big)
	if err != nil || !slices.Equal(s.Evicted, []string{"a"}) {
		t.Fatalf("over the total: %+v, %v", s, err)
	}
	if _, err := os.Stat(filepath.Join(p.output, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file that made room is still there")
	}
	for _, name := range []string{"d", "e"} {
		p.write(name, "")
	}
	if s := p.write("f", ""); !slices.Equal(s.Evicted, []string{"b"}) {
		t.Errorf("over the number: %+v", s)
	}
	var large *files.TooLargeError
	if _, err := p.Keep("g", append(big, 'x')); !errors.As(err, &large) {
		t.Errorf("over one file's limit: %v", err)
	}
	if _, err := p.Write("g", append(big, 'x')); !errors.As(err, &large) || !strings.Contains(err.Error(), "101 bytes") {
		t.Errorf("over one file's limit: %v", err)
	}
	// Writing a file again is no second file.
	for range 10 {
		if s := p.write("f", "again"); len(s.Evicted) > 0 {
			t.Errorf("writing again evicts %v", s.Evicted)
		}
	}
}

func TestALogGrowsUpToALimit(t *testing.T) {
	p := open(t, files.Limits{})
	if _, err := p.Keep("x.log", []byte("1\n")); err != nil {
		t.Fatal(err)
	}
	if err := p.Append("x.log", []byte("2\n"), 4); err != nil || p.fetch("x.log") != "1\n2\n" {
		t.Errorf("%v, %q", err, p.fetch("x.log"))
	}
	var large *files.TooLargeError
	if err := p.Append("x.log", []byte("3\n"), 4); !errors.As(err, &large) {
		t.Errorf("over the limit: %v", err)
	}
	if err := p.Append("y.log", []byte("3\n"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no log: %v", err)
	}
}

func TestStagedCopiesAreForChromiumToRead(t *testing.T) {
	p := open(t, files.Limits{Upload: 100, Staged: 150})
	p.put(filepath.Join(p.uploads, "a.txt"), "from the host")
	if err := os.MkdirAll(filepath.Join(p.uploads, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.put(filepath.Join(p.uploads, "sub", "a.txt"), "deeper")
	if _, err := p.Keep("page.png", []byte("picture")); err != nil {
		t.Fatal(err)
	}
	names := []string{"a.txt", "sub/a.txt", "page.png", "artifacts/page.png", filepath.Join(p.output, "page.png"), "./a.txt"}
	paths, err := p.Stage(names)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"from the host", "deeper", "picture", "picture", "picture", "from the host"} {
		b, err := os.ReadFile(paths[i])
		if err != nil || string(b) != want || filepath.Base(paths[i]) != filepath.Base(names[i]) {
			t.Errorf("%s is %s with %q, %v", names[i], paths[i], b, err)
		}
		if info, err := os.Stat(paths[i]); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v, %v", paths[i], info.Mode(), err)
		}
	}
	// A later change of the original does not reach the page.
	p.put(filepath.Join(p.uploads, "a.txt"), "changed")
	if b, _ := os.ReadFile(paths[0]); string(b) != "from the host" {
		t.Error("the copy is not a copy")
	}
	p.put(filepath.Join(p.uploads, "big"), strings.Repeat("x", 100))
	if _, err := p.Stage([]string{"big"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(paths[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Error("old copies stay over the limit")
	}
	p.put(filepath.Join(p.uploads, "bigger"), strings.Repeat("x", 101))
	var large *files.TooLargeError
	if _, err := p.Stage([]string{"bigger"}); !errors.As(err, &large) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := p.Stage([]string{"big", "big"}); !errors.As(err, &large) {
		t.Errorf("over the limit together: %v", err)
	}
	if err := syscall.Mkfifo(filepath.Join(p.uploads, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"none.txt": "File not found", "sub": "is a directory", "pipe": "denied"} {
		var access *files.AccessError
		if _, err := p.Stage([]string{name}); !errors.As(err, &access) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDownloadsAreReceivedUnderPlainNames(t *testing.T) {
	p := open(t, files.Limits{File: 20})
	const id = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
	inbox := func(name string) string { return filepath.Join(p.Inbox(), name) }
	p.put(inbox(id), "first")
	if s, err := p.Receive(id, "../../re port.txt"); err != nil || s.Link != "re-port.txt" || s.Size != 5 || p.fetch(s.Link) != "first" {
		t.Errorf("%+v, %v", s, err)
	}
	p.put(inbox(id), "second")
	if s, err := p.Receive(id, "re port.txt"); err != nil || s.Link != "re-port-1.txt" || p.fetch("re-port.txt") != "first" {
		t.Errorf("the same name again: %+v, %v", s, err)
	}
	// Neither what the host gave nor what the agent named is written over.
	p.put(filepath.Join(p.uploads, "host.txt"), "the host's")
	p.put(inbox(id), "third")
	if s, err := p.Receive(id, "host.txt"); err != nil || s.Link != "host-1.txt" {
		t.Errorf("the name of an upload: %+v, %v", s, err)
	}
	if left, _ := os.ReadDir(p.Inbox()); len(left) != 0 {
		t.Errorf("left in the inbox: %v", left)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	p.put(secret, "secret")
	for what, make := range map[string]func() error{
		"a symbolic link": func() error { return os.Symlink(secret, inbox(id)) },
		"a hard link":     func() error { return os.Link(secret, inbox(id)) },
		"a directory":     func() error { return os.Mkdir(inbox(id), 0o700) },
		"a pipe":          func() error { return syscall.Mkfifo(inbox(id), 0o600) },
		"too much":        func() error { return os.WriteFile(inbox(id), bytes.Repeat([]byte("x"), 21), 0o600) },
		"nothing":         func() error { return nil },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		if s, err := p.Receive(id, "x.txt"); err == nil {
			t.Errorf("%s: received as %+v", what, s)
		}
		if _, err := os.Lstat(inbox(id)); err == nil {
			t.Errorf("%s stays in the inbox", what)
		}
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", "a.b", strings.Repeat("a", 65)} {
		if _, err := p.Receive(id, "x"); err == nil || !strings.Contains(err.Error(), "no id") {
			t.Errorf("id %q: %v", id, err)
		}
		p.Discard(id)
	}
}

func TestTheHandoverIsClosedToOthers(t *testing.T) {
	p := open(t, files.Limits{})
	for name, want := range map[string]fs.FileMode{"handover": 0o711, "handover/downloads": 0o700, "handover/uploads": 0o711} {
		if info, err := os.Stat(filepath.Join(p.profile, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
