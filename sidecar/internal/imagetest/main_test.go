package imagetest

import (
	"os"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// optionsEnv adds options to the engine's command line.
const optionsEnv = "IMAGE_OPTIONS"

// needImage skips a test where there is no image.
func needImage(t *testing.T) {
	t.Helper()
	if os.Getenv("PILLION_TEST_IMAGE") == "" {
		t.Skip("make image-test runs this")
	}
}

// start starts a container for an app, as a host starts a sidecar: the config
// on stdin, listening on every address.
func start(t *testing.T, options, appURL string, change ...apptest.Config) *apptest.Process {
	t.Helper()
	t.Setenv(optionsEnv, options)
	config := apptest.Config{"app_url": appURL, "host": "0.0.0.0", "workdir": nil}
	return apptest.Sidecar(t, append([]apptest.Config{config}, change...)...)
}

// wantEnd stops a container as engines do and expects a good end.
func wantEnd(t *testing.T, p *apptest.Process) {
	t.Helper()
	if code := p.Stop(); code != 0 {
		t.Errorf("the container ended with %d:\n%s", code, p.Stderr())
	}
}
