package action_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

const counter = `<script>let n = 0; const hit = () => { n++ }</script>`

// TestClickWaits has elements that can't be clicked yet.
func TestClickWaits(t *testing.T) {
	const button = `<button id=b onclick=hit()>Go</button>`
	for _, tc := range []struct{ name, body string }{
		{"until it is enabled", `<button id=b disabled onclick=hit()>Go</button><script>setTimeout(() => b.disabled = false, 300)</script>`},
		{"until its fieldset is enabled", `<fieldset id=f disabled>` + button + `</fieldset><script>setTimeout(() => f.disabled = false, 300)</script>`},
		{"until it is not aria-disabled", `<div id=f aria-disabled=true>` + button + `</div><script>setTimeout(() => f.removeAttribute('aria-disabled'), 300)</script>`},
		{"until it is visible", `<div id=f style="display:none">` + button + `</div><script>setTimeout(() => f.style.display = 'block', 300)</script>`},
		{"until it has a size", `<style>.no{width:0;height:0;border:0;padding:0;overflow:hidden}</style><button id=b class=no onclick=hit()>Go</button><script>setTimeout(() => b.className = '', 300)</script>`},
		{"until it stands still", `<style>@keyframes m{to{transform:translateX(300px)}}#b{animation:m .4s linear forwards}</style>` + button},
		{"until a toast is gone", button + `<div id=f style="position:fixed;inset:0;background:#fff">Saved</div><script>setTimeout(() => f.remove(), 300)</script>`},
		{"for a sticky header", `<div style="position:sticky;top:0;height:200px;background:#ccc;z-index:1"></div><div style="height:2000px"></div>` + button + `<div style="height:2000px"></div>`},
		{"for a sticky footer", `<div style="height:2000px"></div>` + button + `<div style="height:2000px"></div><div style="position:fixed;bottom:0;width:100%;height:60%;background:#ccc"></div>`},
		{"inside a scroller", `<div style="height:100px;overflow:auto"><div style="height:1000px"></div>` + button + `</div>`},
		{"under a corner that covers its middle", `<button id=b style="width:200px;height:100px" onclick=hit()>Go</button><div style="position:absolute;left:60px;top:30px;width:100px;height:60px;background:red"></div>`},
		{"when it is rendered anew all the time", `<div id=f></div><script>const draw = () => { f.innerHTML = '<button id=b onclick=hit()>Go</button>' }; draw(); const i = setInterval(draw, 10); setTimeout(() => clearInterval(i), 400)</script>`},
		{"when it wraps over lines", `<p style="width:90px">aaaaaa <a id=b href="#" onclick=hit()>bbbb cccccccccc</a></p>`},
		{"when it has no box of its own", `<style>#b{display:contents}</style><div id=b onclick=hit()><p>text</p></div>`},
		{"through what lets presses through", button + `<div style="position:fixed;inset:0;pointer-events:none"></div>`},
		{"on a span in a button", `<button onclick=hit()><span id=b>Go</span></button>`},
		{"on a label", `<label id=b for=c>Label</label><input id=c type=checkbox onclick=hit()>`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, counter+tc.body)
			s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
			s.want("n", "1")
		})
	}
}

// TestPromptness: the press comes with the frame in which the button can take
// it, not with the next of some growing pauses.
func TestPromptness(t *testing.T) {
	s := open(t, `<button id=b disabled onclick="at = performance.now()">Go</button>`)
	s.js(`setTimeout(() => { b.disabled = false; from = performance.now() }, 700)`)
	s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
	s.want("at - from < 200", "true")
}

