package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// TestPagesAreRecorded goes through pages of the site, each with its own traps for
// a script in the page's world.
func TestPagesAreRecorded(t *testing.T) {
	l := newLab(t)
	globals := "JSON.stringify(Object.getOwnPropertyNames(window).sort())"
	bare := browsertest.Free(t)
	if _, err := bare.Tabs()[0].Navigate(l.within(), l.site.URL()+"/strict"); err != nil {
		t.Fatal(err)
	}
	want := browsertest.Eval(t, bare.Tabs()[0].MainFrame(), globals)

	l.goTo("/strict")
	if got := l.eval(l.tab().MainFrame(), globals); got != want {
		t.Errorf("a recorded window has other names: %s, want %s", got, want)
	}
	if got := l.eval(l.tab().MainFrame(), "document.querySelectorAll('iframe').length + document.documentElement.outerHTML.includes('rrweb')"); got != "0" && got != `"0false"` {
		t.Errorf("the page has changed: %s", got)
	}
	l.eval(l.tab().MainFrame(), "document.getElementById('press').click()")
	l.awaitPosted("pressed 1")
	if got := l.eval(l.tab().MainFrame(), "JSON.stringify(account)"); strings.Contains(got, "violation") {
		t.Errorf("the page's policy was hurt: %s", got)
	}
	l.goTo("/spa")
	l.eval(l.tab().MainFrame(), "history.pushState(null, '', '/spa/deep?q=1#x')")
	l.goTo("/shadow")
	l.awaitPosted("A hint from the page")
	if got := l.tab().Messages(true); len(got) != 0 {
		t.Errorf("the console says %+v", got)
	}
	r := l.finish()
	if r.Lost() != 0 || r.Invalid != 0 || r.Sent != r.Recorded || len(l.ingest.Problems()) != 0 {
		t.Errorf("account %+v, problems %v", r, l.ingest.Problems())
	}
	events := l.pages()
	if n := count(events, 2, 0); n != 4 { // about:blank, /strict, /spa, /shadow
		t.Errorf("%d snapshots for four documents", n)
	}
	for i, e := range events {
		if e.Tab != 1 {
			t.Errorf("event %d is of tab %d", i, e.Tab)
		}
		if e.Type == 2 && (i == 0 || events[i-1].Type != 4) {
			t.Errorf("event %d: a snapshot without the page's address before it", i)
		}
	}
	var labels []string
	for _, m := range l.facts("marker") {
		var d struct{ Label, URL string }
		if err := json.Unmarshal([]byte(m), &d); err != nil {
			t.Fatal(err)
		}
		labels = append(labels, d.Label+" "+strings.TrimPrefix(d.URL, l.site.URL()))
	}
	if got, want := strings.Join(labels, ", "), "page_opened about:blank, navigated /strict, navigated /spa, navigated /spa/deep, navigated /shadow"; got != want {
		t.Errorf("markers: %s", got)
	}
}

func TestPopupsAreRecordedFromTheirFirstByte(t *testing.T) {
	l := newLab(t)
	l.goTo("/popups")
	for _, how := range []string{"window", "noopener", "blank", "written", "form"} {
		tabs := len(l.browser.Tabs())
		l.eval(l.tab().MainFrame(), "document.querySelector('[data-open="+how+"]').click()")
		apptest.Await(t, "the popup "+how, func() bool { return len(l.browser.Tabs()) > tabs })
	}
	for _, what := range []string{"name=window", "name=noopener", "name=later", "Written by the opener"} {
		if what, ok := strings.CutPrefix(what, "name="); ok {
			l.awaitPosted("Popup " + what)
			continue
		}
		l.awaitPosted(what)
	}
	// A window that outlived its first document goes on being recorded.
	for _, tab := range l.browser.Tabs()[1:] {
		browsertest.Eval(t, tab.MainFrame(), fmt.Sprintf("document.body.append(document.createTextNode('later in %d'))", tab.ID()))
		l.awaitPosted(fmt.Sprintf("later in %d", tab.ID()))
	}
	if r := l.finish(); r.Lost() != 0 || r.Invalid != 0 {
		t.Errorf("account %+v", r)
	}
}

// A page that writes itself anew loses every listener of ours, and is recorded on.
func TestADocumentThatIsOpenedAnewIsRecorded(t *testing.T) {
	l := newLab(t)
	l.goTo("/form")
	l.eval(l.tab().MainFrame(), `document.open(); document.write('<!doctype html><title>New</title><p>Written anew <input id=i>'); document.close(); 1`)
	l.awaitPosted("Written anew")
	before := count(l.pages(), 2, 0)
	l.eval(l.tab().MainFrame(), `i.focus(); document.execCommand('insertText', false, 'abcdef'); i.blur(); 1`)
	apptest.Await(t, "the typing", func() bool { return count(l.pages(), 3, 5) > 0 })
	l.finish()
	if after := count(l.pages(), 2, 0); after != before || after != 3 {
		t.Errorf("%d snapshots, then %d", before, after)
	}
}

