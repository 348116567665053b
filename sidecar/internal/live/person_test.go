package live_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// fields is a page of what pictures alone do not show.
const fields = `document.querySelector('main').innerHTML = '<p><label>Fruit <select id=fruit><option>Apple<option>Pear<option>Plum</select></label>' +
	'<p><label>Day <input type=date id=day></label><p><input id=text value="copy me"><p><button id=tap>Tap</button>' +
	'<p id=fingers>' +
	'<p><a id=save download=list.txt href="data:text/plain,hi">Save</a>';
	document.querySelector('main').style.minHeight = '3000px'; document.getElementById('fingers').style.cssText = 'height: 60px; touch-action: none'; document.getElementById('tap').onclick = e => { e.target.textContent = 'Tapped' }; 0`

// TestPersonHasAllOfTheBrowser drives what is beside the picture, by a real page
// with real input.
func TestPersonHasAllOfTheBrowser(t *testing.T) {
	s := sitDown(t, "/keys")
	browsertest.Eval(t, s.watched.MainFrame(), fields)

	// An agent asks; she takes over, and says that it is done.
	asked := make(chan takeover.Answer, 1)
	go func() {
		a, err := s.hub.Desk().Ask(context.Background(), "Choose a <b>fruit</b>", time.Hour, time.Hour)
		if err != nil {
			t.Error(err)
		}
		asked <- a
	}()
	s.reads("request-text", "The agent asks: Choose a <b>fruit</b>")
	s.clicks("#request-drive")
	s.state("mine")

	// A list, by keyboard.
	s.points("#fruit")
	s.sees("the list", "document.getElementById('choose').open && document.activeElement.id === 'choose-list' && document.activeElement.value === '0'")
	s.reads("choose-text", "Fruit")
	s.types("ArrowDown", "ArrowDown", "Enter")
	s.holds("the choice", "document.getElementById('fruit').value === 'Plum'")
	s.sees("the focus to be back", "document.activeElement.id === 'keys'")

	// A date, and a list that is closed without a choice.
	var r struct{ X, Y, Width, Height float64 }
	decode(t, browsertest.Eval(t, s.watched.MainFrame(), "document.getElementById('day').getBoundingClientRect().toJSON()"), &r)
	s.press(s.at(r.X+r.Width-22, r.Y+r.Height/2))
	s.sees("the date", "document.getElementById('choose').open && document.activeElement.type === 'date'")
	browsertest.Eval(t, s.person.MainFrame(), "document.activeElement.value = '2024-02-29'")
	s.clicks("#choose-yes")
	s.holds("the date", "document.getElementById('day').value === '2024-02-29'")
	s.points("#fruit")
	s.sees("the list again", "document.getElementById('choose').open && document.getElementById('choose-list').value === '2'")
	s.types("Escape")
	s.holds("it to be closed", "!document.querySelector('select:open') && document.getElementById('fruit').value === 'Plum'")

	// The clipboard, and what an input method composes.
	browsertest.Eval(t, s.watched.MainFrame(), "document.getElementById('text').select()")
	s.types("Control+c")
	s.reads("toast", "Copied")
	s.clicks("#url")
	s.types("Control+a", "Control+v")
	s.sees("the copy", "document.getElementById('url').value === 'copy me'")
	s.points("#text")
	s.types("Control+a", "Delete")
	compose := func(text string) {
		t.Helper()
		if _, err := pcdp.Call(within(t), s.person.Session(), input.ImeSetComposition, input.ImeSetCompositionParams{
			Text: text, SelectionStart: int64(len([]rune(text))), SelectionEnd: int64(len([]rune(text))),
		}); err != nil {
			t.Fatal(err)
		}
	}
	compose("に")
	compose("にほん")
	if _, err := pcdp.Call(within(t), s.person.Session(), input.InsertText, input.InsertTextParams{Text: "日本"}); err != nil {
		t.Fatal(err)
	}
	s.types("a")
	s.holds("the text, once", "document.getElementById('text').value === '日本a'")
	// A paste goes in parts, and no part ends inside of a character.
	s.types("Control+a")
	browsertest.Eval(t, s.person.MainFrame(), `{
		const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', 'x'.repeat(1999) + '🙂y');
		document.getElementById('keys').dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true })) }`)
	s.holds("the paste", "document.getElementById('text').value === 'x'.repeat(1999) + '🙂y'")

	s.points("#save")
	s.sees("the download", "document.getElementById('toast').textContent.includes('download list.txt')")

	// By finger: a tap presses, a stroke scrolls.
	if _, err := pcdp.Call(within(t), s.person.Session(), emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	touch := func(typ input.DispatchTouchEventType, points ...*input.TouchPoint) {
		t.Helper()
		if _, err := pcdp.Call(within(t), s.person.Session(), input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: typ, TouchPoints: points}); err != nil {
			t.Fatal(err)
		}
	}
	// To a page that knows fingers they are fingers, two of them.
	// Chromium knows of the listeners when it has drawn twice.
	browsertest.Eval(t, s.watched.MainFrame(), `(async () => {
		const e = document.getElementById('fingers'); window.felt = [];
		for (const type of ['touchstart', 'touchmove', 'touchend', 'touchcancel', 'click', 'contextmenu'])
			e.addEventListener(type, ev => { felt.push(type + (ev.touches ? ev.touches.length : '')); ev.preventDefault() }, { passive: false });
		for (const type of ['touchstart', 'touchend']) document.getElementById('tap').addEventListener(type, () => felt.push('tap ' + type));
		e.scrollIntoView({ block: 'center', behavior: 'instant' });
		for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
	})()`)
	felt := func(want string) {
		t.Helper()
		s.holds(want, fmt.Sprintf("felt.join(' ') === %q", want))
		browsertest.Eval(t, s.watched.MainFrame(), "felt.length = 0")
	}
	fx, fy := s.at(centre(t, s.watched.MainFrame(), "#fingers"))
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: fx - 20, Y: fy, ID: new(0.)})
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: fx - 20, Y: fy, ID: new(0.)}, &input.TouchPoint{X: fx + 20, Y: fy, ID: new(1.)})
	s.holds("two fingers", "felt.join(' ') === 'touchstart1 touchstart2'")
	touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: fx - 30, Y: fy, ID: new(0.)}, &input.TouchPoint{X: fx + 30, Y: fy, ID: new(1.)})
	s.holds("them to part", "felt[2] === 'touchmove2'")
	touch(input.DispatchTouchEventTypeTouchEnd)
	s.holds("both to be lifted", "felt.filter(f => !f.startsWith('touchmove')).join(' ') === 'touchstart1 touchstart2 touchend1 touchend0'")
	browsertest.Eval(t, s.watched.MainFrame(), "felt.length = 0")
	// Whatever touches when control ends is taken back.
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: fx, Y: fy})
	s.holds("the finger", "felt.join(' ') === 'touchstart1'")
	holder, _ := s.hub.Lease().Holder()
	s.hub.Lease().Drop(holder.Key) // as if her connection had broken
	felt("touchstart1 touchcancel0")
	touch(input.DispatchTouchEventTypeTouchEnd)
	s.state("free")
	s.clicks("#drive")
	s.state("mine")

	x, y := s.at(centre(t, s.watched.MainFrame(), "#tap"))
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	touch(input.DispatchTouchEventTypeTouchEnd)
	s.holds("the tap", "document.getElementById('tap').textContent === 'Tapped'")
	felt("tap touchstart tap touchend")
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	for n := range 5 {
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x, Y: y - 20*float64(n+1)})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	s.holds("the stroke", "scrollY > 50 && document.getElementById('tap').textContent === 'Tapped'")

	// The line breaks: control outlives it, and the page comes back by itself.
	s.line.cut()
	s.sees("that it broke", "document.getElementById('status').textContent === 'The connection was lost. Trying again.' || document.body.dataset.state !== 'mine'")
	s.sees("the view again", "['held', 'free'].includes(document.body.dataset.state) && document.getElementById('veil').textContent === ''")
	s.reads("request-text", "The agent asks: Choose a <b>fruit</b>")
	s.clicks("#drive")
	s.state("mine")
	s.clicks("#request-done")
	s.state("free")
	if a := <-asked; a.Ending != takeover.Done || *a.By.Name != "Ada" {
		t.Errorf("answer %+v", a)
	}
	s.sees("that nothing is asked", "document.getElementById('request').hidden")

	// She stops watching, and begins again.
	s.clicks("#watch")
	s.reads("status", "You are not watching.")
	s.clicks("#watch")
	s.state("free")
	if text := browsertest.Eval(t, s.person.MainFrame(), "document.title"); !strings.Contains(text, "/keys") {
		t.Errorf("the title is %s", text)
	}
}