// TestClickFails says what was in the way, and clicks nothing.
func TestClickFails(t *testing.T) {
	for _, tc := range []struct {
		name, target, body string
		words              []string
	}{
		{"covered", "#b", `<button id=b onclick=hit()>Go</button><div class="cover" style="position:fixed;inset:0" onclick=hit()>cover</div>`,
			[]string{"TimeoutError:", "Timeout 1200ms exceeded", `<div class="cover">cover</div> intercepts pointer events`, "Call log:", "waiting for element to be visible, enabled and stable", `<button id="b">Go</button>`}},
		{"covered from a subtree", "#b", `<button id=b onclick=hit()>Go</button><div id=dlg style="position:fixed;inset:0"><p style="width:100%;height:100%;margin:0">text</p></div>`,
			[]string{`<p>text</p> from <div id="dlg">text</div> subtree intercepts pointer events`}},
		{"disabled", "#b", `<button id=b disabled onclick=hit()>Go</button>`, []string{"element is not enabled"}},
		{"inside a disabled button", "#s", `<button disabled onclick=hit()><span id=s>Go</span></button>`, []string{"element is not enabled"}},
		{"hidden", "#b", `<button id=b style="visibility:hidden" onclick=hit()>Go</button>`, []string{"element is not visible"}},
		{"moving", "#b", `<style>@keyframes m{to{transform:translateX(900px)}}#b{animation:m 2s linear infinite alternate}</style><button id=b onclick=hit()>Go</button>`, []string{"element is not stable", "moved all the time"}},
		{"outside", "#b", `<button id=b style="position:fixed;left:-500px" onclick=hit()>Go</button>`, []string{"element is outside of the viewport"}},
		{"inert", "#b", `<div inert><button id=b onclick=hit()>Go</button></div>`, []string{"intercepts pointer events"}},
		{"gone", "getByText('Nope')", `<p>x</p>`, []string{`"getByText('Nope')" does not match any elements.`}},
		{"several", "button", `<button>One</button><button data-testid=two>Two</button>`, []string{"strict mode violation", "resolved to 2 elements", `1) <button>One</button> aka getByRole('button', { name: 'One' })`, "aka getByTestId('two')"}},
		{"not understood", "the blue one!", `<p>x</p>`, []string{"is not a ref or selector", "getByRole"}},
		{"bad CSS", "p:nope(", `<p>x</p>`, []string{"not a ref or selector"}},
		{"bad pseudo-class", "p:nope", `<p>x</p>`, []string{"is not valid CSS"}},
		{"a modifier that is none", "#m", `<p id=m onclick=hit()>x</p>`, []string{"Unknown key"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, counter+tc.body, action.WithTimeout(1200*time.Millisecond))
			// An animation that has not begun yet stands still.
			s.js("Promise.all(document.getAnimations().map((a) => a.ready)).then(() => new Promise((r) => requestAnimationFrame(() => r(1))))")
			var o action.ClickOptions
			if tc.target == "#m" {
				o.Modifiers = []string{"a"}
			}
			start := time.Now()
			s.fails(s.Click(s.ctx, tc.target, o), tc.words...)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("failed only after %v", took)
			}
			s.want("n", "0")
		})
	}
}

// TestLateCover: what slides over the element between the last look and the
// press gets no press, and the element gets it when it can.
func TestLateCover(t *testing.T) {
	s := open(t, counter+`<button id=b onclick=hit()>Go</button><div id=f style="position:fixed;inset:0;display:none" onclick="bad = true">cover</div>
<script>let bad = false, once = true;
b.onmouseover = () => { if (once) { once = false; f.style.display = 'block'; setTimeout(() => f.style.display = 'none', 200) } }</script>`)
	s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
	s.want("[n, bad]+''", `"1,false"`)
}