func TestFramesOfOtherSitesAreInTheirParents(t *testing.T) {
	here, _ := serve(t, map[string]string{
		"/":      `<!doctype html><script>seen = 0; addEventListener('message', () => seen++, true)</script><p>Outside</p><iframe src="OTHER/frame"></iframe><iframe sandbox="allow-scripts" srcdoc="<p>Boxed text</p>"></iframe>`,
		"/frame": `<!doctype html><p id=p>Inside</p><input value="typed-in-a-frame"><iframe src="/inner"></iframe><script>onbeforeunload = null</script>`,
		"/inner": `<!doctype html><p>Innermost</p>`,
	})
	l := newLab(t)
	l.open(here)
	for _, what := range []string{"Outside", "Inside", "Innermost", "Boxed text"} {
		l.awaitPosted(what)
	}
	var frame *browser.Frame
	for _, f := range l.tab().Frames() {
		if strings.HasSuffix(f.URL(), "/frame") {
			frame = f
		}
	}
	l.eval(frame, "document.getElementById('p').firstChild.data = 'Changed inside'")
	l.awaitPosted("Changed inside")
	if got := l.eval(l.tab().MainFrame(), "seen"); got != "0" {
		t.Errorf("the page heard %s messages of its frames", got)
	}
	if r := l.finish(); r.Lost() != 0 || r.Invalid != 0 {
		t.Errorf("account %+v", r)
	}
	// One document of the tab, and every tree in an element that it has.
	type node struct {
		ID         int64  `json:"id"`
		TagName    string `json:"tagName"`
		ChildNodes []node `json:"childNodes"`
	}
	known := map[int64]string{}
	var learn func(n node)
	learn = func(n node) {
		known[n.ID] = n.TagName
		for _, c := range n.ChildNodes {
			learn(c)
		}
	}
	snapshots, attached := 0, 0
	for _, e := range l.pages() {
		var d struct {
			Node *node
			Adds []struct {
				ParentID int64
				Node     node
			}
			Texts          []struct{ ID int64 }
			IsAttachIframe bool
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Type == 2:
			snapshots++
			learn(*d.Node)
		case d.IsAttachIframe:
			attached++
			if known[d.Adds[0].ParentID] != "iframe" {
				t.Errorf("a frame hangs in %q (%d)", known[d.Adds[0].ParentID], d.Adds[0].ParentID)
			}
			learn(d.Adds[0].Node)
		}
		for _, text := range d.Texts {
			if _, ok := known[text.ID]; !ok {
				t.Errorf("a text of node %d, which nobody knows", text.ID)
			}
		}
	}
	if snapshots != 2 || attached < 3 { // about:blank and the page; three frames
		t.Errorf("%d snapshots, %d frames", snapshots, attached)
	}
	if strings.Contains(l.posted(), "typed-in-a-frame") {
		t.Error("a field's value left its frame")
	}
}

func TestConsoleIsRecordedUnderBothNames(t *testing.T) {
	l := newLab(t)
	l.goTo("/console")
	l.eval(l.tab().MainFrame(), `console.error('an error at http://u:p@a.test/x?q=secret-query#f', {a: 1}); console.warn('a warning'); console.log('a log'); setTimeout(() => { throw new Error('thrown') }); 1`)
	l.eval(l.tab().MainFrame(), `console.error('x'.repeat(5000)); 1`)
	apptest.Await(t, "the console", func() bool { return len(l.facts("console")) >= 4 })
	l.finish()
	type line struct {
		Level, Text, Message string
		Tab                  int
	}
	var all []line
	for _, c := range l.facts("console") {
		var one line
		if err := json.Unmarshal([]byte(c), &one); err != nil {
			t.Fatal(err)
		}
		if one.Text != one.Message || one.Tab != 1 || len(one.Text) > 2000 {
			t.Errorf("%+v", one)
		}
		all = append(all, one)
	}
	said := fmt.Sprint(all)
	for _, want := range []string{"{error an error at http://a.test/x {a: 1}", "{warning a warning", "{error Error: thrown"} {
		if !strings.Contains(said, want) {
			t.Errorf("%s is missing in %.1000s", want, said)
		}
	}
	if strings.Contains(said, "a log") || strings.Contains(said, "secret-query") {
		t.Errorf("too much: %.1000s", said)
	}
}

