package main_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/testdata/app"
)

// seat is a person at the sidecar's page, in a browser of her own: the one under
// test is the app of another sidecar, whose tools are her hands.
type seat struct {
	t   *testing.T
	c   *apptest.MCPClient
	dir string             // of the files that she can give
	box [4]float64         // of the picture on her screen
	of  *apptest.MCPClient // an agent of the browser that she watches
}

func sitDown(t *testing.T, watched *apptest.Process) *seat {
	t.Helper()
	p := apptest.Sidecar(t, apptest.Config{"app_url": fmt.Sprintf("http://127.0.0.1:%d", watched.Ready.Port), "capabilities": []string{"vision"}})
	p.MCP.Initialize()
	dirs, err := filepath.Glob(filepath.Join(p.Workdir, "uploads*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("the uploads of the person's browser: %v %v", dirs, err)
	}
	s := &seat{t: t, c: p.MCP, dir: dirs[0], of: watched.MCP}
	s.c.Must("browser_navigate", apptest.Args{"url": "/viewer#user=1&name=Ada&token=" + apptest.Token})
	s.sees("a picture", "Number(document.body.dataset.frame) > 0 && document.getElementById('veil').textContent === ''")
	var n []string
	raw := resultJSON(s.c.Must("browser_evaluate", apptest.Args{"function": "() => { const r = document.getElementById('keys').getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(' ') }"}))
	n = strings.Fields(strings.Trim(raw, `"`))
	for i := range s.box {
		if s.box[i], err = strconv.ParseFloat(n[i], 64); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// sees waits until something is so on her screen.
func (s *seat) sees(what, expression string) {
	s.t.Helper()
	apptest.Await(s.t, what, func() bool {
		return strings.Contains(s.c.Must("browser_evaluate", apptest.Args{"function": "() => 'it is ' + Boolean(" + expression + ")"}), "it is true")
	})
}

func (s *seat) presses(selector string) {
	s.t.Helper()
	s.c.Must("browser_click", apptest.Args{"target": selector})
}

// points clicks in the picture, where the page shows something with these words.
func (s *seat) points(words string) {
	s.t.Helper()
	var at [4]float64
	apptest.Await(s.t, words, func() bool {
		m := regexp.MustCompile(regexp.QuoteMeta(words) + `.*\[box=(\d+),(\d+),(\d+),(\d+)\]`).FindStringSubmatch(
			s.of.Must("browser_snapshot", apptest.Args{"boxes": true}))
		for i := range at {
			if m == nil {
				return false
			}
			at[i], _ = strconv.ParseFloat(m[i+1], 64)
		}
		return true
	})
	s.c.Must("browser_mouse_click_xy", apptest.Args{
		"x": s.box[0] + (at[0]+at[2]/2)/1280*s.box[2], "y": s.box[1] + (at[1]+at[3]/2)/800*s.box[3],
	})
}

func (s *seat) types(text string) {
	s.t.Helper()
	for _, r := range text {
		key := string(r)
		if r == ' ' {
			key = "Space"
		}
		s.c.Must("browser_press_key", apptest.Args{"key": key})
	}
}

// goes opens a path by the address bar.
func (s *seat) goes(path string) {
	s.t.Helper()
	s.c.Must("browser_type", apptest.Args{"target": "#url", "text": path, "submit": true})
}

// TestPersonSignsInForAnAgent is what the live view is for: an agent comes to a
// sign-in, a person does it by her own keyboard, and the agent goes on.
func TestPersonSignsInForAnAgent(t *testing.T) {
	site, ingest := apptest.Start(t), apptest.NewIngest(t, 0)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "recording": ingest.Config()},
		liveConfig(apptest.Config{"viewer": true, "agent_wait_ms": 45000}))
	agent := p.MCP
	agent.Initialize()
	agent.Must("browser_navigate", apptest.Args{"url": "/login?next=/orders"})
	ada := sitDown(t, p)
	ada.presses("#drive")
	ada.sees("that she drives", "document.body.dataset.state === 'mine'")

	click := later(agent, "browser_click", apptest.Args{"target": "text=New order"})
	ada.sees("that the agent waits", "document.getElementById('banner').textContent.startsWith('The agent waits to go on with browser_click')")
	ada.points(`textbox "User name"`)
	ada.types(app.User)
	ada.c.Must("browser_press_key", apptest.Args{"key": "Tab"})
	ada.types(app.Password)
	ada.c.Must("browser_press_key", apptest.Args{"key": "Enter"})
	ada.sees("the orders", "document.getElementById('url').value.endsWith('/orders')")

	ada.goes("/dialogs")
	ada.points(`button "Alert" `)
	ada.sees("the alert", "document.getElementById('ask').open && document.getElementById('ask-text').textContent === 'The ledger is full'")
	ada.presses("#ask-yes")
	apptest.Await(t, "the page to go on", func() bool {
		return strings.Contains(agent.Must("browser_snapshot", nil), "alert: closed")
	})

	ada.goes("/uploads")
	if err := os.WriteFile(filepath.Join(ada.dir, "receipt.txt"), []byte("paid"), 0o644); err != nil {
		t.Fatal(err)
	}
	ada.points(`button "One file"`)
	ada.sees("the question for a file", "document.getElementById('pick').open")
	ada.presses("#pick-files")
	ada.c.Must("browser_file_upload", apptest.Args{"paths": []string{"receipt.txt"}})
	ada.presses("#pick [value=yes]")
	apptest.Await(t, "the file", func() bool {
		return strings.Contains(agent.Must("browser_snapshot", nil), "chosen: receipt.txt 4")
	})

	// What the page saves she saves, too: part by part.
	const size = 150_000
	ledger, err := io.ReadAll(app.Content(size))
	if err != nil {
		t.Fatal(err)
	}
	ada.goes("/downloads/file?name=ledger.txt&size=" + strconv.Itoa(size))
	ada.sees("the file", "document.querySelector('#files-list button')?.textContent.startsWith('Save ledger.txt')")
	ada.presses("#files-list button")
	ada.sees("that she has it", "document.getElementById('toast').textContent === 'Saved ledger.txt'")
	apptest.Await(t, "her file", func() bool {
		var saved []byte
		for _, dir := range []string{"output*", "uploads*"} {
			found, _ := filepath.Glob(filepath.Join(ada.dir, "..", dir, "ledger.txt"))
			for _, f := range found {
				saved, _ = os.ReadFile(f)
			}
		}
		return bytes.Equal(saved, ledger)
	})

	ada.goes("/orders")
	ada.sees("the orders", "document.getElementById('url').value.endsWith('/orders')")
	ada.presses("#drive")
	if r := <-click; r.IsError || !strings.Contains(r.Text, site.URL()+"/orders/new") {
		t.Errorf("the click that waited: %s", r.Text)
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	ada.sees("why it ended", "document.getElementById('status').textContent === 'The browser has stopped.'")

	if all := p.Stderr() + strings.Join(p.Stdout(), "\n"); strings.Contains(all, app.Password) || strings.Contains(all, "receipt") {
		t.Error("what Ada typed or gave is in the log or in an event")
	}
	var recorded strings.Builder
	for _, b := range ingest.Batches() {
		recorded.Write(b.Body)
	}
	if all := recorded.String(); strings.Contains(all, app.Password) || !strings.Contains(all, "takeover_ended") {
		t.Errorf("the recording of %d bytes has what Ada typed, or lacks that she drove", len(all))
	}
}
