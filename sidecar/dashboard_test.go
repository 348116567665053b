package main_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

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
