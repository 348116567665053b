package chrome

import (
	"path/filepath"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// searchPath is Chromium's PATH, whatever the sidecar's is.
const searchPath = "/usr/local/bin:/usr/bin:/bin"

// display is how a headed Chromium reaches its screen.
type display struct {
	x11       string // DISPLAY
	wayland   string // WAYLAND_DISPLAY, as an absolute path
	authority string // XAUTHORITY
}

// displayOf reads the display from the sidecar's environment. The home
// directory and the runtime directory are resolved here, because Chromium gets
// others.
func displayOf(getenv func(string) string) display {
	d := display{x11: getenv("DISPLAY"), authority: getenv("XAUTHORITY")}
	if home := getenv("HOME"); d.x11 != "" && d.authority == "" && home != "" {
		d.authority = filepath.Join(home, ".Xauthority")
	}
	if w := getenv("WAYLAND_DISPLAY"); filepath.IsAbs(w) {
		d.wayland = w
	} else if run := getenv("XDG_RUNTIME_DIR"); w != "" && run != "" {
		d.wayland = filepath.Join(run, w)
	}
	return d
}

// remote reports whether the X server is reached over the network, which a
// network namespace of Chromium's own would cut off.
func (d display) remote() bool {
	return d.wayland == "" && d.x11 != "" && !strings.HasPrefix(d.x11, ":") && !strings.HasPrefix(d.x11, "unix")
}

// none reports whether there is no display at all.
func (d display) none() bool { return d.x11 == "" && d.wayland == "" }

// environ builds Chromium's environment from nothing: no proxy variables, no
// library paths, no secret of the sidecar's or the host's comes through.
func environ(mode proto.Mode, home, tmp string, d display) []string {
	env := []string{
		"PATH=" + searchPath,
		"HOME=" + home,
		"TMPDIR=" + tmp,
		// Names of files are UTF-8. A locale that is not installed would leave
		// Chromium with ASCII; C.UTF-8 is part of the C library, but no language.
		"LC_ALL=C.UTF-8", "LANGUAGE=en_US",
		"LANG=en_US.UTF-8",
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"XDG_RUNTIME_DIR=" + home,
		// The desktop's message buses are a way around the network.
		"DBUS_SESSION_BUS_ADDRESS=disabled:",
		"DBUS_SYSTEM_BUS_ADDRESS=disabled:",
	}
	if mode != proto.Headed {
		return env
	}
	for _, v := range []struct{ name, value string }{
		{"DISPLAY", d.x11}, {"WAYLAND_DISPLAY", d.wayland}, {"XAUTHORITY", d.authority},
	} {
		if v.value != "" {
			env = append(env, v.name+"="+v.value)
		}
	}
	return env
}

// socketRoom is what full Chromium adds to its temporary directory for its
// singleton socket; a longer path than socketPath ends it at the start.
const (
	socketRoom = len("/org.chromium.Chromium.XXXXXX/SingletonSocket")
	socketPath = 107
)

// shortTmp returns a name for tmp that leaves room for a socket. Chromium runs
// in its profile directory, so a directory below it has a short name there.
func shortTmp(profile, tmp string) string {
	if len(tmp)+socketRoom <= socketPath {
		return tmp
	}
	if rest, ok := strings.CutPrefix(tmp, profile+string(filepath.Separator)); ok {
		return filepath.Join("/proc/self/cwd", rest)
	}
	return tmp
}