func TestCancel(t *testing.T) {
	s := open(t, counter+`<button id=b disabled onclick=hit()>Go</button>`)
	ctx, cancel := context.WithCancelCause(s.ctx)
	why := errors.New("the caller went away")
	time.AfterFunc(200*time.Millisecond, func() { cancel(why) })
	start := time.Now()
	if err := s.Click(ctx, "#b", action.ClickOptions{}); !errors.Is(err, why) {
		t.Errorf("got %v, want the reason of the cancel", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("went on for %v", took)
	}
	s.js("b.disabled = false")
	time.Sleep(100 * time.Millisecond) // long enough for a wait that was left behind to press
	s.want("n", "0")
}

func TestGate(t *testing.T) {
	closed := errors.New("somebody else drives")
	s := open(t, logger+`<button id=b>Go</button>`, action.WithGate(func(context.Context) error { return closed }))
	if err := s.Click(s.ctx, "#b", action.ClickOptions{}); !errors.Is(err, closed) {
		t.Errorf("got %v, want the gate's error", err)
	}
	s.want("seen('mousedown','click')", `""`)
}

func TestDialog(t *testing.T) {
	s := open(t, logger+`<button id=b onclick="alert('hey'); r = 'answered'">Go</button><button id=c>Next</button>`)
	start := time.Now()
	err := s.Click(s.ctx, "#b", action.ClickOptions{})
	if !errors.Is(err, browser.ErrModal) || s.tab.Dialog() == nil {
		t.Fatalf("got %v and dialog %v, want an open dialog", err, s.tab.Dialog())
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("told of the dialog only after %v", took)
	}
	if err := s.Click(s.ctx, "#c", action.ClickOptions{}); !errors.Is(err, browser.ErrModal) {
		t.Errorf("a click behind the dialog: %v", err)
	}
	s.must(s.tab.HandleDialog(s.ctx, true, ""))
	s.must(s.Click(s.ctx, "#c", action.ClickOptions{}))
	s.want("r + ':' + seen('click')", `"answered:click b, click c"`)
}

func TestHang(t *testing.T) {
	s := open(t, `<button id=b>Go</button>`, action.WithTimeout(300*time.Millisecond))
	go s.script("const t = Date.now(); while (Date.now() - t < 3500);")
	time.Sleep(100 * time.Millisecond) // the script has begun
	err := s.Click(s.ctx, "#b", action.ClickOptions{})
	s.fails(err, "does not respond")
	if !strings.HasPrefix(err.Error(), "TimeoutError: ") {
		t.Errorf("the error begins with something else: %v", err)
	}
}

func TestCrash(t *testing.T) {
	s := open(t, `<button id=b disabled>Go</button>`)
	time.AfterFunc(300*time.Millisecond, func() { s.tab.Session().Start("Page.crash", nil) })
	if err := s.Click(s.ctx, "#b", action.ClickOptions{}); !errors.Is(err, browser.ErrCrashed) {
		t.Errorf("got %v, want the crash", err)
	}
}

func TestClickClosesTheTab(t *testing.T) {
	s := open(t, `<button onclick="window.open('/closing')">Open</button>`)
	s.page("/closing", `<button id=c onclick="window.close()">Close</button>`)
	s.must(s.Click(s.ctx, "button", action.ClickOptions{}))
	tabs := s.tab.Browser().Tabs()
	popup := tabs[len(tabs)-1]
	if popup == s.tab {
		t.Fatal("no tab was opened")
	}
	view := page.New(popup)
	other := action.New(popup, view)
	s.must(other.WaitText(s.ctx, "Close", false))
	s.must(other.Click(s.ctx, "#c", action.ClickOptions{}))
	<-popup.Closed()
	start := time.Now()
	s.must(s.Click(s.ctx, "button", action.ClickOptions{Modifiers: []string{"Shift"}}))
	t.Logf("a click that opens a tab took %v", time.Since(start))
}

// TestOpenList: agents click a native list open, although they can't see into
// it. What they do next must work all the same.
func TestOpenList(t *testing.T) {
	s := open(t, counter+`<select id=f><option value=v1>One<option value=v2>Two</select><div style="height:200px"></div><button id=b onclick=hit()>Go</button>`)
	s.must(s.Click(s.ctx, "#f", action.ClickOptions{}))
	s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
	s.want("n", "1")
	s.must(s.Click(s.ctx, "#f", action.ClickOptions{}))
	_, err := s.SelectOption(s.ctx, "#f", []string{"Two"})
	s.must(err)
	s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
	s.want("n + f.value", `"2v2"`)
	s.must(s.Click(s.ctx, "#f", action.ClickOptions{}))
	s.must(s.Press(s.ctx, "ArrowUp"))
	s.must(s.Press(s.ctx, "Enter"))
	s.want("f.value", `"v1"`)
}

// TestBackground: a tab behind another gets no animation frames in a browser
// with windows, and still can be worked with.
func TestBackground(t *testing.T) {
	s := open(t, counter+`<button id=b onclick="setTimeout(hit, 50)">Go</button>`)
	front := open(t, `<p>in front</p>`)
	front.must(front.tab.Activate(front.ctx))
	for range 3 {
		start := time.Now()
		s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
		t.Logf("a click in the background took %v", time.Since(start))
	}
	s.want("n", "3")
}
