//go:build linux

package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// liveSession and liveOrigin are the live view's of the sidecar under test.
const (
	liveSession = "session-1"
	liveOrigin  = "http://dashboard.test"
)

// liveConfig switches the live view on.
func liveConfig() apptest.Config {
	return apptest.Config{"live": apptest.Config{"session_id": liveSession, "origins": []string{liveOrigin}, "release_grace_ms": 200}}
}

// knock asks the real sidecar for an upgrade and gives the status.
func (e *scene) knock(t *testing.T, target, origin, host string) int {
	t.Helper()
	if host == "" {
		host = "HOST"
	}
	text := "GET " + target + " HTTP/1.1\nHost: " + host + "\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
	if origin != "" {
		text += "Origin: " + origin + "\n"
	}
	status, header, _ := e.raw(t, text+"\n")
	if header.Get("Sec-WebSocket-Extensions") != "" {
		t.Errorf("an extension is offered: %v", header)
	}
	return status
}

// viewer is a person's page on the real socket.
type viewer struct {
	*websocket.Conn
	t *testing.T
}

// open makes a socket, without a ticket yet.
func (e *scene) socket(t *testing.T) *viewer {
	t.Helper()
	// One that is asked for compression must not agree.
	dialer := websocket.Dialer{EnableCompression: true, HandshakeTimeout: apptest.Patience}
	conn, resp, err := dialer.Dial(fmt.Sprintf("ws://127.0.0.1:%d/live", e.p.Ready.Port), http.Header{"Origin": {liveOrigin}})
	if err != nil {
		t.Fatalf("open a socket: %v", err)
	}
	if resp.Header.Get("Sec-WebSocket-Extensions") != "" {
		t.Errorf("compression was agreed on: %v", resp.Header)
	}
	conn.SetReadDeadline(time.Now().Add(apptest.Patience))
	t.Cleanup(func() { conn.Close() })
	return &viewer{conn, t}
}

// say sends a text message.
func (v *viewer) say(message any) {
	v.t.Helper()
	text, ok := message.(string)
	if !ok {
		b, err := json.Marshal(message)
		if err != nil {
			v.t.Fatal(err)
		}
		text = string(b)
	}
	v.WriteMessage(websocket.TextMessage, []byte(text)) // it may be closed, as it should
}

// next is the next message that is no picture; code is that of the close frame
// that came instead.
func (v *viewer) next() (message map[string]any, code int) {
	for {
		_, b, err := v.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			return nil, closed.Code
		}
		if err != nil {
			return nil, -1
		}
		message = nil
		if json.Unmarshal(b, &message) == nil && message["type"] != "frame" {
			return message, 0
		}
	}
}

// until reads on to a message of a type.
func (v *viewer) until(typ string) map[string]any {
	v.t.Helper()
	for {
		message, code := v.next()
		if code != 0 {
			v.t.Fatalf("closed with %d before %s", code, typ)
		}
		if message["type"] == typ {
			return message
		}
	}
}

