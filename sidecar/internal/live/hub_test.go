package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

func TestFirstMessageDecides(t *testing.T) {
	s := newStand(t, func(o *Options) { o.MaxViewers = 50 })
	signed := func(change func(*proto.Claims)) string {
		c := proto.NewClaims(testSession, proto.TicketView, "7", "Ada", time.Now())
		change(&c)
		ticket, err := proto.SignTicket(s.token, c)
		if err != nil {
			t.Fatal(err)
		}
		return ticket
	}
	auth := func(ticket string) string { return fmt.Sprintf(`{"type":"auth","ticket":%q}`, ticket) }
	used := s.ticket("7", "Ada", proto.TicketView)
	p := s.dial()
	p.say("auth", "ticket", used)
	p.hear()
	for _, c := range []struct {
		name    string
		kind    int
		message string
		reason  string
	}{
		{"take_control", websocket.TextMessage, `{"type":"take_control","ticket":"` + s.ticket("7", "Ada", proto.TicketControl) + `"}`, "no ticket first"},
		{"not JSON", websocket.TextMessage, `hello`, "no ticket first"},
		{"an array", websocket.TextMessage, `["auth"]`, "no ticket first"},
		{"null", websocket.TextMessage, `null`, "no ticket first"},
		{"nothing", websocket.TextMessage, ``, "no ticket first"},
		{"another spelling", websocket.TextMessage, `{"Type":"auth","Ticket":"` + s.ticket("7", "Ada", proto.TicketView) + `"}`, "no ticket first"},
		{"no ticket", websocket.TextMessage, `{"type":"auth"}`, "no ticket first"},
		{"a ticket that is no text", websocket.TextMessage, `{"type":"auth","ticket":7}`, "no ticket first"},
		{"binary", websocket.BinaryMessage, auth(s.ticket("7", "Ada", proto.TicketView)), "no ticket first"},
		{"a bad ticket", websocket.TextMessage, auth("a.b"), "bad signature"},
		{"rubbish", websocket.TextMessage, auth("rubbish"), "malformed"},
		{"an old one", websocket.TextMessage, auth(signed(func(c *proto.Claims) { c.IssuedAt -= 40; c.ExpiresAt -= 40 })), "expired"},
		{"of another session", websocket.TextMessage, auth(signed(func(c *proto.Claims) { c.SessionID = "other" })), "another sandbox"},
		{"a used one", websocket.TextMessage, auth(used), "already used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := s.dial()
			if err := p.WriteMessage(c.kind, []byte(c.message)); err != nil {
				t.Fatal(err)
			}
			code, reason, messages := p.ends()
			if code != 4401 || reason != c.reason || messages > 0 {
				t.Errorf("closed %d %q after %d messages, want 4401 %q", code, reason, messages, c.reason)
			}
		})
	}
}

func TestNoTicketInTime(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	begin := time.Now() // before the socket opens: its time runs from there
	p := s.dial()
	code, reason, messages := p.ends()
	if code != 4408 || reason != "No ticket" || messages > 0 {
		t.Errorf("closed %d %q after %d messages", code, reason, messages)
	}
	if took := time.Since(begin); took < ticketLimit {
		t.Errorf("after %v", took)
	}
}

