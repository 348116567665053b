//go:build linux

package attack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// secret is the content of every file that no page may be given.
const secret = "pillion-secret-outside"

// uploads is the scene's uploads directory, where relative names lie.
func (e *scene) uploads(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(e.p.Workdir, "uploads-*"))
	if len(found) != 1 {
		t.Fatalf("uploads directories: %v", found)
	}
	return found[0]
}

// plant puts into the uploads directory what the rows name.
func (e *scene) plant(t *testing.T) (dir string) {
	t.Helper()
	dir = e.uploads(t)
	outside := filepath.Join(t.TempDir(), "secret.txt")
	steps := []error{
		os.WriteFile(outside, []byte(secret), 0o644),
		os.WriteFile(filepath.Join(dir, "report.txt"), []byte("an ordinary file"), 0o600),
		os.MkdirAll(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(dir, "sub", "inner.txt"), []byte("a file below"), 0o600),
		os.WriteFile(filepath.Join(e.p.Workdir, "x"), []byte(secret), 0o644),
		os.WriteFile(filepath.Join(e.p.Workdir, "secret"), []byte(secret), 0o644),
		os.Symlink("/etc/passwd", filepath.Join(dir, "link")),
		os.Symlink("report.txt", filepath.Join(dir, "inside-link")),
		os.Symlink(filepath.Dir(outside), filepath.Join(dir, "dirlink")),
		os.Symlink("/proc/self/environ", filepath.Join(dir, "proclink")),
		syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644),
		device(filepath.Join(dir, "device")),
		os.Link(outside, filepath.Join(dir, "hard")),
		os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600),
		os.Truncate(filepath.Join(dir, "huge"), 2<<30),
	}
	for _, err := range steps {
		if err != nil && !os.IsExist(err) {
			t.Fatalf("plant files: %v", err)
		}
	}
	t.Cleanup(func() {
		entries, _ := os.ReadDir(dir)
		for _, f := range entries {
			os.RemoveAll(filepath.Join(dir, f.Name()))
		}
		os.Remove(filepath.Join(e.p.Workdir, "x"))
		os.Remove(filepath.Join(e.p.Workdir, "secret"))
	})
	return dir
}

// device makes one like /dev/zero. In a container even root may not, and then the
// rows that name it see that there is none.
func device(path string) error {
	if err := syscall.Mknod(path, syscall.S_IFCHR|0o644, 1<<8|5); !errors.Is(err, syscall.EPERM) {
		return err
	}
	return nil
}

// uploadRow runs a row of what an agent gives to a page: through the file chooser
// and by dropping. One of more.json is the name itself, DIR and WORK standing for
// the uploads directory and what is around it.
func uploadRow(t *testing.T, e *scene, r row) {
	if e.world == nil && os.Geteuid() != 0 {
		t.Skip("not run here: planting devices needs root")
	}
	if r.ID == "S069" || r.How == "artifact" {
		e.artifactNames(t, r)
		return
	}
	dir := e.plant(t)
	name, known := map[string]string{
		"S060": "report.txt", "S063": "link", "S065": "fifo", "S066": "huge", "S068": "hard",
	}[r.ID]
	if !known {
		name = strings.NewReplacer("DIR", dir, "WORK", e.p.Workdir, `\\`, `\`).Replace(r.Input)
	}
	c := e.open(t, "/uploads?row="+r.ID)
	c.Must("browser_click", apptest.Args{"target": "#several"})
	got := c.Call("browser_file_upload", apptest.Args{"paths": []string{name}})
	if r.Expect != "refuse" && !got.IsError {
		r.Expect = "allow"
	}
	if got.IsError == r.allowed() {
		t.Errorf("the chooser: error %v: %s", got.IsError, got.Text)
	}
	if !r.allowed() {
		c.Must("browser_file_upload", apptest.Args{"paths": []string{}}) // cancels
	}
	dropped := c.Call("browser_drop", apptest.Args{"target": "#drop", "paths": []string{name}})
	if dropped.IsError == r.allowed() {
		t.Errorf("the drop: error %v: %s", dropped.IsError, dropped.Text)
	}
	chosen := evaluate(t, c, `async () => Promise.all([...document.querySelectorAll('input[type=file]')].flatMap((i) => [...i.files]).map((f) => f.text()))`)
	if has := chosen != "[]"; has != r.allowed() {
		t.Errorf("the page was given %.200s", chosen)
	}
	for _, text := range []string{chosen, got.Text, dropped.Text} {
		if strings.Contains(text, secret) || strings.Contains(text, "root:") {
			t.Errorf("a secret came out: %.200s", text)
		}
	}
	if !r.allowed() && !strings.Contains(got.Text, "File access denied") && !strings.Contains(got.Text, "not found") &&
		!strings.Contains(got.Text, "limit") && !strings.Contains(got.Text, "directory") && !strings.Contains(got.Text, "Invalid arguments") {
		t.Errorf("the refusal does not say why: %s", got.Text)
	}
}

// artifactNames: a name that the agent chooses for a file leads nowhere but into
// the session's own directories, and to one line.
func (e *scene) artifactNames(t *testing.T, r row) {
	t.Helper()
	names := []string{"../../.bashrc", "con.txt\n"}
	if r.How == "artifact" {
		names = []string{strings.NewReplacer("DIR", e.uploads(t), "WORK", e.p.Workdir).Replace(r.Input)}
	}
	e.plant(t)
	c := e.open(t, "/lab?row="+r.ID)
	before := tree(t, e.p.Workdir)
	for _, name := range names {
		for _, tool := range []string{"browser_take_screenshot", "browser_snapshot", "browser_console_messages", "browser_network_requests"} {
			args := apptest.Args{"filename": name}
			if tool == "browser_console_messages" {
				args["level"] = "info"
			}
			got := c.Call(tool, args)
			if strings.Contains(name, "..") && !got.IsError && !r.allowed() {
				t.Errorf("%s took %q: %s", tool, name, got.Text)
			}
			if strings.Contains(got.Text, "con.txt\n)") {
				t.Errorf("the name breaks the line: %q", got.Text)
			}
		}
	}
	own := []string{"uploads-", "output-", "profile-"}
	for path := range tree(t, e.p.Workdir) {
		inside := false
		for _, prefix := range own {
			inside = inside || strings.HasPrefix(path, prefix)
		}
		if !before[path] && !inside {
			t.Errorf("a file came to be at %s", path)
		}
	}
	for _, path := range []string{"/root/.bashrc", "/tmp/.bashrc"} {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), "PNG") {
			t.Errorf("%s was written", path)
		}
	}
	if b, err := os.ReadFile(filepath.Join(e.p.Workdir, "x")); err != nil || string(b) != secret {
		t.Errorf("a file outside was changed: %q, %v", b, err)
	}
}

// tree is every path below a directory, but for what Chromium does in its own.
func tree(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() && strings.HasPrefix(rel, "profile-") {
			return fs.SkipDir
		}
		found[rel] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