// ticket is one that the host would give out.
func ticket(t *testing.T, mode proto.TicketMode, user, name string) string {
	t.Helper()
	text, err := proto.SignTicket(proto.NewSecret(apptest.Token), proto.NewClaims(liveSession, mode, user, name, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// watch opens the live view as a person.
func (e *scene) watch(t *testing.T, user string) *viewer {
	t.Helper()
	v := e.socket(t)
	v.say(apptest.Args{"type": "auth", "ticket": ticket(t, proto.TicketView, user, user)})
	v.until("ready")
	return v
}

// counting is a script that counts what comes to the page, and counted reads it.
const (
	counting = `() => { window.seen = []; for (const kind of ['mousemove', 'mousedown', 'mouseup', 'wheel', 'keydown', 'keyup', 'input', 'pointermove']) addEventListener(kind, (e) => seen.push(kind), true); document.body.innerHTML = '<textarea id=target></textarea>'; document.getElementById('target').focus(); document.title = 'untouched' }`
	counted  = `() => [seen.length, document.getElementById('target').value.length, document.title]`
	nothing  = `[0,0,"untouched"]`
)

// untouched says that the page got nothing.
func untouched(t *testing.T, c *apptest.MCPClient) {
	t.Helper()
	time.Sleep(quietTime)
	if got := strings.Join(strings.Fields(evaluate(t, c, counted)), ""); got != nothing {
		t.Errorf("the page got something: %s", got)
	}
}

// inputs are messages that drive.
func inputs() []any {
	return []any{
		apptest.Args{"type": "mouse", "action": "move", "x": 0.5, "y": 0.5},
		apptest.Args{"type": "mouse", "action": "down", "x": 0.5, "y": 0.5, "button": "left"},
		apptest.Args{"type": "mouse", "action": "up", "x": 0.5, "y": 0.5, "button": "left"},
		apptest.Args{"type": "wheel", "x": 0.5, "y": 0.5, "deltaY": 100},
		apptest.Args{"type": "key", "action": "down", "key": "a"},
		apptest.Args{"type": "key", "action": "up", "key": "a"},
		apptest.Args{"type": "text", "text": "typed"},
	}
}

// socketRow runs a row of the live view's socket on the real sidecar.
func socketRow(t *testing.T, e *scene, r row) {
	if strings.HasPrefix(r.ID, "M") && r.How == "" {
		target, rest, _ := strings.Cut(r.Input, " ")
		origin, host, _ := strings.Cut(rest, " ")
		want := []int{http.StatusForbidden}
		switch {
		case r.allowed():
			want = []int{http.StatusSwitchingProtocols}
		case strings.Contains(r.Why, "400"):
			want = []int{http.StatusBadRequest}
		}
		if got := e.knock(t, target, origin, host); got != want[0] {
			t.Errorf("%s from %q: %d, want %v", target, origin, got, want)
		}
		return
	}
	switch r.ID {
	case "S206", "S207", "S208":
		origin, host := map[string]string{"S206": "http://evil.test", "S208": liveOrigin}[r.ID], map[string]string{"S208": "evil.test"}[r.ID]
		if got := e.knock(t, "/live", origin, host); got != http.StatusForbidden {
			t.Errorf("answered with %d", got)
		}
		return
	case "S214":
		e.neverReads(t)
		return
	case "S217":
		e.twoHolders(t)
		return
	}
	c := e.open(t, "/leave?to=x&row="+r.ID)
	evaluate(t, c, counting)
	v := e.watch(t, "Ada")
	defer v.Close()
	if r.How == "driving" || r.ID == "S216" {
		v.say(apptest.Args{"type": "take_control", "ticket": ticket(t, proto.TicketControl, "Ada", "Ada")})
		v.until("control")
	}
	before := rss(e.p.PID)
	closes := 0 // the code that must come; 0: nothing happens
	switch r.ID {
	case "S209":
		for _, m := range inputs() {
			v.say(m)
		}
	case "S210":
		for _, b := range [][]byte{{0}, {0xff, 0xfe}, []byte(`{"type":"text","text":"x"}`)} {
			v.WriteMessage(websocket.BinaryMessage, b)
		}
		first := e.socket(t)
		first.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"auth","ticket":"`+ticket(t, proto.TicketView, "u", "n")+`"}`))
		if message, code := first.next(); code != proto.CloseRefused {
			t.Errorf("as the first message: %v, %d", message, code)
		}
	case "S211":
		closes = proto.CloseTooBig
		v.say(strings.Repeat("x", 10<<20))
	case "S212":
		v.say(`{"type":"eval","expr":"document.title='touched'"}`)
		v.say(`{"type":"cdp","method":"Runtime.evaluate","params":{"expression":"document.title='touched'"}}`)
	case "S213":
		v.say(`{"type":"no_such_thing"}`)
		v.say(`{"type":7}`)
		v.say(`{}`)
	case "S215":
		closes = websocket.CloseProtocolError
		// A text frame that says it is compressed: its first bits are not ours to use.
		v.NetConn().Write([]byte{0xc1, 0x81, 0, 0, 0, 0, 'x'})
	case "S216":
		v.say(apptest.Args{"type": "key", "action": "down", "key": strings.Repeat("a", 60_000)})
		v.say(apptest.Args{"type": "text", "text": strings.Repeat("a", 2001)})
		v.say(apptest.Args{"type": "text", "text": strings.Repeat("a", 1<<20)})
		closes = proto.CloseTooBig
	default:
		v.say(r.Input)
	}
	if closes != 0 {
		for {
			_, code := v.next()
			if code != 0 {
				if code != closes && code != -1 {
					t.Errorf("closed with %d, want %d", code, closes)
				}
				break
			}
		}
	}
	if grown := rss(e.p.PID) - before; grown > 64<<20 {
		t.Errorf("the sidecar has grown by %d MiB", grown>>20)
	}
	v.Close()
	c2 := e.client(t)
	if r.ID == "S216" || r.How == "driving" { // an agent waits while somebody drives
		apptest.Await(t, "control to end", func() bool { return !c2.Call("browser_hover", apptest.Args{"target": "#target"}).IsError })
		if n := evaluate(t, c2, `() => document.getElementById('target').value.length`); n != "0" {
			t.Errorf("%s characters arrived", n)
		}
		return
	}
	untouched(t, c2)
	e.stillServes(t)
}

// neverReads: a viewer that takes nothing costs the others nothing, and goes.
func (e *scene) neverReads(t *testing.T) {
	t.Helper()
	c := e.open(t, "/mutate")
	lazy := e.socket(t)
	if tcp, ok := lazy.NetConn().(*net.TCPConn); ok {
		tcp.SetReadBuffer(4 << 10)
	}
	lazy.say(apptest.Args{"type": "auth", "ticket": ticket(t, proto.TicketView, "lazy", "lazy")})
	good := e.watch(t, "good")
	before := rss(e.p.PID)
	frames := 0
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		_, b, err := good.ReadMessage()
		if err != nil {
			t.Fatalf("the good viewer: %v", err)
		}
		if strings.Contains(string(b[:min(40, len(b))]), `"frame"`) {
			frames++
		}
	}
	if frames < 5 {
		t.Errorf("%d pictures came to the one who reads", frames)
	}
	if grown := rss(e.p.PID) - before; grown > 64<<20 {
		t.Errorf("the sidecar has grown by %d MiB", grown>>20)
	}
	if c.Call("browser_tabs", apptest.Args{"action": "list"}).IsError {
		t.Error("the agent is kept waiting")
	}
	if !full() {
		return
	}
	// It answers no ping, either.
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		good.SetReadDeadline(time.Now().Add(apptest.Patience))
		if _, _, err := good.ReadMessage(); err != nil {
			t.Fatalf("the good viewer: %v", err)
		}
		if socketsTo(e.p.PID, e.p.Ready.Port) <= 1 {
			return
		}
	}
	t.Error("the viewer that never reads is still there after a minute")
}

// twoHolders: of two who take control at once, one has it and the other is told
// who.
func (e *scene) twoHolders(t *testing.T) {
	t.Helper()
	e.open(t, "/lab")
	people := []*viewer{e.watch(t, "Ada"), e.watch(t, "Grace")}
	names := []string{"Ada", "Grace"}
	tickets := []string{ticket(t, proto.TicketControl, "Ada", "Ada"), ticket(t, proto.TicketControl, "Grace", "Grace")}
	var wg sync.WaitGroup
	for i, v := range people {
		wg.Go(func() { v.say(apptest.Args{"type": "take_control", "ticket": tickets[i]}) })
	}
	wg.Wait()
	holds, refused := "", ""
	for i, v := range people {
		for {
			message, code := v.next()
			if code != 0 {
				t.Fatalf("%s: closed with %d", names[i], code)
			}
			if message["type"] == "control" && message["mine"] == true {
				holds += names[i]
				break
			}
			if message["type"] == "error" {
				refused = fmt.Sprint(message["code"], " ", message["message"])
				break
			}
		}
	}
	if holds != "Ada" && holds != "Grace" || !strings.Contains(refused, "held") || !strings.Contains(refused, holds+" is driving the browser") {
		t.Errorf("held by %q, refused with %q", holds, refused)
	}
	for _, v := range people {
		v.say(`{"type":"hand_back"}`)
	}
}
