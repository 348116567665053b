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

// raised gives a browser a live view, which is also reached under other hosts.
func raised(t testing.TB, b *browser.Browser, hosts ...string) (hub *live.Hub, page string) {
	t.Helper()
	stage := live.NewStage(b, live.StageOptions{})
	token := proto.NewSecret(apptest.Token)
	hub = live.New(live.Options{
		Screen: stage, Controls: stage, Verify: proto.NewTicketVerifier(token, session, time.Now).Verify, Grace: time.Second,
	})
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

// TestOneBrowserWatchesAnother has a person, in a real browser and with real
// input, watch and drive another one by the sidecar's own page.
func TestOneBrowserWatchesAnother(t *testing.T) {
	site := apptest.Start(t)
	watched, hub, page := opened(t, site)
	if _, err := watched.Navigate(within(t), site.URL()+"/keys"); err != nil {
		t.Fatal(err)
	}
	person, err := browsertest.Free(t).NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer person.Close(within(t))
	if _, err := person.Navigate(within(t), page+"#user=1&name=Ada&token="+apptest.Token); err != nil {
		t.Fatal(err)
	}
	sees := func(what, expression string) {
		t.Helper()
		ok := false
		defer func() {
			if !ok {
				t.Log(browsertest.Eval(t, person.MainFrame(), "document.body.innerText + JSON.stringify(document.body.dataset)"))
			}
		}()
		apptest.Await(t, what, func() bool { return browsertest.Eval(t, person.MainFrame(), expression) == "true" })
		ok = true
	}
	clicks := func(frame *browser.Frame, selector string) {
		t.Helper()
		x, y := centre(t, frame, selector)
		if err := person.Mouse().Click(within(t), browser.Press{X: x, Y: y}); err != nil {
			t.Fatal(err)
		}
	}
	state := func(want string) {
		t.Helper()
		sees("the state "+want, fmt.Sprintf("document.body.dataset.state === %q", want))
	}

	sees("a picture", "Number(document.body.dataset.frame) > 0 && document.getElementById('veil').textContent === ''")
	state("free")
	sees("its address", fmt.Sprintf("document.getElementById('url').value === %q", site.URL()+"/keys"))
	sees("no scroll bar", "document.documentElement.scrollWidth <= innerWidth")
	before := browsertest.Eval(t, person.MainFrame(), "document.getElementById('stage').getBoundingClientRect().top")

	// By mouse: takes over, clicks into the page, types.
	clicks(person.MainFrame(), "#drive")
	state("mine")
	if after := browsertest.Eval(t, person.MainFrame(), "document.getElementById('stage').getBoundingClientRect().top"); after != before {
		t.Errorf("the picture moved from %s to %s", before, after)
	}
	x, y := centre(t, watched.MainFrame(), "#editor")
	var r struct{ X, Y, Width, Height float64 }
	decode(t, browsertest.Eval(t, person.MainFrame(), "document.getElementById('keys').getBoundingClientRect().toJSON()"), &r)
	if err := person.Mouse().Click(within(t), browser.Press{X: r.X + x/1280*r.Width, Y: r.Y + y/800*r.Height}); err != nil {
		t.Fatal(err)
	}
	if err := person.Keyboard().Type(within(t), "Hello"); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "the text to arrive", func() bool {
		return browsertest.Eval(t, watched.MainFrame(), "document.getElementById('editor').textContent") == `"Hello"`
	})

	// A dialog of the page is drawn by hers.
	browsertest.Eval(t, watched.MainFrame(), "setTimeout(() => { document.title = 'answer ' + prompt('Your name?', 'Bo') }), 0")
	sees("the dialog", "document.getElementById('ask').open && document.getElementById('ask-text').textContent === 'Your name?'")
	clicks(person.MainFrame(), "#ask-yes")
	apptest.Await(t, "the answer to arrive", func() bool {
		return browsertest.Eval(t, watched.MainFrame(), "document.title") == `"answer Bo"`
	})

	// Also one that was there before she took over.
	clicks(person.MainFrame(), "#drive")
	state("free")
	browsertest.Eval(t, watched.MainFrame(), "setTimeout(() => { document.title = 'sure ' + confirm('Sure?') }), 0")
	sees("the question", "document.getElementById('toast').textContent === 'The page asks: Sure?'")
	clicks(person.MainFrame(), "#drive")
	sees("the second dialog", "document.getElementById('ask').open && document.getElementById('ask-text').textContent === 'Sure?'")
	if err := person.Keyboard().Press(within(t), "Escape"); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "the refusal to arrive", func() bool {
		return browsertest.Eval(t, watched.MainFrame(), "document.title") == `"sure false"`
	})

	// By keyboard: goes to another page and hands back.
	clicks(person.MainFrame(), "#url")
	for _, key := range []string{"Control+a", "Delete"} {
		if err := person.Keyboard().Press(within(t), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := person.Keyboard().Type(within(t), site.URL()+"/lab\n"); err != nil {
		t.Fatal(err)
	}
	sees("the other page", fmt.Sprintf("document.title === %q", "Live view of "+site.URL()+"/lab"))
	for _, key := range []string{"Escape", "Escape"} {
		if err := person.Keyboard().Press(within(t), key); err != nil {
			t.Fatal(err)
		}
	}
	sees("the focus to be out of the picture", "document.activeElement.id === 'drive'")
	if err := person.Keyboard().Press(within(t), "Enter"); err != nil {
		t.Fatal(err)
	}
	state("free")

	// Another person drives: she may not, and reads who.
	other := "2"
	name := "Grace"
	hub.Lease().Acquire(99, takeover.Person{ID: &other, Name: &name})
	state("held")
	sees("who drives", "document.getElementById('status').textContent === 'Grace is driving' && document.getElementById('drive').disabled")

	hub.Close()
	state("closed")
	sees("why it ended", "document.getElementById('status').textContent === 'The browser has stopped.'")
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
