package main_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

const (
	liveSession = "7f9a2c1e-4b5d-4e6f-8a9b-0c1d2e3f4a5b"
	liveOrigin  = "http://localhost:3000"
	// canary is what a person types: it must be nowhere but in the page.
	canary = "canary-7d1f"
)

// liveConfig is a live view with short times.
func liveConfig(change ...apptest.Config) apptest.Config {
	c := apptest.Config{"session_id": liveSession, "origins": []string{liveOrigin}, "agent_wait_ms": 200, "release_grace_ms": 200}
	for _, more := range change {
		for k, v := range more {
			c[k] = v
		}
	}
	return apptest.Config{"live": c}
}

func TestLiveViewOfTheOriginal(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) { liveViewOfTheOriginal(t, flavour) })
	}
}

func liveViewOfTheOriginal(t *testing.T, flavour string) {
	site, ingest := apptest.Start(t), apptest.NewIngest(t, 0)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour, "recording": ingest.Config()}, liveConfig())
	c := p.MCP
	c.Initialize()
	c.Must("browser_navigate", apptest.Args{"url": "/keys"})
	x, y := centre(t, c, "#editor")

	d := dashboardOf(t, p, "1", "Ada")
	d.mu.Lock()
	if d.control.Held || d.agent.Waiting || d.page == nil || *d.page.URL != site.URL()+"/keys" || d.page.Tab != 1 || d.page.Tabs != 1 {
		t.Errorf("ready: %+v %+v %+v", d.control, d.agent, d.page)
	}
	d.mu.Unlock()
	// The page does not change, and is seen all the same.
	d.await("a picture", func() bool { return d.frames > 0 })
	d.mu.Lock()
	size, err := jpeg.DecodeConfig(bytes.NewReader(d.frame))
	if err != nil || size.Width != 1280 || size.Height != 800 || d.width != 1280 || d.height != 800 {
		t.Errorf("a picture of %d x %d for %d x %d: %v", size.Width, size.Height, d.width, d.height, err)
	}
	d.mu.Unlock()

	d.takeOver()
	r := c.Call("browser_navigate", apptest.Args{"url": "/orders"})
	var meta struct {
		HeldBy   string `json:"held_by"`
		Since    string `json:"since"`
		WaitedMS int    `json:"waited_ms"`
	}
	_ = json.Unmarshal(r.Meta["activeagents/takeover"], &meta)
	if !r.IsError || !strings.Contains(r.Text, "Ada is driving this browser by hand") || !strings.Contains(r.Text, "Nothing was done.") ||
		meta.HeldBy != "Ada" || meta.WaitedMS < 200 || !strings.HasSuffix(meta.Since, "Z") {
		t.Errorf("navigate while Ada drives: %s %s", r.Text, r.Meta["activeagents/takeover"])
	}
	d.await("the agent to wait no more", func() bool { return !d.agent.Waiting })
	if text := c.Must("browser_snapshot", nil); !strings.Contains(text, "Rich text") {
		t.Errorf("snapshot while Ada drives:\n%s", text)
	}
	d.click(x, y)
	d.press("h", "KeyH", 72)
	d.press("i", "KeyI", 73)
	d.send(map[string]any{"type": "text", "text": canary})
	apptest.Await(t, "the text to land", func() bool {
		return strings.Contains(c.Must("browser_snapshot", nil), "insertText "+canary)
	})
	d.handBack()
	if text := c.Must("browser_evaluate", apptest.Args{"function": "() => document.querySelector('#editor').textContent"}); !strings.Contains(text, "hi"+canary) {
		t.Errorf("the editor has %s", text)
	}

	// The view follows the agent.
	c.Must("browser_tabs", apptest.Args{"action": "new"})
	d.await("the second tab", func() bool { return d.page != nil && d.page.Tab == 2 && d.page.Tabs == 2 })
	c.Must("browser_tabs", apptest.Args{"action": "select", "index": 0})
	d.await("the first tab", func() bool { return d.page != nil && d.page.Tab == 1 && d.page.Tabs == 2 })

	d.mu.Lock()
	if len(d.errors) > 0 {
		t.Errorf("errors: %q", d.errors)
	}
	d.mu.Unlock()
	if code := p.Stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	<-d.over
	if d.closed == nil || d.closed.Code != 1001 || d.closed.Text != "The browser stopped" {
		t.Errorf("closed with %v", d.closed)
	}
	if got := strings.Join(takeovers(p), ", "); got != "taken Ada true, handed_back Ada false" {
		t.Errorf("the supervisor was told %q", got)
	}
	used, _ := p.AwaitEvent(proto.EventStopped).Detail["usage"].(map[string]any)
	for _, what := range []string{"calls", "bytes_in", "bytes_out", "viewer_ms"} {
		if n, _ := used[what].(float64); n <= 0 {
			t.Errorf("the session used %v", used)
		}
	}
	if all := p.Stderr() + strings.Join(p.Stdout(), "\n"); strings.Contains(all, canary) {
		t.Error("what Ada typed is in the log or in an event")
	}
	var markers []string
	for _, b := range ingest.Batches() {
		if bytes.Contains(b.Body, []byte(canary)) {
			t.Error("what Ada typed is in the recording")
		}
		for _, e := range b.Events {
			if raw, _ := json.Marshal(e); bytes.Contains(raw, []byte("takeover_")) {
				markers = append(markers, string(raw))
			}
		}
	}
	if all := strings.Join(markers, "\n"); len(markers) != 2 || !strings.Contains(markers[0], "takeover_started") || !strings.Contains(markers[1], "takeover_ended") ||
		strings.Count(all, "Ada") != 2 || !strings.Contains(all, "handed_back") {
		t.Errorf("markers:\n%s", all)
	}
}

