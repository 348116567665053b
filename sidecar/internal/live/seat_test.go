package live_test

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/live"
)

// seat is a person with a browser of her own, which shows the sidecar's page.
type seat struct {
	t        *testing.T
	hub      *live.Hub
	chromium *browser.Browser
	page     string // her address of it, without the line
	watched  *browser.Tab
	person   *browser.Tab
	line     *cable // between the two
}

// sitDown opens path of the site in one browser, and the page that watches it in
// another. They are Ada's.
func sitDown(t *testing.T, path string) *seat {
	t.Helper()
	site := apptest.Start(t)
	b := browsertest.Open(t, site)
	s := &seat{t: t, chromium: b, watched: b.Tabs()[0], line: newCable(t)}
	if _, err := s.watched.Navigate(within(t), site.URL()+path); err != nil {
		t.Fatal(err)
	}
	s.hub, s.page = raisedAt(t, b, []string{s.line.host()})
	s.line.reach(s.page)
	s.person = browsertest.Free(t).Tabs()[0]
	if _, err := s.person.Navigate(within(t), "http://"+s.line.host()+"/viewer#user=1&name=Ada&token="+apptest.Token); err != nil {
		t.Fatal(err)
	}
	s.sees("a picture", "Number(document.body.dataset.frame) > 0 && document.getElementById('veil').textContent === ''")
	return s
}

// sees waits until something is so on her screen.
func (s *seat) sees(what, expression string) {
	s.t.Helper()
	ok := false
	defer func() {
		if !ok {
			s.t.Log(browsertest.Eval(s.t, s.person.MainFrame(), "document.body.innerText + JSON.stringify(document.body.dataset)"))
		}
	}()
	apptest.Await(s.t, what, func() bool { return browsertest.Eval(s.t, s.person.MainFrame(), "Boolean("+expression+")") == "true" })
	ok = true
}

// reads waits for the text of an element of hers.
func (s *seat) reads(id, text string) {
	s.t.Helper()
	s.sees(text, fmt.Sprintf("document.getElementById(%q).textContent === %q", id, text))
}

func (s *seat) state(want string) {
	s.t.Helper()
	s.sees("the state "+want, fmt.Sprintf("document.body.dataset.state === %q", want))
}

// clicks presses something of her page.
func (s *seat) clicks(selector string) {
	s.t.Helper()
	x, y := centre(s.t, s.person.MainFrame(), selector)
	s.press(x, y)
}

func (s *seat) press(x, y float64) {
	s.t.Helper()
	if err := s.person.Mouse().Click(within(s.t), browser.Press{X: x, Y: y}); err != nil {
		s.t.Fatal(err)
	}
}

// at is where a point of the watched page is on her screen.
func (s *seat) at(x, y float64) (float64, float64) {
	s.t.Helper()
	var r struct{ X, Y, Width, Height float64 }
	decode(s.t, browsertest.Eval(s.t, s.person.MainFrame(), "document.getElementById('keys').getBoundingClientRect().toJSON()"), &r)
	return r.X + x/1280*r.Width, r.Y + y/800*r.Height
}

// points clicks something of the watched page, in her picture of it.
func (s *seat) points(selector string) {
	s.t.Helper()
	s.press(s.at(centre(s.t, s.watched.MainFrame(), selector)))
}

func (s *seat) types(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		if err := s.person.Keyboard().Press(within(s.t), key); err != nil {
			s.t.Fatal(err)
		}
	}
}

// holds waits until something is so on the watched page.
func (s *seat) holds(what, expression string) {
	s.t.Helper()
	apptest.Await(s.t, what, func() bool { return browsertest.Eval(s.t, s.watched.MainFrame(), expression) == "true" })
}

// cable is a line that can be cut.
type cable struct {
	ln net.Listener
	wg sync.WaitGroup

	mu    sync.Mutex
	to    string
	conns []net.Conn
}

func newCable(t *testing.T) *cable {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{ln: ln}
	c.wg.Go(func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			c.wg.Go(func() { c.carry(near) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		c.cut()
		c.wg.Wait()
	})
	return c
}

func (c *cable) host() string { return c.ln.Addr().String() }

// reach says where the line ends: at the server of a page.
func (c *cable) reach(page string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u, err := url.Parse(page)
	if err != nil {
		panic(err) // it is the test's own
	}
	c.to = u.Host
}

func (c *cable) carry(near net.Conn) {
	c.mu.Lock()
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		near.Close()
		c.mu.Unlock()
		return
	}
	c.conns = append(c.conns, near, far)
	c.mu.Unlock()
	both := func(a, b net.Conn) { _, _ = io.Copy(a, b); a.Close(); b.Close() }
	c.wg.Go(func() { both(near, far) })
	both(far, near)
}

// cut ends every connection. New ones go through.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}
