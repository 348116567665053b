package chrome

import "path/filepath"

// candidates lists where a flavour may lie, best first. It depends on its
// arguments alone; search are the directories of PATH.
//
// Fixed places come before PATH because there the real binary lies, while PATH
// mostly holds the distribution's launcher script.
func candidates(goos, flavour string, search []string) []string {
	var fixed, names []string
	switch goos {
	case "darwin":
		if flavour == Full {
			fixed = []string{
				"/Applications/Chromium.app/Contents/MacOS/Chromium",
				"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			}
		}
		names = []string{"chrome-headless-shell", "headless-shell"}
		if flavour == Full {
			names = []string{"chromium"}
		}
	case "windows":
		if flavour == Full {
			fixed = []string{
				`C:\Program Files\Chromium\Application\chrome.exe`,
				`C:\Program Files\Google\Chrome\Application\chrome.exe`,
			}
		}
		names = []string{"chrome-headless-shell.exe"}
		if flavour == Full {
			names = []string{"chrome.exe"}
		}
	default:
		if flavour == Shell {
			fixed = []string{
				"/usr/lib/chromium/chromium-headless-shell",        // Debian
				"/usr/lib64/chromium-browser/headless_shell",       // Fedora
				"/usr/lib/chromium-browser/headless_shell",         // Fedora on 32 bit, derivatives
				"/usr/lib/chromium/headless_shell",                 // Alpine, Arch builds
				"/headless-shell/headless-shell",                   // the headless-shell image
				"/opt/chrome-headless-shell/chrome-headless-shell", // Chrome for Testing
			}
			names = []string{"chromium-headless-shell", "chrome-headless-shell", "headless-shell", "headless_shell"}
			break
		}
		fixed = []string{
			"/usr/lib/chromium/chromium",                   // Debian, Arch, Alpine
			"/usr/lib64/chromium-browser/chromium-browser", // Fedora
			"/usr/lib/chromium-browser/chromium-browser",   // Ubuntu derivatives
			"/usr/lib64/chromium/chromium",                 // openSUSE
			"/opt/google/chrome/chrome",                    // Google's packages
		}
		names = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"}
	}
	list := fixed
	for _, name := range names {
		for _, dir := range search {
			if filepath.IsAbs(dir) {
				list = append(list, filepath.Join(dir, name))
			}
		}
	}
	return list
}
