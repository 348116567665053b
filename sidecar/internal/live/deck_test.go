package live

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// fakeControls notes what it is told on the screen's list.
type fakeControls struct {
	*fakeScreen
	hang chan struct{} // what Open waits for; nil: nothing

	guard sync.Mutex
	fail  error
}

func (c *fakeControls) did(format string, args ...any) error {
	c.guard.Lock()
	defer c.guard.Unlock()
	c.note(format, args...)
	return c.fail
}

func (c *fakeControls) failWith(err error) {
	c.guard.Lock()
	defer c.guard.Unlock()
	c.fail = err
}

func (c *fakeControls) Hold() { c.note("hold") }
func (c *fakeControls) Answer(_ context.Context, accept bool, text string) error {
	return c.did("answer %v %s", accept, text)
}
func (c *fakeControls) Choose(_ context.Context, files []File) error {
	var names []string
	for _, f := range files {
		names = append(names, fmt.Sprintf("%s=%d", f.Name, len(f.Data)))
	}
	return c.did("choose %s", strings.Join(names, " "))
}
func (c *fakeControls) Open(ctx context.Context, url string) error {
	if c.hang != nil {
		select {
		case <-c.hang:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.did("open %s", url)
}
func (c *fakeControls) Pick(_ context.Context, id int, choice page.Choice) error {
	raw, _ := json.Marshal(choice)
	return c.did("pick %d %s", id, raw)
}
func (c *fakeControls) Copy(context.Context) (string, error) { return "copied", c.did("copy") }
func (c *fakeControls) Fetch(_ context.Context, id string, at int64) (Part, error) {
	return Part{Name: "a.txt", Size: 5, Data: []byte("hello")[min(at, 5):]}, c.did("fetch %s %d", id, at)
}
func (c *fakeControls) Back(context.Context) error               { return c.did("back") }
func (c *fakeControls) Forward(context.Context) error            { return c.did("forward") }
func (c *fakeControls) Reload(context.Context) error             { return c.did("reload") }
func (c *fakeControls) NewTab(context.Context) error             { return c.did("new tab") }
func (c *fakeControls) ShowTab(_ context.Context, id int) error  { return c.did("show %d", id) }
func (c *fakeControls) CloseTab(_ context.Context, id int) error { return c.did("close %d", id) }

// newDeck is a stand whose people may do everything.
func newDeck(t *testing.T) (*stand, *fakeControls) {
	t.Helper()
	c := &fakeControls{}
	s := newStand(t, func(o *Options) {
		c.fakeScreen = o.Screen.(*fakeScreen)
		o.Controls = c
	})
	s.Deal(Deck{})
	return s, c
}

func (s *stand) watchWith(features ...string) *peer {
	s.t.Helper()
	p := s.dial()
	p.say("auth", "ticket", s.ticket("1", "Ada", proto.TicketView), "features", features)
	if !strings.HasPrefix(p.hear(), `{"type":"ready"`) {
		s.t.Error("not ready first")
	}
	p.hear() // the features
	return p
}

func TestDeckIsForThoseWhoAsk(t *testing.T) {
	s, _ := newDeck(t)
	s.Deal(Deck{Tabs: []TabState{{ID: 3, Title: "Orders", URL: "http://app.test/orders", Current: true}}})
	plain, all := s.watch("2", "Grace"), s.watchWith("modals", "tabs")
	plain.hear()
	all.hears(`{"type":"tabs","tabs":[{"id":3,"title":"Orders","url":"http://app.test/orders","current":true}],"loading":false}`)
	all.hears(`{"type":"dialog","dialog":null}`)
	all.hears(`{"type":"chooser","chooser":null}`)
	s.Deal(Deck{Tabs: []TabState{{ID: 3, Title: "Orders", URL: "http://app.test/orders", Current: true}}, Dialog: &DialogState{Kind: "prompt", Message: "Name?", Default: "Bo"}})
	all.hears(`{"type":"dialog","dialog":{"kind":"prompt","message":"Name?","default":"Bo"}}`)
	s.Deal(Deck{Chooser: &ChooserState{Multiple: true}, Loading: true})
	all.hears(`{"type":"tabs","tabs":[],"loading":true}`)
	all.hears(`{"type":"dialog","dialog":null}`)
	all.hears(`{"type":"chooser","chooser":{"multiple":true}}`)
	s.Show(nil, nil)
	plain.hears(`{"type":"page","page":null}`) // and nothing before it
}

func TestControlsAreGated(t *testing.T) {
	s, c := newDeck(t)
	file := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }
	everything := func(p *peer) {
		p.say("dialog", "accept", true, "text", "Bo")
		p.say("dialog", "accept", "yes")
		p.say("file", "name", "a.txt", "data", file(10))
		p.say("file", "data", file(5))
		p.say("file", "name", "b.txt", "data", file(1))
		p.say("choose")
		p.say("choose")
		p.say("choose", "cancel", true)
		p.say("open", "url", "/orders")
		for _, typ := range []string{"back", "forward", "reload", "new_tab"} {
			p.say(typ)
		}
		p.say("show_tab", "id", 3)
		p.say("show_tab", "id", 1.5)
		p.say("show_tab")
		p.say("close_tab", "id", 4)
		p.say("close_tab", "id", "4")
	}
	settled := func(p *peer) {
		p.say("take_control")
		p.refused()
	}
	plain, all := s.watch("1", "Ada"), s.watchWith("modals", "tabs")
	plain.hear()
	for range 3 {
		all.hear()
	}
	everything(all)
	settled(all)
	if got := s.screen.all(); got != "" {
		t.Errorf("without control: %q", got)
	}
	s.drive(plain, "1", "Ada")
	plain.hears(mineAda)
	all.hears(yoursAda)
	everything(plain)
	settled(plain)
	if got := s.screen.all(); got != "" {
		t.Errorf("by one who did not ask for it: %q", got)
	}
	s.drive(all, "1", "Ada")
	all.hears(mineAda)
	everything(all)
	want := []string{"hold", "answer true Bo", "answer false ", "choose a.txt=15 b.txt=1", "choose ", "open /orders", "back", "forward", "reload", "new tab", "show 3", "close 4"}
	apptest.Await(t, "everything to be done", func() bool {
		for _, w := range want {
			if !strings.Contains(s.screen.all()+",", w+",") {
				return false
			}
		}
		return true
	})
	if n := strings.Count(s.screen.all(), "choose"); n != 2 {
		t.Errorf("chosen %d times: %s", n, s.screen.all())
	}

	// What was not done is told.
	c.failWith(&proto.Error{Code: proto.CodeOffApp, Message: "not the app"})
	all.say("open", "url", "http://evil.test/")
	all.hears(`{"type":"error","code":"off_app","message":"not the app"}`)
	c.failWith(errors.New("odd"))
	all.say("back")
	all.hears(`{"type":"error","code":"internal","message":"odd"}`)
	c.failWith(nil)

	// Too large files are dropped as a whole.
	for range maxFileBytes/(40<<10) + 2 {
		all.say("file", "name", "big", "data", file(40<<10))
	}
	if code, _ := all.refused(); code != "too_large" {
		t.Errorf("code %q", code)
	}
}

func TestNavigationsDoNotPileUp(t *testing.T) {
	s, c := newDeck(t)
	c.hang = make(chan struct{})
	p := s.watchWith("tabs")
	p.hear()
	s.drive(p, "1", "Ada")
	p.hears(mineAda)
	for range maxActs + 1 {
		p.say("open", "url", "/slow")
	}
	p.hears(`{"type":"error","code":"timeout","message":"The browser is busy with what you did before"}`)
	p.say("hand_back") // and the reader goes on
	p.hears(free)
	s.Hub.Close() // which ends what hangs
}
