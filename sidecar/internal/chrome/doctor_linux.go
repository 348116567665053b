package chrome

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// systemChecks are the checks of what only Linux has.
func systemChecks(renderers []Renderer) []Check {
	return []Check{userNamespaces(renderers), sharedMemory(), cjkFonts()}
}

// knobs are the kernel settings that close user namespaces, with the value
// that does.
var knobs = [...]struct{ file, closed string }{
	{"/proc/sys/user/max_user_namespaces", "0"},
	{"/proc/sys/kernel/unprivileged_userns_clone", "0"},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"},
}

// userNamespaces says whether renderers got one, and if not, which setting
// may be the reason.
func userNamespaces(renderers []Renderer) Check {
	c := Check{Name: "user namespaces", OK: true}
	for _, r := range renderers {
		if r.OwnUser {
			c.Detail = "renderers have one"
			return c
		}
	}
	for _, k := range knobs {
		if text, err := os.ReadFile(k.file); err == nil && strings.TrimSpace(string(text)) == k.closed {
			c.OK, c.Fix = false, sandboxHint
			c.Detail += fmt.Sprintf("%s is %s; ", k.file, k.closed)
		}
	}
	c.Detail = strings.TrimSuffix(c.Detail, "; ")
	if c.OK {
		c.Detail = "not forbidden by the kernel's settings"
	}
	return c
}

// sharedMemory looks at the room in /dev/shm.
func sharedMemory() Check {
	c := Check{Name: "shared memory", OK: true}
	var st unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &st); err != nil {
		c.Detail = "/dev/shm is missing; Chromium uses files in the session's directory instead"
		return c
	}
	c.Detail = fmt.Sprintf("/dev/shm has %d MB", uint64(st.Bsize)*st.Blocks>>20)
	if smallShm() {
		// It works, only slower, so the check holds.
		c.Detail += fmt.Sprintf(", less than %d; Chromium uses files in the session's directory instead", shmEnough>>20)
		c.Fix = "Give the container more with --shm-size=1g"
	}
	return c
}

// cjkNames are parts of the names of font files that have Chinese, Japanese
// and Korean letters.
var cjkNames = [...]string{"cjk", "wqy", "droidsansfallback", "sourcehan", "uming", "ukai", "ipag", "takao", "vlgothic", "nanum", "unfonts"}

// cjkFonts looks for a font with Chinese, Japanese and Korean letters, without
// which a page in these languages is a page of boxes in every screenshot.
func cjkFonts() Check {
	for _, dir := range []string{"/usr/share/fonts", "/usr/local/share/fonts"} {
		var font string
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			name := strings.ToLower(filepath.Base(path))
			for _, part := range cjkNames {
				if strings.Contains(name, part) {
					font = path
					return fs.SkipAll
				}
			}
			return nil
		})
		if font != "" {
			return Check{Name: "fonts", OK: true, Detail: "CJK letters in " + font}
		}
	}
	return Check{
		Name: "fonts", Optional: true, Detail: "no font with Chinese, Japanese and Korean letters",
		Fix: "Install one: apt-get install fonts-noto-cjk, dnf install google-noto-cjk-fonts, apk add font-noto-cjk",
	}
}
