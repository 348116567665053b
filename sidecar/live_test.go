package main_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

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

// dashboard is a viewer as hosts of the original have it: it knows its messages
// and ignores all others.
type dashboard struct {
	t    testing.TB
	conn *websocket.Conn
	id   string
	name string

	mu      sync.Mutex
	opened  bool
	control proto.ControlState
	agent   proto.AgentState
	page    *proto.PageState
	frame   []byte // the newest
	width   int
	height  int
	frames  int
	errors  []string
	closed  *websocket.CloseError
	over    chan struct{}

	// What only viewers know that ask for it.
	tabs    []tabState
	dialog  string
	chooser string
	ask     string
	binary  int
	said    string // the last error's message
}

type tabState struct {
	ID      int
	Current bool
}

// ticketOf signs a ticket as a host does.
func ticketOf(t testing.TB, id, name string, mode proto.TicketMode) string {
	t.Helper()
	ticket, err := proto.SignTicket(proto.NewSecret(apptest.Token), proto.NewClaims(liveSession, mode, id, name, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// dashboardOf connects a person and waits for ready.
func dashboardOf(t testing.TB, p *apptest.Process, id, name string, features ...string) *dashboard {
	t.Helper()
	conn, answer, err := websocket.DefaultDialer.Dial(p.Ready.LiveURL, http.Header{"Origin": {liveOrigin}})
	if err != nil {
		t.Fatalf("connect to %s: %v %v", p.Ready.LiveURL, err, answer)
	}
	d := &dashboard{t: t, conn: conn, id: id, name: name, over: make(chan struct{})}
	go d.listen()
	t.Cleanup(func() { conn.Close(); <-d.over })
	auth := map[string]any{"type": "auth", "ticket": ticketOf(t, id, name, proto.TicketView)}
	if len(features) > 0 {
		auth["features"] = features
	}
	d.send(auth)
	d.await("ready", func() bool { return d.opened })
	return d
}

func (d *dashboard) listen() {
	defer close(d.over)
	for {
		kind, data, err := d.conn.ReadMessage()
		if err != nil {
			d.mu.Lock()
			d.closed, _ = err.(*websocket.CloseError)
			d.mu.Unlock()
			return
		}
		if kind == websocket.TextMessage {
			d.hear(data)
			continue
		}
		d.mu.Lock()
		d.binary++
		var head struct{ Width, Height int }
		if n := binary.BigEndian.Uint32(data); json.Unmarshal(data[4:4+n], &head) == nil {
			d.width, d.height = head.Width, head.Height
		}
		d.mu.Unlock()
	}
}

func (d *dashboard) hear(data []byte) {
	var m struct {
		Type, Data, Message string
		Width, Height       int
		Control             proto.ControlState
		Agent               proto.AgentState
		Page                *proto.PageState
		Tabs                []tabState
	}
	if err := json.Unmarshal(data, &m); err != nil {
		d.t.Errorf("a message that is not JSON: %.200s", data)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch m.Type {
	case "ready":
		d.opened, d.control, d.agent, d.page = true, m.Control, m.Agent, m.Page
	case "frame":
		d.frame, _ = base64.StdEncoding.DecodeString(m.Data)
		d.width, d.height = m.Width, m.Height
		d.frames++
	case "control":
		_ = json.Unmarshal(data, &d.control)
	case "agent":
		_ = json.Unmarshal(data, &d.agent)
	case "page":
		d.page = m.Page
	case "tabs":
		d.tabs = m.Tabs
	case "dialog":
		d.dialog = string(data)
	case "chooser":
		d.chooser = string(data)
	case "ask":
		d.ask = string(data)
	case "error":
		d.said = m.Message
		d.errors = append(d.errors, m.Message)
	}
}

func (d *dashboard) send(message map[string]any) {
	d.t.Helper()
	if err := d.conn.WriteJSON(message); err != nil {
		d.t.Fatalf("send %v: %v", message["type"], err)
	}
}

func (d *dashboard) await(what string, holds func() bool) {
	d.t.Helper()
	apptest.Await(d.t, what, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return holds()
	})
}

func (d *dashboard) takeOver() {
	d.t.Helper()
	d.send(map[string]any{"type": "take_control", "ticket": ticketOf(d.t, d.id, d.name, proto.TicketControl)})
	d.await("control", func() bool { return d.control.Mine })
}

func (d *dashboard) handBack() {
	d.t.Helper()
	d.send(map[string]any{"type": "hand_back"})
	d.await("control to be free", func() bool { return !d.control.Held })
}

func (d *dashboard) tabID(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tabs[n].ID
}

// click is a click at a point of the page in CSS pixels.
func (d *dashboard) click(x, y float64) {
	d.t.Helper()
	d.mu.Lock()
	px, py := x/float64(d.width), y/float64(d.height)
	d.mu.Unlock()
	d.send(map[string]any{"type": "mouse", "action": "move", "x": px, "y": py, "button": "none", "modifiers": 0})
	d.send(map[string]any{"type": "mouse", "action": "down", "x": px, "y": py, "button": "left", "clickCount": 1, "modifiers": 0})
	d.send(map[string]any{"type": "mouse", "action": "up", "x": px, "y": py, "button": "left", "clickCount": 1, "modifiers": 0})
}

func (d *dashboard) press(key, code string, keyCode int) {
	d.t.Helper()
	for _, action := range []string{"down", "up"} {
		d.send(map[string]any{"type": "key", "action": action, "key": key, "code": code, "keyCode": keyCode, "modifiers": 0})
	}
}

// centre asks the page where an element is.
func centre(t *testing.T, c *apptest.MCPClient, selector string) (x, y float64) {
	t.Helper()
	text := c.Must("browser_evaluate", apptest.Args{"function": fmt.Sprintf(
		"() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }", selector)})
	var at [2]float64
	if err := json.Unmarshal([]byte(resultJSON(text)), &at); err != nil {
		t.Fatalf("where is %s: %v in %s", selector, err, text)
	}
	return at[0], at[1]
}

// takeovers is the story of who drove, as the supervisor was told.
func takeovers(p *apptest.Process) (all []string) {
	for _, e := range p.Events() {
		if e.Type == proto.EventTakeover {
			all = append(all, fmt.Sprintf("%v %v %v", e.Detail["why"], e.Detail["by"], e.Detail["held"]))
		}
	}
	return all
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
