package supervisor

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestLocateNextToTheHost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links and modes")
	}
	t.Setenv("PATH", "")
	program, links := t.TempDir(), t.TempDir()
	if program, _ = filepath.EvalSymlinks(program); program == "" {
		t.Fatal("no directory")
	}
	host, link, sidecar := filepath.Join(program, "host"), filepath.Join(links, "host"), filepath.Join(program, "sidecar")
	write := func(file string, mode os.FileMode) {
		if err := os.WriteFile(file, []byte("#!"), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(host, 0o755)
	if err := os.Symlink(host, link); err != nil {
		t.Fatal(err)
	}
	_, err := locateNear(link, "")
	wantCode(t, err, proto.CodeBinaryMissing)

	write(sidecar, 0o644) // there and broken: the one on PATH would be another one
	_, err = locateNear(link, "")
	wantCode(t, err, proto.CodeBinaryUnusable)

	if err := os.Chmod(sidecar, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := locateNear(link, ""); got != sidecar || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLocateOnPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	sidecar := filepath.Join(dir, "sidecar")
	if err := os.WriteFile(sidecar, []byte("#!"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"", "sidecar", sidecar} {
		if got, err := locateNear(filepath.Join(t.TempDir(), "host"), command); got != sidecar || err != nil {
			t.Errorf("%q: got %q, %v", command, got, err)
		}
	}
	t.Setenv("PATH", ".") // a file of the current directory is not taken by accident
	t.Chdir(dir)
	_, err := locateNear("", "sidecar")
	if e := wantCode(t, err, proto.CodeBinaryMissing); e.Hint == "" {
		t.Error("no hint")
	}
}