// TestTakeoverOfAnAgentAtWork takes control at each stage of the agent's calls.
func TestTakeoverOfAnAgentAtWork(t *testing.T) {
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()}, liveConfig(apptest.Config{"agent_wait_ms": 20000}))
	c := p.MCP
	c.Initialize()
	c.Must("browser_navigate", apptest.Args{"url": "/keys"})
	d := dashboardOf(t, p, "1", "Ada")
	// A call that comes while she drives waits, and goes on.
	d.takeOver()
	click := later(c, "browser_click", apptest.Args{"target": "#field"})
	d.await("the agent to wait", func() bool { return d.agent.Waiting && *d.agent.Tool == "browser_click" })
	d.handBack()
	if r := <-click; r.IsError {
		t.Errorf("the click that waited: %s", r.Text)
	}
	d.await("the agent to go on", func() bool { return !d.agent.Waiting })

	// One that looks for its element has done nothing: it waits, too, and begins
	// again when she hands back.
	c.Must("browser_evaluate", apptest.Args{"function": "() => { document.querySelector('#field').disabled = true }"})
	click = later(c, "browser_click", apptest.Args{"target": "#field"})
	time.Sleep(300 * time.Millisecond) // it should be at it
	d.takeOver()
	d.await("the agent to wait", func() bool { return d.agent.Waiting && *d.agent.Tool == "browser_click" })
	d.handBack()
	if r := <-click; !r.IsError || strings.Contains(r.Text, "driving") {
		t.Errorf("the click on a disabled field: %s", r.Text)
	}

	// One that is at work is interrupted after a moment, and says so.
	script := later(c, "browser_evaluate", apptest.Args{"function": "() => new Promise(r => setTimeout(r, 20000))"})
	time.Sleep(300 * time.Millisecond)
	begin := time.Now()
	d.takeOver()
	r := <-script
	if !r.IsError || !strings.Contains(r.Text, "Ada is driving this browser by hand") || !strings.Contains(r.Text, "part of its work") || r.Meta["activeagents/takeover"] == nil {
		t.Errorf("the script that was at work: %s %v", r.Text, r.Meta)
	}
	if took := time.Since(begin); took < time.Second || took > 10*time.Second {
		t.Errorf("interrupted after %v", took)
	}

	// The host takes her permission away.
	p.Send(proto.Command{Type: proto.CommandRevoke, User: "1", ID: "r1"})
	if e := p.AwaitEvent(proto.EventRevoked); e.Detail["id"] != "r1" || e.Detail["viewers"] != 1.0 {
		t.Errorf("the answer to revoke: %v", e.Detail)
	}
	<-d.over
	if d.closed == nil || d.closed.Code != 4401 {
		t.Errorf("closed with %v", d.closed)
	}
	c.Must("browser_click", apptest.Args{"target": "#area"})

	// A stop answers the call that waits.
	grace := dashboardOf(t, p, "2", "Grace")
	grace.takeOver()
	click = later(c, "browser_click", apptest.Args{"target": "#area"})
	grace.await("the agent to wait", func() bool { return grace.agent.Waiting })
	if code := p.Stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if r := <-click; !r.IsError || r.Text != "### Error\nThe browser is stopping. Nothing was done." {
		t.Errorf("the call that waited for the end: %s", r.Text)
	}
	<-grace.over
	if grace.closed == nil || grace.closed.Code != 1001 {
		t.Errorf("closed with %v", grace.closed)
	}
	var waits []string
	for _, e := range p.Events() {
		if e.Type == proto.EventWaiting {
			waits = append(waits, fmt.Sprintf("%v %v", e.Detail["calls"], e.Detail["tool"]))
		}
	}
	if got := strings.Join(waits, ", "); got != strings.TrimSuffix(strings.Repeat("1 browser_click, 0 <nil>, ", 3), ", ") {
		t.Errorf("the supervisor was told that agents wait: %q", got)
	}
	want := "taken Ada true, handed_back Ada false, taken Ada true, handed_back Ada false, taken Ada true, revoked Ada false, taken Grace true, closed Grace false"
	if got := strings.Join(takeovers(p), ", "); got != want {
		t.Errorf("the supervisor was told %q, want %q", got, want)
	}
}

