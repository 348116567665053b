package browser_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

func TestADocumentIsTold(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	if tab.URL() != "about:blank" || tab.ID() != 1 || !strings.HasPrefix(b.Version(), "1") {
		t.Errorf("at the start: tab %d shows %s, Chromium %s", tab.ID(), tab.URL(), b.Version())
	}
	nav, err := tab.Navigate(within(t), site.URL()+"/login?a=b#c")
	if err != nil || !nav.Loaded {
		t.Fatalf("navigate: %+v, %v", nav, err)
	}
	if tab.URL() != site.URL()+"/login?a=b#c" || !strings.Contains(tab.ReadTitle(within(t)), "Sign in") {
		t.Errorf("it shows %s, %q", tab.URL(), tab.ReadTitle(within(t)))
	}
	if st := tab.Status(); st == nil || st.Code != 200 {
		t.Errorf("status %v", st)
	}
	goTo(t, tab, site.URL()+"/broken/status?code=503")
	if st := tab.Status(); st == nil || st.Code != 503 {
		t.Errorf("status of a broken page %v", st)
	}
	if nav, err := tab.Navigate(within(t), site.URL()+"/broken/reset"); err != nil || !strings.HasPrefix(nav.Broken, "net::ERR_") {
		t.Errorf("a page that breaks off: %+v, %v", nav, err)
	}
	goTo(t, tab, site.URL()+"/spa")
	eval(t, tab.MainFrame(), "history.pushState(null, '', '/spa/deep')")
	apptest.Await(t, "the new address", func() bool { return strings.HasSuffix(tab.URL(), "/spa/deep") })
}

func TestFramesAreFollowedAcrossProcesses(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/frames")
	apptest.Await(t, "a frame of another site", func() bool {
		return slices.ContainsFunc(tab.Frames(), func(f *browser.Frame) bool {
			return strings.HasPrefix(f.URL(), site.LocalhostURL()) && f.Session() != tab.Session()
		})
	})
	for _, f := range tab.Frames() {
		if f != tab.MainFrame() && !slices.Contains(f.Parent().Children(), f) {
			t.Errorf("%s is not among its parent's children", f.URL())
		}
		world, err := f.World(within(t))
		if err != nil || world == 0 || world == f.MainWorld() {
			t.Errorf("%s: isolated world %d of main world %d, %v", f.URL(), world, f.MainWorld(), err)
		}
		if got := eval(t, f, "location.href"); got != `"`+f.URL()+`"` {
			t.Errorf("frame %s evaluates in %s", f.URL(), got)
		}
	}
	// The cross-site frame comes back into its parent's process.
	i := slices.IndexFunc(tab.Frames(), func(f *browser.Frame) bool { return strings.HasPrefix(f.URL(), site.LocalhostURL()) })
	far := tab.Frames()[i]
	eval(t, far, "void setTimeout(() => { location = '"+site.URL()+"/login' }, 1)")
	apptest.Await(t, "the frame to come home", func() bool {
		return far.URL() == site.URL()+"/login" && far.Session() == tab.Session()
	})
	eval(t, tab.MainFrame(), "document.querySelectorAll('iframe').forEach((f) => f.remove())")
	apptest.Await(t, "the frames to go", func() bool { return len(tab.Frames()) == 1 })
	if err := far.Session().Call(within(t), "Page.enable", nil, nil); err != nil && !cdp.IsGone(err) {
		t.Errorf("a call in a frame that is gone: %v", err)
	}
}

