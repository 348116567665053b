package chrome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// The two flavours of Chromium.
const (
	Shell = "shell" // the headless shell: no window code, half the memory
	Full  = "full"
)

// Want says which Chromium a session asks for.
type Want struct {
	Mode     proto.Mode // "" means headless
	Chromium string     // "auto" (or ""), "shell" or "full"
	Path     string     // the executable to use, whatever the rest says; "" = find one
}

// Binary is an executable of Chromium.
type Binary struct {
	Path string
	// Version is empty until [Binary.ReadVersion]; the running browser tells
	// its own over the pipe at no cost.
	Version string
	Flavour string // Shell or Full
}

// versionWithin bounds a run of the browser that only prints its version: 10
// to 20 ms from a warm cache, seconds when 300 MB come from a slow disk.
const versionWithin = 15 * time.Second

// Find returns the browser to start. Headless sessions get the headless shell
// where there is one; headed ones full Chromium. The error is a *proto.Error
// with code browser_missing, or browser_unsuitable when what was asked for
// does not fit together.
func Find(ctx context.Context, want Want) (Binary, error) {
	if err := ctx.Err(); err != nil {
		return Binary{}, err
	}
	return system().find(want)
}

// finder looks for browsers below a root, which is "" but in tests.
type finder struct {
	root   string
	goos   string
	search []string // the directories of PATH
}

func system() finder {
	return finder{goos: runtime.GOOS, search: filepath.SplitList(os.Getenv("PATH"))}
}

func (f finder) find(want Want) (Binary, error) {
	headed := want.Mode == proto.Headed
	if headed && want.Chromium == Shell {
		return Binary{}, &proto.Error{
			Code:    proto.CodeBrowserUnsuitable,
			Message: "the headless shell has no window for headed mode",
			Hint:    `Ask for chromium "full" or for headless mode`,
		}
	}
	if want.Path != "" {
		return f.given(want.Path, headed)
	}
	flavours := []string{Shell, Full}
	switch {
	case headed || want.Chromium == Full:
		flavours = []string{Full}
	case want.Chromium == Shell:
		flavours = []string{Shell}
	}
	for _, flavour := range flavours {
		for _, path := range candidates(f.goos, flavour, f.search) {
			if f.inspect(path) == executable {
				return Binary{Path: f.root + path, Flavour: flavour}, nil
			}
		}
	}
	// A launcher script of a distribution is the last choice: it adds switches
	// of its own, which the check of the running command line judges. Shell
	// launchers are no choice: they stay in front of the browser as a process.
	if flavours[len(flavours)-1] == Full {
		for _, path := range candidates(f.goos, Full, f.search) {
			if f.inspect(path) == script {
				return Binary{Path: f.root + path, Flavour: Full}, nil
			}
		}
	}
	return Binary{}, missing(flavours, f.goos)
}

// given judges a path from the configuration.
func (f finder) given(path string, headed bool) (Binary, error) {
	flavour := flavourOf(path)
	if headed && flavour == Shell {
		return Binary{}, &proto.Error{
			Code:    proto.CodeBrowserUnsuitable,
			Message: fmt.Sprintf("%s is a headless shell and has no window for headed mode", path),
			Hint:    "Name the executable of full Chromium in chromium_path",
		}
	}
	switch f.inspect(path) {
	case executable:
		return Binary{Path: f.root + path, Flavour: flavour}, nil
	case script:
		// The real binary has the launcher's name in one of the known places.
		for _, other := range candidates(f.goos, flavour, nil) {
			if filepath.Base(other) == filepath.Base(path) && f.inspect(other) == executable {
				return Binary{Path: f.root + other, Flavour: flavour}, nil
			}
		}
		if flavour == Full {
			return Binary{Path: f.root + path, Flavour: flavour}, nil
		}
		return Binary{}, &proto.Error{
			Code:    proto.CodeBrowserUnsuitable,
			Message: fmt.Sprintf("%s is a script that stays in front of the browser", path),
			Hint:    "Name the binary that it starts in chromium_path",
		}
	}
	return Binary{}, &proto.Error{
		Code:    proto.CodeBrowserMissing,
		Message: fmt.Sprintf("chromium_path %s is not an executable file", path),
		Hint:    "Correct chromium_path, or leave it out to let the sidecar find a browser",
	}
}

// flavourOf tells the flavour from the executable's name; every distribution
// has "headless" in the shell's.
func flavourOf(path string) string {
	if strings.Contains(strings.ToLower(filepath.Base(path)), "headless") {
		return Shell
	}
	return Full
}

// What a path can be.
const (
	absent = iota
	script
	executable
)

// inspect looks at what lies at path.
func (f finder) inspect(path string) int {
	info, err := os.Stat(f.root + path)
	if err != nil || !info.Mode().IsRegular() {
		return absent
	}
	if f.goos == "windows" {
		return executable
	}
	if info.Mode().Perm()&0o111 == 0 {
		return absent
	}
	file, err := os.Open(f.root + path)
	if err != nil {
		// Executable and not readable is unusual but can be started.
		if errors.Is(err, fs.ErrPermission) {
			return executable
		}
		return absent
	}
	defer file.Close()
	var magic [2]byte
	if n, _ := file.Read(magic[:]); n == 2 && string(magic[:]) == "#!" {
		return script
	}
	return executable
}

func missing(flavours []string, goos string) error {
	what, pkg := "no Chromium", "chromium-headless-shell"
	if len(flavours) == 1 && flavours[0] == Full {
		what, pkg = "no full Chromium", "chromium"
	} else if len(flavours) == 1 {
		what = "no Chromium headless shell"
	}
	hint := "Install Chromium or name its executable in chromium_path"
	if goos == "linux" {
		hint = fmt.Sprintf("Install it: apt-get install %s (Debian), dnf install chromium-headless chromium (Fedora), "+
			"apk add chromium (Alpine); or name its executable in chromium_path", pkg)
	}
	return &proto.Error{Code: proto.CodeBrowserMissing, Message: what + " was found on this system", Hint: hint}
}

// versionText is what `chromium --version` prints.
var versionText = regexp.MustCompile(`\b(\d+(?:\.\d+){1,3})\b`)

// ReadVersion asks the executable for its version, such as "156.0.8078.114",
// by running it as user. It starts no browser.
func (b Binary) ReadVersion(ctx context.Context, user *User) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.Path, "--version")
	cmd.Dir = string(filepath.Separator)
	cmd.Env = []string{"PATH=" + searchPath}
	asUser(cmd, user)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", b.Path, err)
	}
	found := versionText.FindSubmatch(out)
	if found == nil {
		return "", fmt.Errorf("ask %s for its version: it says %q", b.Path, out)
	}
	return string(found[1]), nil
}