// TestDriveAllOfABrowser answers dialogs, gives files, and goes where a person
// wants, by the messages for viewers that ask for them.
func TestDriveAllOfABrowser(t *testing.T) {
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()}, liveConfig())
	c := p.MCP
	c.Initialize()
	c.Must("browser_navigate", apptest.Args{"url": "/keys"})
	d := dashboardOf(t, p, "1", "Ada", "modals", "tabs", "binary")
	d.takeOver()
	said := func(part string) {
		t.Helper()
		d.await(part, func() bool { return strings.Contains(d.said, part) })
	}

	// Where it likes, on the app.
	d.send(map[string]any{"type": "open", "url": "/lab"})
	d.await("the lab", func() bool { return d.page != nil && d.page.URL != nil && strings.HasSuffix(*d.page.URL, "/lab") })
	d.send(map[string]any{"type": "open", "url": "http://example.com/"})
	said("may only open pages of the sandbox app")
	d.send(map[string]any{"type": "back"})
	d.await("the page before", func() bool { return strings.HasSuffix(*d.page.URL, "/keys") })
	d.send(map[string]any{"type": "forward"})
	d.await("the page after", func() bool { return strings.HasSuffix(*d.page.URL, "/lab") })
	d.send(map[string]any{"type": "reload"})
	d.send(map[string]any{"type": "new_tab"})
	d.await("another tab", func() bool { return d.page.Tab == 2 && d.page.Tabs == 2 && len(d.tabs) == 2 && d.tabs[1].Current })
	d.send(map[string]any{"type": "show_tab", "id": d.tabID(0)})
	d.await("the first tab", func() bool { return d.page.Tab == 1 })
	d.send(map[string]any{"type": "close_tab", "id": d.tabID(1)})
	d.await("one tab", func() bool { return d.page.Tabs == 1 && len(d.tabs) == 1 })
	d.await("binary pictures", func() bool { return d.binary > 0 })
	d.handBack()

	// A dialog of the page.
	c.Must("browser_navigate", apptest.Args{"url": "/keys"})
	c.Must("browser_evaluate", apptest.Args{"function": `() => {
		const b = document.createElement('button'); b.id = 'ask'; b.textContent = 'Ask'; b.onclick = () => { b.textContent = prompt('Your name?', 'Bo') };
		const f = document.createElement('input'); f.type = 'file'; f.id = 'file'; f.onchange = async () => { document.title = f.files[0].name + ' ' + await f.files[0].text() };
		document.querySelector('main').prepend(b, f) }`})
	x, y := centre(t, c, "#ask")
	fx, fy := centre(t, c, "#file")
	d.takeOver()
	d.click(x, y)
	d.await("the dialog", func() bool {
		return strings.Contains(d.dialog, `{"kind":"prompt","message":"Your name?","default":"Bo"}`)
	})
	d.send(map[string]any{"type": "dialog", "accept": true, "text": canary})
	d.await("the dialog to close", func() bool { return strings.Contains(d.dialog, `"dialog":null`) })
	d.click(fx, fy)
	d.await("the chooser", func() bool { return strings.Contains(d.chooser, `{"multiple":false}`) })
	d.send(map[string]any{"type": "file", "name": "../../etc/übung.txt", "data": base64.StdEncoding.EncodeToString([]byte("hello "))})
	d.send(map[string]any{"type": "file", "data": base64.StdEncoding.EncodeToString([]byte("there"))})
	d.send(map[string]any{"type": "choose"})
	d.await("the chooser to close", func() bool { return strings.Contains(d.chooser, `"chooser":null`) })
	d.handBack()
	if text := c.Must("browser_evaluate", apptest.Args{"function": "() => document.querySelector('#ask').textContent"}); !strings.Contains(text, canary) {
		t.Errorf("the answer to the prompt: %s", text)
	}
	apptest.Await(t, "the page to have the file", func() bool {
		return strings.Contains(c.Must("browser_evaluate", apptest.Args{"function": "() => document.title"}), "_.._etc_übung.txt hello there")
	})
	if strings.Contains(p.Stderr(), canary) {
		t.Error("the log has what was typed")
	}
}