func TestConsoleAndRequestsAreKept(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/console?on=load")
	has := func(typ string) bool {
		return slices.ContainsFunc(tab.Messages(false), func(m browser.Message) bool { return m.Type == typ })
	}
	eval(t, tab.MainFrame(), "console.info('i'), console.debug('d')")
	for _, typ := range []string{"log", "info", "warning", "error", "debug", "pageerror"} {
		apptest.Await(t, "a "+typ, func() bool { return has(typ) })
	}
	eval(t, tab.MainFrame(), "console.log('text', {a: 1, b: [1, 'x']}, null, undefined, 5n, -0)")
	want := "text {a: 1, b: Array(2)} null undefined 5n -0"
	apptest.Await(t, want, func() bool {
		return slices.ContainsFunc(tab.Messages(false), func(m browser.Message) bool { return m.Text == want })
	})
	goTo(t, tab, site.URL()+"/network?on=load")
	if has("pageerror") || len(tab.Messages(true)) == 0 {
		t.Error("messages of the page before are told as this one's, or are lost")
	}
	var posted browser.Request
	apptest.Await(t, "requests of several fates", func() bool {
		fates := map[int]bool{}
		for _, r := range tab.Requests() {
			fates[r.Status] = true
			if r.HasBody && r.Done() {
				posted = r
			}
		}
		return fates[200] && fates[404] && fates[500] && posted.N > 0
	})
	if body, err := posted.RequestBody(within(t)); err != nil || len(body) == 0 {
		t.Errorf("body of %s: %q, %v", posted.URL, body, err)
	}
	if first := tab.Requests()[0]; first.N != 1 || first.Type != "Document" || !first.Static() {
		t.Errorf("first request %+v", first)
	}
}

// A page may not follow every redirect, and Chromium then keeps the answer that
// it would have followed. Its request must not stay open for that.
func TestHopsOfFetchesEnd(t *testing.T) {
	site, other := apptest.Start(t), apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/form")
	eval(t, tab.MainFrame(), "fetch('/redirect/302?to="+other.URL()+"/').catch(() => {})")
	apptest.Await(t, "both hops to end", func() bool {
		hops := 0
		for _, r := range tab.Requests() {
			if r.Type == "Fetch" && r.Done() {
				hops++
			}
		}
		return hops == 2
	})
}

func TestOffAppIsRefusedBeforeItIsSent(t *testing.T) {
	site, trap := apptest.Start(t), apptest.Sniffer(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/lab")
	for _, code := range []string{"301", "302", "303", "307", "308"} {
		mark := b.Mark()
		_, err := tab.Navigate(within(t), site.URL()+"/redirect/"+code+"?to="+url.QueryEscape(trap.URL()+"?secret"))
		escapes := b.EscapesSince(mark, tab)
		if err == nil || len(escapes) != 1 || escapes[0].Origin+"/" != trap.URL() {
			t.Errorf("%s: %v, %+v", code, err, escapes)
		}
		if tab.URL() != site.URL()+"/lab" {
			t.Errorf("%s: the tab stands on %s", code, tab.URL())
		}
	}
	mark := b.Mark()
	eval(t, tab.MainFrame(), "void open('"+trap.URL()+"', '_blank', 'noopener')")
	apptest.Await(t, "the popup's escape", func() bool { return len(b.EscapesSince(mark, tab)) > 0 })
	apptest.Await(t, "the popup to be closed", func() bool { return len(b.Tabs()) == 1 })
	other, err := b.NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	mark = b.Mark()
	eval(t, tab.MainFrame(), "location = '"+trap.URL()+"'")
	apptest.Await(t, "the escape", func() bool { return len(b.EscapesSince(mark, tab)) == 1 })
	if n := len(b.EscapesSince(mark, other)); n != 0 {
		t.Errorf("another tab is blamed for %d escapes", n)
	}
	trap.WantSilent(t)
}

func TestDialogsAndChoosers(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/lab")
	if got := eval(t, tab.MainFrame(), "confirm('anybody there?')"); got != "false" {
		t.Errorf("a dialog that nobody handles gives %s", got)
	}
	b.HoldDialogs()
	eval(t, tab.MainFrame(), "setTimeout(() => { window.answer = prompt('name?', 'nobody') }), 1")
	<-tab.Modal()
	if d := tab.Dialog(); d == nil || d.Type != "prompt" || d.Message != "name?" || d.Default != "nobody" {
		t.Fatalf("dialog %+v", d)
	}
	if err := tab.HandleDialog(within(t), true, "Ada"); err != nil {
		t.Fatal(err)
	}
	if got := eval(t, tab.MainFrame(), "answer"); got != `"Ada"` {
		t.Errorf("the page got %s", got)
	}
	if err := tab.HandleDialog(within(t), true, ""); !errors.Is(err, browser.ErrNoDialog) {
		t.Errorf("no dialog: %v", err)
	}
	// One after another, as a page in a loop opens them.
	eval(t, tab.MainFrame(), "setTimeout(() => { for (let i = 0; i < 3; i++) alert(i) }), 1")
	for range 3 {
		<-tab.Modal()
		if err := tab.HandleDialog(within(t), true, ""); err != nil {
			t.Fatal(err)
		}
	}
	goTo(t, tab, site.URL()+"/uploads")
	eval(t, tab.MainFrame(), "document.querySelector('input[type=file]').click()")
	<-tab.Modal()
	if tab.Chooser() == nil {
		t.Fatal("no chooser")
	}
	if err := tab.ChooseFiles(within(t), nil); err != nil || tab.Chooser() != nil {
		t.Errorf("cancel the chooser: %v", err)
	}
}

func TestACrashHurtsOneTabOnly(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/lab")
	other, err := b.NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	goTo(t, other, site.LocalhostURL()[:0]+site.URL()+"/form")
	cdp.Start(tab.Session(), page.Crash, pcdp.Empty{})
	<-tab.Crashed()
	if !tab.IsCrashed() {
		t.Error("not marked as crashed")
	}
	if _, err := tab.Navigate(within(t), site.URL()+"/lab"); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("navigate in a crashed tab: %v", err)
	}
	goTo(t, other, site.URL()+"/lab")
	if err := tab.Close(within(t)); err != nil {
		t.Errorf("close a crashed tab: %v", err)
	}
}

