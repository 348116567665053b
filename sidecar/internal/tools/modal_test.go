package tools_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

// soon is far less than any of the limits that a held page would wait for.
const soon = 3 * time.Second

// quickly runs a tool that must not wait for anything.
func (w *bench) quickly(name string, a args) string {
	w.t.Helper()
	start := time.Now()
	text := w.ok(name, a)
	if took := time.Since(start); took > soon {
		w.t.Errorf("%s took %v", name, took)
	}
	return text
}

func modal(kind, message string) string {
	return "### Modal state\n- [\"" + kind + "\" dialog with message \"" + message + "\"]: can be handled by browser_handle_dialog"
}

func TestADialogAtAnyStepReturnsAtOnce(t *testing.T) {
	w := open(t)
	w.serve("/loading", `<p>before</p><script>alert('while loading')</script><p>after</p>`)
	w.serve("/link", `<a href=/loading>Go</a>`)
	w.serve("/timer", `<button onclick="setTimeout(() => alert('timer'), 100)">Timer</button><input onkeydown="alert('key')" onchange="alert('changed')"><p onmousemove="alert('moved')">hover</p>
		<select onchange="alert('chosen')"><option>1<option>2</select>`)
	for _, c := range []struct {
		path, tool string
		args       args
		says       string
	}{
		{"/link", "browser_navigate", args{"url": w.url + "/loading"}, modal("alert", "while loading")},
		{"/link", "browser_click", args{"target": "a"}, modal("alert", "while loading")},
		{"/timer", "browser_click", args{"target": "button"}, modal("alert", "timer")},
		{"/timer", "browser_hover", args{"target": "p"}, modal("alert", "moved")},
		{"/timer", "browser_type", args{"target": "input", "text": "x", "slowly": true}, modal("alert", "key")},
		{"/timer", "browser_select_option", args{"target": "select", "values": []string{"2"}}, modal("alert", "chosen")},
		{"/timer", "browser_evaluate", args{"function": "() => confirm('sure?')"}, modal("confirm", "sure?")},
		{"/timer", "browser_evaluate", args{"function": "() => prompt('name?', 'x')"}, modal("prompt", "name?")},
		{"/timer", "browser_mouse_click_xy", args{"x": 20, "y": 20}, modal("alert", "timer")},
	} {
		w.visit(c.path)
		text := w.quickly(c.tool, c.args)
		w.has(text, c.says)
		w.lacks(text, "### Snapshot", "### Error")
		w.quickly("browser_handle_dialog", args{"accept": false})
		if w.b.Tabs()[0].Dialog() != nil {
			w.ok("browser_handle_dialog", args{"accept": true})
		}
	}
	w.visit("/timer")
	w.js("() => { setTimeout(() => alert('meanwhile'), 300) }")
	w.has(w.quickly("browser_wait_for", args{"text": "never there"}), modal("alert", "meanwhile"))
	w.ok("browser_handle_dialog", args{"accept": true})
	w.js("() => { setTimeout(() => alert('meanwhile'), 300) }")
	w.has(w.quickly("browser_wait_for", args{"time": 20}), modal("alert", "meanwhile"))
	w.ok("browser_handle_dialog", args{"accept": true})
}

func TestDialogsAreAnswered(t *testing.T) {
	w := open(t)
	w.show(`<button onclick="window.said = prompt('name?', 'x')">Ask</button><button onclick="alert(1); alert(2)">Twice</button>`)
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"accept": true, "promptText": "Ann"}, `"Ann"`}, {args{"accept": true}, `""`}, {args{"accept": false}, "null"},
	} {
		w.ok("browser_click", args{"target": "text=Ask"})
		text := w.ok("browser_handle_dialog", c.args)
		w.lacks(text, "### Snapshot", "### Modal state")
		if got := w.js("() => window.said"); got != c.want {
			t.Errorf("%v: the page has %s", c.args, got)
		}
	}
	w.has(w.ok("browser_click", args{"target": "text=Twice"}), modal("alert", "1"))
	w.has(w.quickly("browser_handle_dialog", args{"accept": true}), modal("alert", "2"))
	w.lacks(w.ok("browser_handle_dialog", args{"accept": true}), "### Modal state")
}

