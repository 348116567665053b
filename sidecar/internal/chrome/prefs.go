package chrome

import (
	"fmt"
	"os"
	"path/filepath"
)

// preferences is the profile's settings file before the first start. Full
// Chromium reads it; the shell knows none, so every wall in it also stands on
// the command line, but for the last: addresses of other programs are blocked,
// where full Chromium would ask a person in a dialog that locks the tab. The shell
// asks nobody. It is written once, as Chromium rewrites it.
const preferences = `{
  "net": {"network_prediction_options": 2},
  "webrtc": {"ip_handling_policy": "disable_non_proxied_udp"},
  "download": {"prompt_for_download": false},
  "credentials_enable_service": false,
  "profile": {"password_manager_enabled": false},
  "safebrowsing": {"enabled": false},
  "search": {"suggest_enabled": false},
  "alternate_error_pages": {"enabled": false},
  "policy": {"url_blocklist": ["*"], "url_allowlist": ["http://*", "https://*", "ws://*", "wss://*", "about:*", "blob:*", "data:*", "javascript:*", "chrome://*", "chrome-untrusted://*", "chrome-extension://*"]}
}
`

// writePreferences puts the settings file into a fresh profile, owned by user.
// A profile that has one keeps it.
func writePreferences(profile string, user *User) error {
	// The profile belongs to the browser's user, who must not lead us outside.
	root, err := os.OpenRoot(profile)
	if err != nil {
		return fmt.Errorf("write preferences: %w", err)
	}
	defer root.Close()
	dir, file := "Default", filepath.Join("Default", "Preferences")
	if err := root.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return fmt.Errorf("write preferences: %w", err)
	}
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write preferences: %w", err)
	}
	_, err = f.WriteString(preferences)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil && user.Dedicated {
		err = root.Lchown(dir, user.UID, user.GID)
		if err == nil {
			err = root.Lchown(file, user.UID, user.GID)
		}
	}
	if err != nil {
		return fmt.Errorf("write preferences: %w", err)
	}
	return nil
}
