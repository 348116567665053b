package supervisor

import (
	"runtime"
	"slices"
	"strings"
)

// passedOn lists the environment variables that a sidecar inherits; the
// documentation of ExecRunner.Env repeats it. They say where programs, fonts,
// screens and temporary files are. A list of what may pass, because a list of
// secrets to hold back is never complete.
func passedOn(goos string) []string {
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR",
		"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
		"XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS",
		"FONTCONFIG_FILE", "FONTCONFIG_PATH", "PLAYWRIGHT_BROWSERS_PATH",
	}
	if goos == "windows" {
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
			"USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMDATA")
	}
	return names
}

// inherited returns the entries ("KEY=value") of environ that a sidecar may
// see. Names on Windows have no case.
func inherited(environ []string) []string { return filterEnv(environ, runtime.GOOS) }

func filterEnv(environ []string, goos string) []string {
	allowed := passedOn(goos)
	var kept []string
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if goos == "windows" {
			name = strings.ToUpper(name)
		}
		if ok && (slices.Contains(allowed, name) || strings.HasPrefix(name, "LC_")) {
			kept = append(kept, entry)
		}
	}
	return kept
}