func TestLeavingAPageThatAsks(t *testing.T) {
	w := open(t)
	w.visit("/dialogs")
	w.ok("browser_click", args{"target": "[data-dialog=guard]"})
	w.has(w.quickly("browser_navigate", args{"url": w.url + "/login"}), "[\"beforeunload\" dialog with message \"\"]")
	w.ok("browser_handle_dialog", args{"accept": false})
	w.has(w.snapshot(), w.url+"/dialogs")
	w.ok("browser_navigate", args{"url": w.url + "/login"})
	w.ok("browser_handle_dialog", args{"accept": true})
	await(t, "the next page", func() bool { return strings.Contains(w.snapshot(), "- Page URL: "+w.url+"/login\n") })
}

func TestADialogThatAPersonCloses(t *testing.T) {
	w := open(t)
	w.show(`<button onclick="alert('x')">Go</button>`)
	w.ok("browser_click", args{"target": "button"})
	tab := w.b.Tabs()[0]
	_, err := pcdp.Call(w.within(patience), tab.Session(), page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	w.must(err)
	await(t, "the state to clear", func() bool { return tab.Dialog() == nil })
	w.lacks(w.snapshot(), "### Modal state")
	w.fails("browser_handle_dialog", args{"accept": true}, "can only be used when there is related modal state present")
}

func TestAHungPageLeavesTheOthersAlone(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	w.serve("/busy", `<script>document.title = 'Busy'</script><button>Go</button><input>`)
	w.visit("/busy")
	other := w.agent(t)
	other.show("<h1>Fine</h1>")
	tab := w.b.Tabs()[0]
	browsertest.Eval(t, tab.MainFrame(), "void setTimeout(() => { for (;;); }, 0)")
	await(t, "the hang", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return tab.Pulse(ctx) != nil
	})
	var calls sync.WaitGroup
	for tool, a := range map[string]args{
		"browser_type": {"target": "input", "text": "x"}, "browser_snapshot": {},
		"browser_take_screenshot": {}, "browser_pdf_save": {}, "browser_find": {"text": "Go"}, "browser_wait_for": {"text": "x"},
		"browser_verify_text_visible": {"text": "Go"},
	} {
		calls.Go(func() {
			start := time.Now()
			r := w.call(tool, a)
			if took := time.Since(start); !r.isError || !strings.HasPrefix(r.text, "### Error\nTimeoutError: ") || took > 45*time.Second {
				t.Errorf("%s took %v: %s", tool, took, r.text)
			}
		})
	}
	other.has(other.quickly("browser_snapshot", nil), "Fine")
	other.quickly("browser_click", args{"target": "h1"})
	other.has(other.quickly("browser_tabs", args{"action": "list"}), "[Busy](", "(current) [T](")
	calls.Wait()
	w.has(w.ok("browser_navigate", args{"url": w.url + "/login"}), "Sign in")
	w.ok("browser_type", args{"target": "[name=user]", "text": "x"})
}

func TestACrashedPageLeavesTheOthersAlone(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	w.show("<h1>Doomed</h1>")
	other := w.agent(t)
	other.show("<h1>Fine</h1>")
	tab := w.b.Tabs()[0]
	go func() { _, _ = pcdp.Call(w.within(patience), tab.Session(), page.Crash, pcdp.Empty{}) }()
	<-tab.Crashed()
	other.has(other.snapshot(), "Fine", "- 0: [T]("+w.url+"/page/1) [crashed]")
	w.fails("browser_snapshot", nil, "Target crashed")
	w.has(w.visit("/login"), "Sign in")
	// While calls are at work.
	tab = w.b.Tabs()[0] // the other's: a new one took the place of the one that crashed
	other.show("<button disabled>Never</button>")
	var waiting []<-chan result
	for tool, a := range map[string]args{"browser_wait_for": {"text": "never there"}, "browser_click": {"target": "button"}} {
		waiting = append(waiting, other.start(w.within(patience), tool, a))
	}
	time.Sleep(200 * time.Millisecond) // for the calls to be at it; less would only make the test easier
	start := time.Now()
	go func() { _, _ = pcdp.Call(w.within(patience), tab.Session(), page.Crash, pcdp.Empty{}) }()
	for _, c := range waiting {
		if r := <-c; !r.isError || !strings.Contains(r.text, "Target crashed") || time.Since(start) > soon {
			t.Errorf("after %v: %s", time.Since(start), r.text)
		}
	}
}

func TestAPageThatNeverFinishesLoadingIsShownAsItIs(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	start := time.Now()
	text := w.visit("/slow/load")
	w.has(text, "### Result\nThe page is still loading; this is what there is so far.\n", "### Snapshot\n```yaml\n")
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	w.has(w.snapshot(), "```yaml\n- ")
}
