package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

const (
	debianShell    = "/usr/lib/chromium/chromium-headless-shell"
	debianFull     = "/usr/lib/chromium/chromium"
	launcherShell  = "/usr/bin/chromium-headless-shell"
	launcherFull   = "/usr/bin/chromium"
	fedoraShell    = "/usr/lib64/chromium-browser/headless_shell"
	googleFull     = "/opt/google/chrome/chrome"
	downloadedTool = "/home/u/bin/chrome-headless-shell"
)

func TestFind(t *testing.T) {
	bin, sh, data := "\x7fELF", "#!/bin/sh\n", ""
	debian := map[string]string{debianShell: bin, debianFull: bin, launcherShell: sh, launcherFull: sh}
	for _, tt := range []struct {
		name  string
		files map[string]string // path to content; "" is not executable
		want  Want
		path  string
		code  proto.Code
	}{
		{name: "headless takes the shell", files: debian, path: debianShell},
		{name: "asked for full", files: debian, want: Want{Chromium: "full"}, path: debianFull},
		{name: "headed takes full", files: debian, want: Want{Mode: proto.Headed}, path: debianFull},
		{name: "headed shell", files: debian, want: Want{Mode: proto.Headed, Chromium: "shell"}, code: proto.CodeBrowserUnsuitable},
		{name: "full stands in", files: map[string]string{debianFull: bin}, want: Want{Chromium: "auto"}, path: debianFull},
		{name: "shell alone is not for headed", files: map[string]string{debianShell: bin}, want: Want{Mode: proto.Headed}, code: proto.CodeBrowserMissing},
		{name: "nothing stands in for the shell", files: map[string]string{debianFull: bin}, want: Want{Chromium: "shell"}, code: proto.CodeBrowserMissing},
		{name: "Fedora", files: map[string]string{fedoraShell: bin, googleFull: bin}, path: fedoraShell},
		{name: "Google's", files: map[string]string{googleFull: bin}, path: googleFull},
		{name: "on PATH", files: map[string]string{downloadedTool: bin, googleFull: bin}, path: downloadedTool},
		{name: "launcher as the last choice", files: map[string]string{launcherFull: sh, launcherShell: sh}, path: launcherFull},
		{name: "shell's launcher is none", files: map[string]string{launcherShell: sh}, code: proto.CodeBrowserMissing},
		{name: "not executable", files: map[string]string{debianShell: data, debianFull: bin}, path: debianFull},
		{name: "empty system", code: proto.CodeBrowserMissing},
		{name: "given", files: map[string]string{"/x/chrome": bin, debianShell: bin}, want: Want{Path: "/x/chrome"}, path: "/x/chrome"},
		{name: "given and missing", files: debian, want: Want{Path: "/x/chrome"}, code: proto.CodeBrowserMissing},
		{name: "given shell for headed", files: debian, want: Want{Path: debianShell, Mode: proto.Headed}, code: proto.CodeBrowserUnsuitable},
		{name: "given launcher, binary known", files: debian, want: Want{Path: launcherShell}, path: debianShell},
		{name: "given launcher, binary unknown", files: map[string]string{"/x/headless-thing": sh}, want: Want{Path: "/x/headless-thing"}, code: proto.CodeBrowserUnsuitable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for path, content := range tt.files {
				mode := os.FileMode(0o755)
				if content == "" {
					mode = 0o644
				}
				if err := os.MkdirAll(filepath.Dir(root+path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(root+path, []byte(content), mode); err != nil {
					t.Fatal(err)
				}
			}
			got, err := finder{root: root, goos: "linux", search: []string{"/usr/bin", "relative", "/home/u/bin"}}.find(tt.want)
			if tt.code != "" {
				var e *proto.Error
				if !errors.As(err, &e) || e.Code != tt.code || e.Hint == "" {
					t.Fatalf("got %+v, %v; want %s with a hint", got, err, tt.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if path := strings.TrimPrefix(got.Path, root); path != tt.path {
				t.Errorf("found %s, want %s", path, tt.path)
			}
			if want := flavourOf(tt.path); got.Flavour != want {
				t.Errorf("flavour %s, want %s", got.Flavour, want)
			}
		})
	}
}

func TestCandidates(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		for _, flavour := range []string{Shell, Full} {
			list := candidates(goos, flavour, []string{"/a", "", "."})
			for _, path := range list {
				if flavourOf(path) != flavour {
					t.Errorf("%s: %s is listed as %s", goos, path, flavour)
				}
			}
			if slices.ContainsFunc(list, func(p string) bool { return !filepath.IsAbs(p) && goos != "windows" }) {
				t.Errorf("%s: a relative path in %q", goos, list)
			}
		}
	}
}

func TestReadVersion(t *testing.T) {
	binary, err := Find(t.Context(), Want{})
	if err != nil {
		t.Skip(err)
	}
	version, err := binary.ReadVersion(t.Context(), nil)
	if err != nil || len(strings.Split(version, ".")) != 4 {
		t.Errorf("version %q, %v", version, err)
	}
}
