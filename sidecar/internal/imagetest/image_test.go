package imagetest

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/testdata/app"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// TestImageServesAnAgentOutside starts the image as any host starts a sidecar,
// with host 0.0.0.0 in a config on stdin, and signs in to a site on the host's
// loopback.
func TestImageServesAnAgentOutside(t *testing.T) {
	if os.Getenv("PILLION_TEST_IMAGE") == "" {
		t.Skip("make image-test runs this")
	}
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "host": "0.0.0.0", "workdir": nil})
	t.Logf("ready: %+v", p.Ready)
	if !p.Ready.Features.Sandbox {
		t.Error("Chromium's sandbox is off")
	}

	c := apptest.NewMCP(t, fmt.Sprintf("http://127.0.0.1:%d/mcp", p.Ready.Port), apptest.Token)
	c.Initialize()
	text := c.Must("browser_navigate", apptest.Args{"url": "/login"})
	c.Must("browser_type", apptest.Args{"target": c.Ref(text, `textbox "User name"`), "text": app.User})
	text = c.Must("browser_type", apptest.Args{"target": c.Ref(text, `textbox "Password"`), "text": app.Password, "submit": true})
	if !strings.Contains(text, `heading "Orders"`) {
		t.Errorf("signing in ends with:\n%s", text)
	}
	r := c.Call("browser_take_screenshot", nil)
	if len(r.Images) != 1 {
		t.Fatalf("screenshot: %s", r.Text)
	}
	if _, err := png.Decode(bytes.NewReader(r.Images[0].Data)); err != nil {
		t.Errorf("screenshot: %v", err)
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("the container ended with %d:\n%s", code, p.Stderr())
	}
}
