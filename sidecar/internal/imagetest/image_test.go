package imagetest

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/testdata/app"
)

// TestImageServesAnAgentOutside starts the image as any host starts a sidecar
// and signs in to a site on the host's loopback.
func TestImageServesAnAgentOutside(t *testing.T) {
	needImage(t)
	site := apptest.Start(t)
	p := start(t, "", site.URL())
	t.Logf("ready: %+v", p.Ready)

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
	wantEnd(t, p)
}

// TestImageWithFewerRights runs the image under what administrators put around
// containers. Chromium's sandbox and its private network are there under each.
func TestImageWithFewerRights(t *testing.T) {
	needImage(t)
	site := apptest.Start(t)
	const all = "--read-only --tmpfs /tmp --cap-drop=ALL --security-opt no-new-privileges"
	for _, c := range []struct {
		name, options string
		chromium      string
		dedicated     bool // Chromium has a user of its own
	}{
		{name: "read-only", options: "--read-only --tmpfs /tmp"},
		{name: "no capabilities", options: "--cap-drop=ALL"},
		{name: "no new privileges", options: "--security-opt no-new-privileges"},
		{name: "all of it", options: all},
		{name: "all of it, full Chromium", options: all, chromium: "full"},
		{name: "another user", options: "--user 12345:12345"},
		{name: "root", options: "--user 0:0", dedicated: true},
		{name: "more shared memory", options: "--shm-size 1g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := apptest.Config{}
			if c.chromium != "" {
				change["chromium"] = c.chromium
			}
			p := start(t, c.options, site.URL(), change)
			f := p.Ready.Features
			if !f.Sandbox || !f.PrivateNetwork || !f.Janitor {
				t.Errorf("features: %+v", f)
			}
			if f.UnprivilegedUser != c.dedicated {
				t.Errorf("a user of Chromium's own: %t, want %t", f.UnprivilegedUser, c.dedicated)
			}
			p.MCP.Initialize()
			if text := p.MCP.Must("browser_navigate", apptest.Args{"url": "/login"}); !strings.Contains(text, `textbox "User name"`) {
				t.Errorf("the page:\n%s", text)
			}
			wantEnd(t, p)
		})
	}
}
