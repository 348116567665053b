package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// fakeScreen keeps what it is told.
type fakeScreen struct {
	mu      sync.Mutex
	watched bool
	did     []string
	paces   []browser.Pace
}

func (s *fakeScreen) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did = append(s.did, fmt.Sprintf(format, args...))
}

func (s *fakeScreen) Watch(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched = on
}

func (s *fakeScreen) SetPace(p browser.Pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paces = append(s.paces, p)
}

func (s *fakeScreen) Mouse(p input.DispatchMouseEventParams) {
	s.note("%s %v,%v %s", p.Type, p.X, p.Y, p.Button)
}
func (s *fakeScreen) Key(p input.DispatchKeyEventParams) { s.note("%s %s", p.Type, p.Key) }
func (s *fakeScreen) Text(text string)                   { s.note("text %s", text) }
func (s *fakeScreen) Touch(down []*input.TouchPoint, modifiers int64, cancel bool) {
	var at []string
	for _, p := range down {
		at = append(at, fmt.Sprintf("%v:%v,%v", *p.ID, p.X, p.Y))
	}
	s.note("touch [%s] %d %v", strings.Join(at, " "), modifiers, cancel)
}
func (s *fakeScreen) Release() { s.note("release") }

func (s *fakeScreen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.did, ", ")
}

func (s *fakeScreen) isWatched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched
}

const (
	testSession = "7f9a2c1e-4b5d-4e6f-8a9b-0c1d2e3f4a5b"
	testOrigin  = "http://localhost:3000"
)

// stand is a hub on a real socket.
type stand struct {
	*Hub
	t      *testing.T
	screen *fakeScreen
	url    string
	token  proto.Secret
	log    *strings.Builder

	mu      sync.Mutex
	changes []takeover.Change
}

func newStand(t *testing.T, change ...func(*Options)) *stand {
	t.Helper()
	s := &stand{t: t, screen: &fakeScreen{}, token: proto.NewSecret(apptest.Token), log: &strings.Builder{}}
	verifier := proto.NewTicketVerifier(s.token, testSession, time.Now)
	o := Options{
		Screen: s.screen, Verify: verifier.Verify, AgentWait: 20 * time.Second, Grace: 10 * time.Second,
		OnTakeover: func(c takeover.Change) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.changes = append(s.changes, c)
		},
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}
	for _, c := range change {
		c(&o)
	}
	s.Hub = New(o)
	server := httptest.NewServer(s.Hub)
	s.url = "ws" + strings.TrimPrefix(server.URL, "http") + "/live"
	t.Cleanup(func() {
		s.Hub.Close()
		server.Close()
	})
	return s
}

// why is the reasons of all changes.
func (s *stand) why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, c := range s.changes {
		all = append(all, string(c.Reason)+" "+c.Holder.Person.Called("nobody"))
	}
	return strings.Join(all, ", ")
}

// ticket signs a ticket; an empty id is of nobody.
func (s *stand) ticket(id, name string, mode proto.TicketMode) string {
	s.t.Helper()
	c := proto.NewClaims(testSession, mode, id, name, time.Now())
	ticket, err := proto.SignTicket(s.token, c)
	if err != nil {
		s.t.Fatal(err)
	}
	return ticket
}

// peer is a viewer's page.
type peer struct {
	*websocket.Conn
	t *testing.T
}

func (s *stand) dial() *peer {
	s.t.Helper()
	conn, answer, err := websocket.DefaultDialer.Dial(s.url, map[string][]string{"Origin": {testOrigin}})
	if err != nil {
		s.t.Fatalf("dial: %v (%v)", err, answer)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &peer{conn, s.t}
}

// watch dials and shows a view ticket; the ready message is still to be read.
func (s *stand) watch(id, name string) *peer {
	s.t.Helper()
	p := s.dial()
	p.say("auth", "ticket", s.ticket(id, name, proto.TicketView))
	return p
}

// drive has a peer take control with a ticket of its own.
func (s *stand) drive(p *peer, id, name string) {
	s.t.Helper()
	p.say("take_control", "ticket", s.ticket(id, name, proto.TicketControl))
}

// say sends a message of a type and pairs of key and value.
func (p *peer) say(typ string, pairs ...any) {
	p.t.Helper()
	m := map[string]any{"type": typ}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	if err := p.WriteJSON(m); err != nil {
		p.t.Fatalf("send %s: %v", typ, err)
	}
}

// hear reads one message.
func (p *peer) hear() string {
	p.t.Helper()
	p.SetReadDeadline(time.Now().Add(apptest.Patience))
	kind, data, err := p.ReadMessage()
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	if kind != websocket.TextMessage {
		p.t.Fatalf("a message of kind %d", kind)
	}
	return string(data)
}

// since replaces the times in a message.
func normal(message string) string {
	return regexp.MustCompile(`"since":\d{13}`).ReplaceAllString(message, `"since":NOW`)
}

// hears reads one message and compares it, times aside.
func (p *peer) hears(want string) {
	p.t.Helper()
	if got := normal(p.hear()); got != want {
		p.t.Errorf("heard %s\nwant  %s", got, want)
	}
}

// ends reads until the connection is closed, and gives the code, the reason, and
// how many messages came before.
func (p *peer) ends() (code int, reason string, messages int) {
	p.t.Helper()
	p.SetReadDeadline(time.Now().Add(apptest.Patience))
	for {
		_, _, err := p.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return closed.Code, closed.Text, messages
		case err != nil:
			p.t.Fatalf("the connection ended without a close frame: %v", err)
		}
		messages++
	}
}

const (
	free      = `{"type":"control","held":false,"mine":false,"yours":false,"by":null,"since":null}`
	mineAda   = `{"type":"control","held":true,"mine":true,"yours":true,"by":"Ada","since":NOW}`
	yoursAda  = `{"type":"control","held":true,"mine":false,"yours":true,"by":"Ada","since":NOW}`
	othersAda = `{"type":"control","held":true,"mine":false,"yours":false,"by":"Ada","since":NOW}`
	viewOnly  = "view_only"
	idleReady = `{"type":"ready","control":{"held":false,"mine":false,"yours":false,"by":null,"since":null},"agent":{"waiting":false,"tool":null,"since":null},"page":{"url":"http://app.test/orders","tab":1,"tabs":1}}`
)

// onScreen shows a page and a picture of it.
func (s *stand) onScreen() {
	s.Show(&proto.PageState{URL: new("http://app.test/orders"), Tab: 1, Tabs: 1}, "first")
	s.Draw(Picture{JPEG: []byte("\xff\xd8jpeg"), Width: 1280, Height: 800})
}

// refused reads an error message and gives its code.
func (p *peer) refused() (code, message string) {
	p.t.Helper()
	var m struct{ Type, Code, Message string }
	if text := p.hear(); json.Unmarshal([]byte(text), &m) != nil || m.Type != "error" {
		p.t.Errorf("heard %s, want an error", text)
	}
	return m.Code, m.Message
}
