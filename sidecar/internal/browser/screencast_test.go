package browser_test

import (
	"bytes"
	"encoding/json"
	"image/jpeg"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// watcher keeps what a screencast tells.
type watcher struct {
	mu     sync.Mutex
	views  []browser.View
	frames []*browser.CastFrame
	stale  int // frames of another tab than the last view's
}

func (w *watcher) options() browser.CastOptions {
	return browser.CastOptions{
		OnView: func(v browser.View) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.views = append(w.views, v)
		},
		OnFrame: func(f *browser.CastFrame) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if f.Tab != w.views[len(w.views)-1].Tab {
				w.stale++
			}
			w.frames = append(w.frames, f)
			f.Done()
		},
	}
}

func (w *watcher) view() browser.View {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.views[len(w.views)-1]
}

// count is how many frames of a tab came so far.
func (w *watcher) count(tab *browser.Tab) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.frames {
		if f.Tab == tab {
			n++
		}
	}
	return n
}

func TestScreencast(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	first := b.Tabs()[0]
	goTo(t, first, site.URL()+"/lab?secret=1#part")
	w := &watcher{}
	cast := b.Screencast(w.options())
	defer cast.Close()
	if d := cmp.Diff([3]any{site.URL() + "/lab", 1, 1}, [3]any{w.view().URL, w.view().Index, w.view().Tabs}); d != "" {
		t.Errorf("the first view (-want +got):\n%s", d)
	}
	shows := func(tab *browser.Tab, index, tabs int) {
		t.Helper()
		apptest.Await(t, "the view to change", func() bool {
			v := w.view()
			return v.Tab == tab && v.Index == index && v.Tabs == tabs
		})
	}
	draws := func(tab *browser.Tab) {
		t.Helper()
		before := w.count(tab)
		apptest.Await(t, "a picture of the tab on screen", func() bool { return w.count(tab) > before })
	}

	// A page that does not change is drawn once somebody watches.
	if n := w.count(first); n > 0 {
		t.Errorf("%d pictures that nobody asked for", n)
	}
	cast.Watch(true)
	draws(first)
	w.mu.Lock()
	f := w.frames[0]
	w.mu.Unlock()
	if size, err := jpeg.DecodeConfig(bytes.NewReader(f.JPEG)); err != nil || size.Width != 1280 || size.Height != 800 || f.Width != 1280 || f.Height != 800 {
		t.Errorf("the picture is %d x %d of a page of %v x %v, error %v", size.Width, size.Height, f.Width, f.Height, err)
	}
	if age := time.Since(f.Taken); age < -time.Second || age > patience {
		t.Errorf("the picture is %v old", age)
	}

	// A new tab takes the screen; when it goes the first one is back.
	popup, err := b.NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	shows(popup, 2, 2)
	draws(popup)
	if err := popup.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	shows(first, 1, 1)
	draws(first)

	// Whatever is activated is shown, and a tab behind it that closes is told.
	second, err := b.NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	third, err := b.NewTab(within(t))
	if err != nil {
		t.Fatal(err)
	}
	shows(third, 3, 3)
	if err := first.Activate(within(t)); err != nil {
		t.Fatal(err)
	}
	shows(first, 1, 3)
	draws(first)
	if err := second.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	shows(first, 1, 2)

	// A navigation on screen is one change of the view.
	w.mu.Lock()
	before := len(w.views)
	w.mu.Unlock()
	goTo(t, first, site.URL()+"/keys")
	apptest.Await(t, "the new address", func() bool { return w.view().URL == site.URL()+"/keys" })
	w.mu.Lock()
	if n := len(w.views) - before; n != 1 {
		t.Errorf("the navigation was told %d times", n)
	}
	w.mu.Unlock()
	draws(first)

	// Another pace gives another picture; nobody who watches, none.
	cast.SetPace(browser.Pace{Quality: 20, InFlight: 6})
	draws(first)
	cast.Watch(false)
	cast.SetPace(browser.DefaultPace())
	cast.Watch(true)
	draws(first)
	cast.Close()
	n := w.count(first)
	eval(t, first.MainFrame(), "document.body.append('changed'), new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
	if w.count(first) != n {
		t.Error("pictures came after the end")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stale > 0 {
		t.Errorf("%d pictures of a tab that was not on screen any more", w.stale)
	}
}

func TestRelayedInput(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/keys")
	const centre = `(e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })(document.querySelector('#editor'))`
	eval(t, tab.MainFrame(), `window.seen = [], ['mousedown', 'mouseup', 'keydown', 'keyup', 'wheel'].forEach(n => addEventListener(n, e => seen.push(n + ' ' + (e.key ?? e.buttons)), true)), 0`)
	where := eval(t, tab.MainFrame(), centre)
	x, y := twoNumbers(t, where)
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y, Button: "none"})
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: "left", ClickCount: 1})
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: x, Y: y, Button: "left", ClickCount: 1})
	tab.RelayKey(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "h", Code: "KeyH", WindowsVirtualKeyCode: 72, Text: "h", UnmodifiedText: "h"})
	tab.RelayKey(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: "h", Code: "KeyH", WindowsVirtualKeyCode: 72})
	tab.RelayText("éllo wörld")
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaY: 5})
	apptest.Await(t, "the text to arrive", func() bool {
		return eval(t, tab.MainFrame(), `document.querySelector('#editor').textContent === 'héllo wörld'`) == "true"
	})

	// What is held down when control ends is let go.
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: x, Y: y, Button: "left", ClickCount: 1})
	tab.RelayKey(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Shift", Code: "ShiftLeft", WindowsVirtualKeyCode: 16, Modifiers: 8})
	tab.RelayKey(input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Control", WindowsVirtualKeyCode: 17, Modifiers: 10})
	tab.ReleaseInput()
	apptest.Await(t, "all to be let go", func() bool {
		return strings.Contains(eval(t, tab.MainFrame(), `seen`), "keyup Shift")
	})
	if got := eval(t, tab.MainFrame(), `seen.filter(s => !s.startsWith('wheel')).slice(-6)`); got != `["mousedown 1","keydown Shift","keydown Control","mouseup 0","keyup Control","keyup Shift"]` {
		t.Errorf("the page saw %s", got)
	}
}

func TestRelayDoesNotPileUp(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/keys")
	eval(t, tab.MainFrame(), `window.moves = 0, window.ups = 0, addEventListener('wheel', () => moves++, true), addEventListener('mouseup', () => ups++, true), setTimeout(() => { const end = Date.now() + 1500; while (Date.now() < end); }, 0), 0`)
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: 5, Y: 5, Button: "left", ClickCount: 1})
	for range 5000 {
		tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: 5, Y: 5, Button: "right", ClickCount: 1})
	}
	tab.RelayMouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: 5, Y: 5, Button: "left", ClickCount: 1})
	apptest.Await(t, "the page to be back", func() bool { return eval(t, tab.MainFrame(), `ups`) == "1" })
}

// twoNumbers reads a JSON array of two.
func twoNumbers(t *testing.T, text string) (a, b float64) {
	t.Helper()
	var pair [2]float64
	decode(t, text, &pair)
	return pair[0], pair[1]
}

func decode(t *testing.T, text string, out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
}