func TestHistory(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/login")
	goTo(t, tab, site.URL()+"/lab")
	if _, err := tab.Back(within(t)); err != nil || tab.URL() != site.URL()+"/login" {
		t.Errorf("back: %s, %v", tab.URL(), err)
	}
	if _, err := tab.Forward(within(t)); err != nil || tab.URL() != site.URL()+"/lab" {
		t.Errorf("forward: %s, %v", tab.URL(), err)
	}
	if _, err := tab.Forward(within(t)); !errors.Is(err, browser.ErrNoHistory) {
		t.Errorf("forward at the end: %v", err)
	}
}

func TestStorageStateGoesInAndOut(t *testing.T) {
	site := apptest.Start(t)
	first := open(t, site)
	tab := first.Tabs()[0]
	goTo(t, tab, site.URL()+"/storage")
	eval(t, tab.MainFrame(), "document.cookie = 'c=1; path=/'; localStorage.l = '2'")
	want := func(b *browser.Browser, where string) proto.StorageState {
		t.Helper()
		st, err := b.StorageState(within(t), site.URL())
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		cookie := slices.ContainsFunc(st.Cookies, func(c proto.Cookie) bool { return c.Name == "c" && c.Value == "1" })
		item := len(st.Origins) == 1 && slices.Contains(st.Origins[0].LocalStorage, proto.NameValue{Name: "l", Value: "2"})
		if !cookie || !item {
			t.Errorf("%s: cookie %v, localStorage %v", where, cookie, item)
		}
		return st
	}
	want(first, "read in an open page")
	goTo(t, tab, "about:blank")
	st := want(first, "read in a hidden page")
	if n := len(first.Tabs()); n != 1 {
		t.Errorf("%d tabs, one is ours", n)
	}
	second := open(t, site)
	if err := second.ApplyStorageState(within(t), st); err != nil {
		t.Fatal(err)
	}
	want(second, "in another browser")
	if n := len(second.Tabs()); n != 1 {
		t.Errorf("%d tabs, one is ours", n)
	}
}

func TestTabsAreLimited(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site, func(o *browser.Options) { o.MaxTabs = 3 })
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/lab")
	eval(t, tab.MainFrame(), "for (let i = 0; i < 8; i++) open('/login?' + i); 1")
	apptest.Await(t, "three tabs on pages", func() bool {
		return len(b.Tabs()) == 3 && strings.Contains(b.Tabs()[2].URL(), "/login")
	})
	if _, err := b.NewTab(within(t)); err == nil {
		t.Error("a fourth tab opened")
	}
}