func TestWatching(t *testing.T) {
	s := newStand(t)
	s.onScreen()
	if s.screen.isWatched() {
		t.Error("pictures are taken for nobody")
	}
	p := s.watch("7", "Ada")
	p.hears(idleReady)
	p.hears(`{"type":"frame","data":"/9hqcGVn","width":1280,"height":800}`)
	apptest.Await(t, "pictures to be taken", s.screen.isWatched)
	s.Draw(Picture{JPEG: []byte("\xff\xd8"), Width: 1024, Height: 768})
	p.hears(`{"type":"frame","data":"/9g=","width":1024,"height":768}`)
	s.Show(&proto.PageState{Tab: 2, Tabs: 2}, "second")
	p.hears(`{"type":"page","page":{"url":null,"tab":2,"tabs":2}}`)
	s.Show(nil, nil)
	p.hears(`{"type":"page","page":null}`)
	// What is unknown does nothing.
	for _, m := range []string{`[]`, `7`, `"x"`, `{"type":"wave"}`, `{"type":7}`, `{}`, `{"type":"auth","ticket":"x"}`, `{"type":"hand_back"}`, `{"type":"Mouse"}`, `nonsense`} {
		p.WriteMessage(websocket.TextMessage, []byte(m))
	}
	p.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"hand_back"}`))
	s.Show(&proto.PageState{URL: new("about:blank"), Tab: 1, Tabs: 1}, "third")
	p.hears(`{"type":"page","page":{"url":"about:blank","tab":1,"tabs":1}}`)
	// One who comes later sees nothing of a tab that is gone.
	late := s.watch("8", "Grace")
	late.hears(strings.Replace(idleReady, "http://app.test/orders", "about:blank", 1))
	s.Draw(Picture{JPEG: []byte("\xff\xd8"), Width: 1, Height: 2})
	late.hears(`{"type":"frame","data":"/9g=","width":1,"height":2}`)
	late.Close()
	p.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
	apptest.Await(t, "the pictures to end", func() bool { return !s.screen.isWatched() })
}

func TestTakingControlNeedsATicketEachTime(t *testing.T) {
	s := newStand(t)
	s.onScreen()
	p := s.dial()
	p.say("auth", "ticket", s.ticket("7", "Ada", proto.TicketControl))
	p.hears(idleReady)
	p.hear() // the picture
	wantError := func(code string) {
		t.Helper()
		if got, _ := p.refused(); got != code {
			t.Errorf("refused with %q, want %q", got, code)
		}
	}
	p.say("take_control")
	wantError(viewOnly)
	p.say("mouse", "action", "down", "x", 0.5, "y", 0.5)
	p.say("take_control", "ticket", s.ticket("7", "Ada", proto.TicketView))
	wantError(viewOnly)
	p.say("take_control", "ticket", s.ticket("8", "Grace", proto.TicketControl))
	wantError(viewOnly)
	p.say("take_control", "ticket", s.ticket("", "", proto.TicketControl))
	wantError(viewOnly)
	if _, held := s.Lease().Holder(); held || s.screen.all() != "" {
		t.Errorf("held %v, passed on %q", held, s.screen.all())
	}
	ticket := s.ticket("7", "Ada", proto.TicketControl)
	p.say("take_control", "ticket", ticket)
	p.hears(mineAda)
	p.say("hand_back")
	p.hears(free)
	p.say("take_control")
	wantError(viewOnly)
	p.say("take_control", "ticket", ticket)
	wantError(viewOnly)
	s.drive(p, "7", "Ada")
	p.hears(mineAda)
	s.drive(p, "7", "Ada") // it holds it already: nothing changes
	p.say("hand_back")
	p.hears(free)
}

func TestOneDrivesAndAnotherWatches(t *testing.T) {
	s := newStand(t)
	s.onScreen()
	ada, grace := s.watch("1", "Ada"), s.watch("2", "Grace")
	for _, p := range []*peer{ada, grace} {
		p.hears(idleReady)
		p.hear() // the picture
	}
	s.drive(ada, "1", "Ada")
	ada.hears(mineAda)
	grace.hears(othersAda)
	s.drive(grace, "2", "Grace")
	if code, message := grace.refused(); code != "held" || !strings.Contains(message, "Ada is driving the browser") {
		t.Errorf("refused with %q %q", code, message)
	}
	grace.say("mouse", "action", "down", "x", 0.1, "y", 0.1)
	grace.say("key", "action", "down", "key", "q")
	ada.say("mouse", "action", "down", "x", 0.5, "y", 0.25, "button", "left")
	ada.say("text", "text", "canary-secret")
	ada.say("key", "action", "down", "key", "a")
	ada.say("hand_back")
	ada.say("text", "text", "too late")
	ada.hears(free)
	grace.hears(free)
	grace.say("text", "text", "never")
	grace.say("take_control")
	grace.refused() // so what came before was handled
	if got, want := s.screen.all(), "mousePressed 640,200 left, text canary-secret, keyDown a, release"; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
	if got := s.why(); got != "taken Ada, handed_back Ada" {
		t.Errorf("changes %q", got)
	}
	if strings.Contains(s.log.String(), "canary") {
		t.Errorf("the log has what was typed: %s", s.log)
	}
}

func TestComingBackWithinTheGrace(t *testing.T) {
	s := newStand(t, func(o *Options) { o.Grace = time.Second })
	ada, grace := s.watch("1", "Ada"), s.watch("2", "Grace")
	ada.hear()
	grace.hear()
	s.drive(ada, "1", "Ada")
	ada.hears(mineAda)
	grace.hears(othersAda)
	ada.say("key", "action", "down", "key", "Shift")
	apptest.Await(t, "the key", func() bool { return s.screen.all() == "rawKeyDown Shift" })
	before, _ := s.Lease().Holder()
	ada.NetConn().Close()
	apptest.Await(t, "the key to be let go", func() bool { return s.screen.all() == "rawKeyDown Shift, release" })
	again := s.watch("1", "Ada")
	again.hears(`{"type":"ready","control":{"held":true,"mine":false,"yours":true,"by":"Ada","since":NOW},"agent":{"waiting":false,"tool":null,"since":null},"page":null}`)
	s.drive(again, "1", "Ada")
	again.hears(mineAda)
	grace.hears(othersAda)
	if h, _ := s.Lease().Holder(); !h.Since.Equal(before.Since) {
		t.Error("the time of the start changed")
	}
	again.NetConn().Close()
	grace.hears(free)
	if got := s.why(); got != "taken Ada, moved Ada, disconnected Ada" {
		t.Errorf("changes %q", got)
	}
}

func TestAgentThatWaitsIsShown(t *testing.T) {
	s := newStand(t)
	p := s.watch("1", "Ada")
	p.hear()
	s.drive(p, "1", "Ada")
	p.hears(mineAda)
	done := make(chan error)
	go func() {
		_, leave, err := s.Lease().Admit(context.Background(), "browser_click", nil)
		if err == nil {
			leave()
		}
		done <- err
	}()
	p.hears(`{"type":"agent","waiting":true,"tool":"browser_click","since":NOW}`)
	second := s.watch("2", "Grace")
	second.hears(`{"type":"ready","control":{"held":true,"mine":false,"yours":false,"by":"Ada","since":NOW},"agent":{"waiting":true,"tool":"browser_click","since":NOW},"page":null}`)
	p.say("hand_back")
	p.hears(free)
	p.hears(`{"type":"agent","waiting":false,"tool":null,"since":null}`)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestClose(t *testing.T) {
	s := newStand(t)
	p, fresh, mute := s.watch("1", "Ada"), s.dial(), s.watch("2", "Grace")
	p.hear()
	mute.hear() // and nothing more
	s.drive(p, "1", "Ada")
	p.hears(mineAda)
	waits := make(chan error)
	go func() {
		_, _, err := s.Lease().Admit(context.Background(), "browser_click", nil)
		waits <- err
	}()
	p.hear()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.Hub.Close()
	}()
	if err := <-waits; err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("the waiting call got %v", err)
	}
	for name, p := range map[string]*peer{"viewer": p, "without a ticket": fresh} {
		if code, reason, _ := p.ends(); code != 1001 || reason != "The browser stopped" {
			t.Errorf("%s: closed %d %q", name, code, reason)
		}
	}
	<-closed
	if got := s.why(); got != "taken Ada, closed Ada" {
		t.Errorf("changes %q", got)
	}
}

func TestRevoke(t *testing.T) {
	s := newStand(t)
	a, b, other := s.watch("1", "Ada"), s.watch("1", "Ada"), s.watch("2", "Grace")
	for _, p := range []*peer{a, b, other} {
		p.hear()
	}
	s.drive(a, "1", "Ada")
	a.hears(mineAda)
	b.hears(yoursAda)
	other.hears(othersAda)
	kept := s.ticket("1", "Ada", proto.TicketView)
	if n := s.Revoke("1"); n != 2 {
		t.Errorf("%d viewers were disconnected", n)
	}
	other.hears(free)
	for _, p := range []*peer{a, b} {
		if code, reason, _ := p.ends(); code != 4401 || reason != "revoked" {
			t.Errorf("closed %d %q", code, reason)
		}
	}
	late := s.dial()
	late.say("auth", "ticket", kept)
	if code, reason, _ := late.ends(); code != 4401 || reason != "expired" {
		t.Errorf("an old ticket: closed %d %q", code, reason)
	}
	if got := s.why(); got != "taken Ada, revoked Ada" {
		t.Errorf("changes %q", got)
	}
}

func TestViewersAreLimited(t *testing.T) {
	s := newStand(t, func(o *Options) { o.MaxViewers = 1 })
	p := s.watch("1", "Ada")
	p.hear()
	if code, reason, n := s.dial().ends(); code != 4429 || reason != "Too many viewers" || n > 0 {
		t.Errorf("the second: closed %d %q after %d messages", code, reason, n)
	}
	p.Close()
	apptest.Await(t, "the place to be free", func() bool { return !s.screen.isWatched() })
	fresh := s.dial()
	apptest.Await(t, "it to have the place", func() bool {
		s.Hub.mu.Lock()
		defer s.Hub.mu.Unlock()
		return len(s.fresh) == 1
	})
	if code, _, _ := s.dial().ends(); code != 4429 {
		t.Errorf("beside one without a ticket: closed %d", code)
	}
	fresh.say("auth", "ticket", s.ticket("1", "Ada", proto.TicketView))
	fresh.hear()
}

// Sockets that never show a ticket don't keep people out.
func TestStrangersKeepNobodyOut(t *testing.T) {
	s := newStand(t)
	var strangers []*peer
	begin := time.Now()
	for range DefaultMaxViewers {
		strangers = append(strangers, s.dial())
	}
	ninth := s.dial()
	// A machine that is slow enough makes the first one old.
	if code, _, _ := ninth.ends(); code != 4429 && time.Since(begin) < freshAge {
		t.Errorf("a ninth in the same moment: closed %d", code)
	}
	time.Sleep(freshAge) // they must be that old
	p := s.watch("1", "Ada")
	p.hear()
	if code, _, _ := strangers[0].ends(); code != 4408 {
		t.Errorf("the oldest stranger: closed %d", code)
	}
	for range DefaultMaxViewers - 1 {
		s.watch("1", "Ada").hear()
	}
}

func TestMessageSize(t *testing.T) {
	s := newStand(t)
	p := s.watch("1", "Ada")
	p.hear()
	message := func(size int) []byte {
		text := `{"type":"wave","pad":""}`
		return []byte(strings.Replace(text, `""`, `"`+strings.Repeat("x", size-len(text))+`"`, 1))
	}
	p.WriteMessage(websocket.TextMessage, message(64<<10))
	p.say("take_control")
	p.refused() // it is still there
	p.WriteMessage(websocket.TextMessage, message(64<<10+1))
	if code, _, _ := p.ends(); code != 1009 {
		t.Errorf("closed %d", code)
	}
	first := s.dial()
	first.WriteMessage(websocket.TextMessage, message(64<<10+1))
	if code, _, _ := first.ends(); code != 1009 {
		t.Errorf("as the first message: closed %d", code)
	}
}
