package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/livepage"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/httpd"
	"github.com/pillion-browser/pillion/sidecar/internal/live"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

const session = "7f9a2c1e-4b5d-4e6f-8a9b-0c1d2e3f4a5b"

// noAgents is a gateway without any.
type noAgents struct{ http.Handler }

func (noAgents) Stop(context.Context) error { return nil }

// within is a context for one step.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apptest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// opened is a browser with a live view, and the address of its own page.
func opened(t *testing.T, site *apptest.Site) (tab *browser.Tab, hub *live.Hub, page string) {
	t.Helper()
	b := browsertest.Open(t, site)
	hub, page = raised(t, b)
	return b.Tabs()[0], hub, page
}

// raised gives a browser a live view.
func raised(t testing.TB, b *browser.Browser, change ...func(*live.Options)) (hub *live.Hub, page string) {
	t.Helper()
	return raisedAt(t, b, nil, change...)
}

// raisedAt gives a browser a live view, which is also reached under other hosts.
func raisedAt(t testing.TB, b *browser.Browser, hosts []string, change ...func(*live.Options)) (hub *live.Hub, page string) {
	t.Helper()
	stage := live.NewStage(b, live.StageOptions{})
	token := proto.NewSecret(apptest.Token)
	o := live.Options{
		Screen: stage, Controls: stage, Verify: proto.NewTicketVerifier(token, session, time.Now).Verify,
		AgentWait: time.Minute, Grace: time.Second,
	}
	for _, c := range change {
		c(&o)
	}
	hub = live.New(o)
	stage.Raise(hub)
	var origins []string
	for _, h := range hosts {
		origins = append(origins, "http://"+h)
	}
	server := httpd.New(httpd.Options{
		Host: "127.0.0.1", AllowedHosts: hosts, LiveOrigins: origins, Token: token, MCP: noAgents{http.NotFoundHandler()}, Live: hub, Page: livepage.New(livepage.Options{Socket: "/live", Session: session}),
	})
	port, err := server.Listen()
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() {
		hub.Close()
		stage.Close()
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	})
	return hub, fmt.Sprintf("http://127.0.0.1:%d/viewer", port)
}

func ticketFor(t testing.TB, mode proto.TicketMode) string {
	t.Helper()
	ticket, err := proto.SignTicket(proto.NewSecret(apptest.Token), proto.NewClaims(session, mode, "1", "Ada", time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// TestOneBrowserWatchesAnother has a person, in a real browser and with real
// input, watch and drive another one by the sidecar's own page.
func TestOneBrowserWatchesAnother(t *testing.T) {
	s := sitDown(t, "/keys")
	home := strings.TrimSuffix(s.watched.URL(), "/keys")
	title := func(what, want string) {
		t.Helper()
		s.holds(what, fmt.Sprintf("document.title === %q", want))
	}
	s.state("free")
	s.sees("its title", "document.querySelector('#tabs [aria-current]').textContent === 'Keyboard'")
	s.sees("its address", fmt.Sprintf("document.getElementById('url').value === %q", home+"/keys"))

	// By mouse: takes over, clicks into the page, types.
	s.clicks("#drive")
	s.state("mine")
	s.points("#editor")
	if err := s.person.Keyboard().Type(within(t), "Hello"); err != nil {
		t.Fatal(err)
	}
	s.holds("the text", "document.getElementById('editor').textContent === 'Hello'")

	// A dialog of the page is drawn by hers.
	browsertest.Eval(t, s.watched.MainFrame(), "setTimeout(() => { document.title = 'answer ' + prompt('Your name?', 'Bo') }), 0")
	s.sees("the dialog", "document.getElementById('ask').open && document.getElementById('ask-text').textContent === 'Your name?'")
	s.clicks("#ask-yes")
	title("the answer", "answer Bo")

	// Also one that was there before she took over.
	s.clicks("#drive")
	s.state("free")
	browsertest.Eval(t, s.watched.MainFrame(), "setTimeout(() => { document.title = 'sure ' + confirm('Sure?') }), 0")
	s.reads("toast", "The page asks: Sure?")
	s.clicks("#drive")
	s.sees("the second dialog", "document.getElementById('ask').open && document.getElementById('ask-text').textContent === 'Sure?'")
	s.types("Escape")
	title("the refusal", "sure false")

	// By keyboard: goes to another page and hands back.
	s.clicks("#url")
	s.types("Control+a", "Delete")
	if err := s.person.Keyboard().Type(within(t), home+"/lab\n"); err != nil {
		t.Fatal(err)
	}
	s.sees("the other page", fmt.Sprintf("document.title === %q", "Live view of "+home+"/lab"))
	s.types("Escape", "Escape")
	s.sees("the focus to be out of the picture", "document.activeElement.id === 'drive'")
	s.types("Enter")
	s.state("free")

	// Another person drives: she may not, and reads who.
	s.hub.Lease().Acquire(99, takeover.Person{ID: new("2"), Name: new("Grace")})
	s.state("held")
	s.reads("status", "Grace is driving")
	s.sees("that she may not", "document.getElementById('drive').disabled")

	s.hub.Close()
	s.state("closed")
	s.reads("status", "The browser has stopped.")
}

// TestViewerWithoutTheToken opens the page as somebody who does not know it.
func TestViewerWithoutTheToken(t *testing.T) {
	site := apptest.Start(t)
	_, _, page := opened(t, site)
	tab, err := browsertest.Free(t).NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close(within(t))
	for fragment, want := range map[string]string{"": "Put the browser", "#token=aabrw_000000000000000000000000000000000000": "bad signature"} {
		if _, err := tab.Navigate(within(t), "about:blank"); err != nil {
			t.Fatal(err)
		}
		if _, err := tab.Navigate(within(t), page+fragment); err != nil {
			t.Fatal(err)
		}
		apptest.Await(t, want, func() bool {
			return strings.Contains(browsertest.Eval(t, tab.MainFrame(), "document.getElementById('status').textContent"), want)
		})
	}
}

func centre(t *testing.T, f *browser.Frame, selector string) (x, y float64) {
	t.Helper()
	var at [2]float64
	decode(t, browsertest.Eval(t, f, fmt.Sprintf("(e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })(document.querySelector(%q))", selector)), &at)
	return at[0], at[1]
}

func decode(t *testing.T, text string, out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
}
