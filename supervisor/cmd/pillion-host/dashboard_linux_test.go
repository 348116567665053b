package main

import (
	"bufio"
	"bytes"
	"context"
	"image"
	"image/color"
	_ "image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// TestDashboard looks at the dashboard as a person does, in a browser of its
// own: everything is there, the live view moves, stop and start work, and the
// recording replays. PILLION_SHOTS names a directory for the pictures.
func TestDashboard(t *testing.T) {
	bin, temp := buildProduct(t), openDir(t)
	t.Setenv("TMPDIR", temp)
	host := startDemo(t, filepath.Join(bin, "sidecar"), filepath.Join(bin, "out"))
	p := openPage(t, filepath.Join(bin, "sidecar"), host)

	p.goTo("/")
	p.awaits("Fernhill Ledger, the sample shop", "running", "order confirmed", "browser_fill_form", "minutes used",
		"Recordings", "goes on", "Chromium’s sandbox", "chromium headless shell")
	p.picture("dashboard", 20)
	p.clicks(`button "Watch live"`)
	p.awaits("Take over", "Stop watching", "Hide the live view") // the first two are the live view's own
	p.picture("live", 20)
	p.clicks(`button "Hide the live view"`)
	p.clicks(`button "Stop"`)
	p.awaits("stopped", "on request", `button "Start a browser"`)
	p.picture("stopped", 20)
	p.clicks(`link "Replay Fernhill Ledger`)
	p.awaits("Fernhill Ledger, the sample shop", "Save as one file", "What happened", "Went to /login")
	p.picture("replay", 20)
	p.goTo("/")
	p.clicks(`button "Start a browser"`)
	p.awaits("running", `button "Stop"`)
	if wrong := p.use("browser_console_messages", args{"level": "error"}); strings.Contains(wrong, "[ERROR]") {
		t.Errorf("on the console: %s", wrong)
	}
}

// startDemo runs the host with its demo, and returns its address when the agent
// is done. It ends with the test.
func startDemo(t *testing.T, sidecar, out string) (address string) {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	read, write := io.Pipe()
	done := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		done <- run(ctx, []string{"-demo", "-out", out, "-sidecar", sidecar}, write, &stderr)
		write.Close()
	}()
	lines := bufio.NewScanner(read)
	finished := false
	for !finished && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "host:"); ok {
			address = strings.TrimSpace(rest)
		}
		finished = lines.Text() == "agent finished: order confirmed"
	}
	go io.Copy(io.Discard, read) // ends with the host, which closes its side
	t.Cleanup(func() {
		interrupt()
		if code := <-done; code != exitOK || !finished {
			t.Errorf("the host ended with %d: %s", code, &stderr)
		}
	})
	return address
}

// onlooker is a browser that shows a page of the host.
type onlooker struct {
	t   *testing.T
	mcp *mcp
}

// openPage starts a browser whose app is the host.
func openPage(t *testing.T, sidecar, address string) *onlooker {
	t.Helper()
	sandboxes := &hostapi.MemorySandboxes{}
	sandboxes.Put(hostapi.Sandbox{ID: "host", AppURL: address, Ready: true})
	own, err := hostapi.New(hostapi.Options{Supervisor: &supervisor.Supervisor{Command: sidecar}, Sandboxes: sandboxes, Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	url, stop, err := listen("127.0.0.1:0", own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { own.Close(); stop() })
	browser, err := own.Start(t.Context(), hostapi.Identity{}, "host", hostapi.StartOptions{NoLive: true})
	if err != nil {
		t.Fatal(err)
	}
	p := &onlooker{t, newMCP(url + "/mcp/" + strings.TrimPrefix(*browser.ServerKey, "browser:"))}
	t.Cleanup(p.mcp.close)
	if _, err := p.mcp.initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *onlooker) use(tool string, arguments args) string {
	p.t.Helper()
	text, _, err := p.mcp.tool(p.t.Context(), tool, arguments)
	if err != nil {
		p.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return text
}

func (p *onlooker) goTo(path string) { p.t.Helper(); p.use("browser_navigate", args{"url": path}) }

// awaits looks at the page until it shows all of the words.
func (p *onlooker) awaits(words ...string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		page := p.use("browser_snapshot", nil)
		missing := ""
		for _, w := range words {
			if !strings.Contains(page, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the page does not show %q:\n%s", missing, page)
		}
	}
}

// clicks clicks what a line of the snapshot begins with.
func (p *onlooker) clicks(element string) {
	p.t.Helper()
	p.awaits(element)
	for line := range strings.Lines(p.use("browser_snapshot", nil)) {
		_, rest, found := strings.Cut(line, "- "+element)
		if _, ref, ok := strings.Cut(rest, "[ref="); found && ok {
			ref, _, _ = strings.Cut(ref, "]")
			p.use("browser_click", args{"target": ref, "element": element})
			return
		}
	}
	p.t.Fatalf("there is no %s to click", element)
}

// picture takes one, and sees that it is no blank page: it has so many colours.
func (p *onlooker) picture(name string, colours int) {
	p.t.Helper()
	_, data, err := p.mcp.tool(p.t.Context(), "browser_take_screenshot", args{"type": "png", "fullPage": true})
	if err != nil {
		p.t.Fatal(err)
	}
	if dir := os.Getenv("PILLION_SHOTS"); dir != "" {
		os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	seen := map[color.Color]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 3 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 3 {
			seen[img.At(x, y)] = true
		}
	}
	if len(seen) < colours {
		p.t.Errorf("%s has %d colours", name, len(seen))
	}
}
