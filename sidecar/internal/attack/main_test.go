//go:build linux

package attack

import (
	"os"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
)

// fullEnv asks for everything: full Chromium beside the headless shell, and the
// leaks that have to be waited for.
const fullEnv = "PILLION_ATTACK"

func full() bool { return os.Getenv(fullEnv) != "" }

func TestMain(m *testing.M) {
	// Chromium is also started in this process, and then its helpers are this
	// binary.
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if code, handled := janitor.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if err := enterWorld(); err != nil {
		os.Setenv(noWorldEnv, err.Error())
	}
	apptest.Main(m)
}
