package tools_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

// same compares an answer with what it must be, where $B is the site and $T any
// time in a file's name.
func (w *bench) same(got, want string) {
	w.t.Helper()
	got = strings.ReplaceAll(got, w.url, "$B")
	got = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z`).ReplaceAllString(got, "$$T")
	if got != want {
		w.t.Errorf("got\n%s\n\nwant\n%s", got, want)
	}
}

func TestSectionsComeInTheirOrder(t *testing.T) {
	w := open(t)
	w.serve("/one", `<button onclick="console.log('a'),console.error('b')">Log</button><input aria-label=Name><a href=/two target=_blank>Open</a>
		<button onclick="alert('hey \'you\'')">Alert</button><button onclick="document.title='Other'">Rename</button>`)
	w.serve("/two", `<script>document.title='Two'</script><h1>Two</h1>`)
	const page = "### Page\n- Page URL: $B/one\n- Page Title: T\n"
	const tree = `- generic [active] [ref=e1]:
  - button "Log" [ref=e2]
  - textbox "Name" [ref=e3]
  - link "Open" [ref=e4] [cursor=pointer]:
    - /url: /two
  - button "Alert" [ref=e5]
  - button "Rename" [ref=e6]`
	text := w.visit("/one")
	ref := w.ref(text, `button "Log"`)
	w.same(text, page+"### Snapshot\n```yaml\n"+tree+"\n```")

	text = w.ok("browser_click", args{"target": ref})
	w.same(section(text, "Page"), "- Page URL: $B/one\n- Page Title: T\n- Console: 1 errors, 0 warnings")
	w.same(section(text, "Events"), "- New console entries: console-$T.log#L1-L2")
	w.same(strings.Join(regexp.MustCompile(`(?m)^### .*`).FindAllString(text, -1), " "), "### Page ### Snapshot ### Events")

	// Nothing to tell is told in no words.
	w.same(w.ok("browser_type", args{"target": "input", "text": "Ann"}), "")
	w.same(w.ok("browser_press_key", args{"key": "Tab"}), "")
	w.same(w.ok("browser_fill_form", args{"fields": []args{}}), "")
	w.same(w.ok("browser_evaluate", args{"function": "() => ({a: 1, b: [true, null]})"}), "### Result\n{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ]\n}")
	w.same(w.ok("browser_evaluate", args{"function": "() => undefined"}), "### Result\nundefined")
	w.same(w.ok("browser_resize", args{"width": 1000, "height": 700}), "")
	w.same(w.ok("browser_emulate_media", args{"colorScheme": "dark"}), "")
	w.same(w.ok("browser_mouse_move_xy", args{"x": 1, "y": 2}), "")

	// The page is told of when its header changed.
	w.same(w.ok("browser_evaluate", args{"function": "() => { document.title = 'New\\n### Error' }"}),
		"### Result\nundefined\n### Page\n- Page URL: $B/one\n- Page Title: New ### Error\n- Console: 1 errors, 0 warnings")

	text = w.ok("browser_click", args{"target": "text=Open"})
	// What it is called by now depends on how far it has come.
	w.same(regexp.MustCompile(`\[(T|Two)?\]`).ReplaceAllString(section(text, "Open tabs"), "[Two]"), "- 0: (current) [New ### Error]($B/one)\n- 1: [Two]($B/two)")
	w.has(text, "### Open tabs\n", "\n### Page\n- Page URL: ", "\n### Snapshot\n```yaml\n")
	w.same(w.ok("browser_tabs", args{"action": "select", "index": 1}),
		"### Result\n- 0: [New ### Error]($B/one)\n- 1: (current) [Two]($B/two)\n### Page\n- Page URL: $B/two\n- Page Title: Two")
	w.same(w.ok("browser_tabs", args{"action": "close", "index": 1}),
		"### Result\n- 0: (current) [New ### Error]($B/one)\n### Page\n- Page URL: $B/one\n- Page Title: New ### Error\n- Console: 1 errors, 0 warnings")

	w.same(w.ok("browser_click", args{"target": "text=Alert"}),
		"### Page\n- Page URL: $B/one\n- Page Title: New ### Error\n- Console: 1 errors, 0 warnings\n### Modal state\n- [\"alert\" dialog with message \"hey 'you'\"]: can be handled by browser_handle_dialog")
	w.same(w.ok("browser_handle_dialog", args{"accept": true}), "")
	w.same(w.ok("browser_wait_for", args{"text": "Rename", "snapshot": "none"}), "### Result\nWaited for Rename")
}