func TestWhatIsLostIsMended(t *testing.T) {
	l := newLab(t)
	l.goTo("/orders")
	l.awaitPosted("All orders")
	refusals := make([]apptest.Reply, 200)
	for i := range refusals {
		refusals[i] = apptest.Reply{Status: 404} // whole batches, whatever is in them
	}
	l.ingest.Script(refusals...)
	l.eval(l.tab().MainFrame(), "document.body.append(document.createTextNode('lost for ever')); 1")
	apptest.Await(t, "a refusal", func() bool { b := l.ingest.Batches(); return b[len(b)-1].Status == 404 })
	l.ingest.Script()
	before := count(l.pages(), 2, 0)
	l.eval(l.tab().MainFrame(), "document.body.append(document.createTextNode('and now')); 1")
	apptest.Await(t, "a new snapshot", func() bool { return count(l.pages(), 2, 0) > before })
	l.awaitPosted("lost for ever")
	r := l.finish()
	if r.Lost() == 0 || !strings.Contains(strings.Join(l.facts("marker"), "\n"), `{"label":"recording_gap","dropped":`) {
		t.Errorf("account %+v, markers %v", r, l.facts("marker"))
	}
}

// A person's takeover: who and how it ended, and nothing of what is on the page
// meanwhile.
func TestNothingIsReadWhileAPersonDrives(t *testing.T) {
	const secret = "what-the-person-types"
	l := newLab(t)
	l.goTo("/form")
	l.awaitPosted("New order")
	at := time.Now()
	l.events.Publish(event.Event{Kind: event.Takeover, Time: at, Detail: map[string]string{"why": "taken", "held": "true", "by": "Ada", "user": "7"}})
	l.events.Publish(event.Event{Kind: event.Takeover, Time: at, Detail: map[string]string{"why": "moved", "held": "true", "by": "Ada", "user": "7"}})
	l.eval(l.tab().MainFrame(), "document.querySelector('[contenteditable]').focus()")
	l.insert(secret)
	// A page that echoes everything everywhere.
	l.eval(l.tab().MainFrame(), `{ const text = document.querySelector('[contenteditable]').textContent;
		document.title = text; document.querySelector('h1').textContent = text; document.body.title = text;
		document.body.dataset.echo = text; console.error(text); 1 }`)
	apptest.Await(t, "the echo", func() bool {
		return len(l.facts("console")) > 0 && strings.Contains(l.posted(), "*********************")
	})
	l.events.Publish(event.Event{Kind: event.Takeover, Detail: map[string]string{"why": "handed_back", "held": "false", "by": "Ada", "user": "7"}})
	l.events.Publish(event.Event{Kind: event.Takeover, Detail: map[string]string{"why": "taken", "held": "true"}})
	l.events.Publish(event.Event{Kind: event.Takeover, Detail: map[string]string{"why": "disconnected", "held": "false"}})
	l.finish()
	if strings.Contains(l.posted(), secret) {
		t.Error("what was typed is recorded")
	}
	var takeovers []string
	for _, m := range l.facts("marker") {
		if strings.Contains(m, "takeover") {
			takeovers = append(takeovers, m)
		}
	}
	want := []string{
		`{"label":"takeover_started","source":"human","user":{"id":"7","name":"Ada"}}`,
		`{"label":"takeover_ended","source":"human","user":{"id":"7","name":"Ada"},"reason":"handed_back"}`,
		`{"label":"takeover_started","source":"human","user":{"id":null,"name":null}}`,
		`{"label":"takeover_ended","source":"human","user":{"id":null,"name":null},"reason":"disconnected"}`,
	}
	if strings.Join(takeovers, "\n") != strings.Join(want, "\n") {
		t.Errorf("markers %s", strings.Join(takeovers, "\n"))
	}
}

func TestCloseWithoutABrowser(t *testing.T) {
	l := newLab(t)
	l.events.Publish(event.Event{Kind: event.Stopping, Detail: map[string]string{"reason": "signal"}})
	l.events.Publish(event.Refusal{Kind: event.RefusedNavigation, Target: "http://b.test", Rule: "off_app", Reason: "is elsewhere", Setting: "allow_origins"}.Event(0))
	r := l.recorder.Close(context.Background())
	if again := l.recorder.Close(context.Background()); again.Sent != r.Sent {
		t.Errorf("%+v, then %+v", r, again)
	}
	got := strings.Join(l.facts("marker"), "\n")
	for _, want := range []string{`{"label":"stopping","reason":"signal"}`, `{"label":"refused","kind":"navigation","target":"http://b.test","rule":"off_app","reason":"is elsewhere","setting":"allow_origins"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	l.recorder.Flush(l.within()) // after the end
}