func TestErrorsHaveTheirKnownTexts(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	w.show("<button>One</button><button>Two</button>")
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"browser_click", args{"target": "e9999"}, "Error: Ref e9999 not found in the current page snapshot. Try capturing new snapshot."},
		{"browser_click", args{"target": "#nosuch"}, `Error: "#nosuch" does not match any elements.`},
		{"browser_tabs", args{"action": "select", "index": 9}, "Error: Tab 9 not found"},
		{"browser_tabs", args{"action": "close", "index": 9}, "Error: Tab 9 not found"},
		{"browser_tabs", args{"action": "select"}, "Error: Tab index is required"},
		{"browser_wait_for", args{"time": 0}, "Error: Either time, text or textGone must be provided"},
		{"browser_press_key", args{"key": "ab"}, `Unknown key: "ab"`},
		{"browser_verify_text_visible", args{"text": "Zip"}, "Text not found"},
		{"browser_verify_element_visible", args{"role": "button", "accessibleName": "Zip"}, `Element with role "button" and accessible name "Zip" not found`},
		{"browser_take_screenshot", args{"fullPage": true, "target": "button"}, "Error: fullPage cannot be used with element screenshots."},
		{"browser_network_request", args{"index": 99}, "Request #99 not found. Use browser_network_requests to see available indexes."},
		{"browser_drop", args{"target": "button >> nth=0"}, "Error: Either paths or data must be provided"},
		{"browser_find", nil, `Provide either "text" or "regex"`},
		{"browser_find", args{"regex": "("}, "Invalid regular expression"},
		{"browser_network_requests", args{"filter": "("}, "✖ Invalid regular expression"},
		{"browser_click", args{"target": "button"}, "strict mode violation: button resolved to 2 elements:\n    1) <button>One</button> aka getByRole('button', { name: 'One' })"},
		{"browser_evaluate", args{"function": "() => { throw new Error('boom') }"}, "Error: boom\n    at "},
		{"browser_evaluate", args{"function": "() => { throw 'a text' }"}, "### Error\na text"},
		{"browser_evaluate", args{"function": "async () => { throw null }"}, "### Error\nnull"},
		{"browser_evaluate", args{"function": "() => {"}, "SyntaxError"},
		{"browser_take_screenshot", args{"filename": "/etc/x.png"}, "Error: File access denied: /etc/x.png is outside allowed roots. Allowed roots: output-"},
		{"browser_mouse_click_xy", args{"x": 1, "y": 1, "clickCount": 0}, "clickCount must be a whole number"},
		{"browser_mouse_click_xy", args{"x": 1, "y": 1, "delay": -1}, "delay must be"},
		{"browser_resize", args{"width": -1, "height": 5}, "width and height must be from 0"},
	} {
		w.has(w.fails(c.tool, c.args), "### Error\n", c.want)
	}
	w.ok("browser_navigate_back", nil)
	w.fails("browser_navigate_back", nil, "### Error\nError: There is no page to go back to in this tab.")
	w.fails("browser_wait_for", args{"text": "Zip"}, "TimeoutError: ", "Timeout 5000ms exceeded.", "Call log:", `waiting for the text "Zip" to appear`)
}

func TestStatusAndConsoleAreToldOfAPage(t *testing.T) {
	w := open(t)
	w.mux.HandleFunc("/teapot", func(rw http.ResponseWriter, r *http.Request) { http.Error(rw, "short and stout", http.StatusTeapot) })
	w.has(w.visit("/broken/status?code=500"), "- HTTP status: 500 Internal Server Error\n")
	w.has(w.visit("/teapot"), "- HTTP status: 418 I'm a teapot")
	text := w.visit("/console?on=load")
	w.lacks(text, "HTTP status")
	await(t, "the errors", func() bool {
		return regexp.MustCompile(`- Console: [1-9] errors, [1-9] warnings`).MatchString(w.ok("browser_navigate", args{"url": w.url + "/console?on=load"}))
	})
	all := w.ok("browser_console_messages", nil)
	w.has(all, "### Result\nTotal messages: ", "(Errors: ", "\n\n[", "[LOG] ", "[WARNING] ", "[ERROR] ", " @ "+w.url+"/")
	w.has(w.ok("browser_console_messages", args{"level": "error"}), "Returning ", ` messages for level "error"`)
	w.lacks(w.ok("browser_console_messages", args{"level": "error"}), "[LOG] ", "[WARNING] ")
}

func TestTheConsoleLogHasALineForEachMessage(t *testing.T) {
	w := open(t)
	w.show("<p>x</p>")
	told := regexp.MustCompile(`- New console entries: (console-[^#]+\.log)#L(\d+)(?:-L(\d+))?$`)
	lines := func() []string {
		t.Helper()
		m := told.FindStringSubmatch(section(w.snapshot(), "Events"))
		if m == nil {
			return nil
		}
		return m[1:]
	}
	if got := lines(); got != nil {
		t.Fatalf("of a silent page: %q", got)
	}
	log := func(script string, n int) []string {
		t.Helper()
		// Beside the agent's calls, so that none of them is told of it.
		browsertest.Eval(t, w.b.Tabs()[0].MainFrame(), script)
		await(t, "the message", func() bool { return len(w.b.Tabs()[0].Messages(true)) == n })
		return lines()
	}
	first := log(`console.info('one\n### Error\u2028two')`, 1)
	if first == nil || first[1] != "1" || first[2] != "" {
		t.Fatalf("the first: %q", first)
	}
	second := log("console.warn('b'), console.error('c', 5), 1", 3)
	if second[0] != first[0] || second[1] != "2" || second[2] != "3" {
		t.Errorf("two more: %q", second)
	}
	if got := lines(); got != nil {
		t.Errorf("told again: %q", got)
	}
	w.show("<p>y</p>")
	log("void setTimeout(() => { throw new Error('late') })", 4)
	log("document.body.className = 'c', console.info(document.body, [document.body])", 5)
	f, err := w.store.Artifact(first[0])
	w.must(err)
	defer f.Close()
	text, err := io.ReadAll(f)
	w.must(err)
	want := regexp.MustCompile(`^\[ +0ms\] \[INFO\] one ### Error two @ .*\n\[ +\d+ms\] \[WARNING\] b @ .*\n\[ +\d+ms\] \[ERROR\] c 5 @ .*\n\[ +\d+ms\] \[PAGEERROR\] Error: late .*\n\[ +\d+ms\] \[INFO\] <body.c> \[<body.c>\] @ .*\n$`)
	if !want.Match(text) {
		t.Errorf("the log is\n%s", text)
	}
	if other := w.kit.NewSet(); other != nil {
		agent := *w
		agent.set = other
		agent.has(agent.snapshot(), "- New console entries: "+first[0]+"#L1-L5")
	}
}
