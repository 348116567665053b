package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// posted is everything that an ingest was ever sent.
func posted(i *apptest.Ingest) string {
	var all strings.Builder
	for _, b := range i.Batches() {
		all.Write(b.Body)
		fmt.Fprintln(&all, b.Header)
	}
	return all.String()
}

// wantAccount checks the last account of a recording against its ingest.
func wantAccount(t *testing.T, p *apptest.Process, i *apptest.Ingest) map[string]any {
	t.Helper()
	var account map[string]any
	for _, e := range p.Events() {
		if e.Type == proto.EventRecording {
			account = e.Detail
		}
	}
	if account == nil {
		t.Fatalf("no account among %v", p.Events())
	}
	if n := float64(len(i.Events())); account["sent"] != n || account["recorded"] != account["sent"].(float64)+account["dropped"].(float64) {
		t.Errorf("account %v of %v stored events", account, n)
	}
	if len(i.Problems()) != 0 {
		t.Errorf("the ingest refused: %v", i.Problems())
	}
	return account
}

// TestRecordingOfASession: an agent fills in a form and the host stops the browser.
// The recording has the page and its end, and nothing that was typed.
func TestRecordingOfASession(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			recordASession(t, flavour)
		})
	}
}

func recordASession(t *testing.T, flavour string) {
	const password, notes, editor = "typed-password-81c4", "typed notes 81c4", "typed greeting 81c4"
	site := apptest.Start(t)
	ingest := apptest.NewIngest(t, 0)
	ingest.Take("action")
	recording := ingest.Config()
	recording["actions"] = true
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "chromium": flavour, "recording": recording})
	p.MCP.Initialize()
	page := p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	for element, text := range map[string]string{`textbox "Discount password"`: password, `textbox "Notes"`: notes, `textbox "Greeting"`: editor} {
		p.MCP.Must("browser_type", apptest.Args{"target": p.MCP.Ref(page, element), "element": element, "text": text})
	}
	p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/orders"})
	p.MCP.Call("browser_navigate", apptest.Args{"url": "http://example.com/?q=1"})
	time.Sleep(500 * time.Millisecond) // as the original's own test waits
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.Stderr())
	}
	if left, err := os.ReadDir(p.Workdir); err != nil || len(left) != 0 {
		t.Errorf("left in the work directory: %v, %v", left, err)
	}
	wantEnd(t, p, proto.ReasonSignal, 0, false)
	if account := wantAccount(t, p, ingest); account["dropped"] != 0.0 || account["invalid"] != 0.0 {
		t.Errorf("account %v", account)
	}
	if !strings.Contains(p.Stderr(), "recording: the account") {
		t.Errorf("the log ends without the account: %s", p.Stderr())
	}

	all := posted(ingest)
	for _, word := range []string{password, notes, editor, apptest.Token, `"text":"typed`} {
		if strings.Contains(all, word) {
			t.Errorf("%s is in the recording", word)
		}
	}
	var labels, tools []string
	snapshots := 0
	for _, e := range ingest.Events() {
		var d struct {
			Type    int
			Tool    string
			Outcome string
			Reason  string
			Tab     int
		}
		_ = json.Unmarshal(e.Data, &d)
		switch {
		case e.Kind == "rrweb" && d.Type == 2:
			snapshots++
		case e.Kind == "marker":
			labels = append(labels, fmt.Sprint(e.Label(), d.Tab, d.Reason))
		case e.Kind == "action":
			tools = append(tools, d.Tool+" "+d.Outcome)
		}
	}
	story := strings.Join(labels, ", ")
	for _, want := range []string{"page_opened1", "navigated1", "page_opened2", "navigated2", "stopping0signal, page_closed"} {
		if !strings.Contains(story, want) {
			t.Errorf("%s is missing in %s", want, story)
		}
	}
	if strings.Count(story, "page_closed") != 2 || snapshots < 4 {
		t.Errorf("%d snapshots, markers %s", snapshots, story)
	}
	if got := strings.Join(tools, ", "); got != "browser_navigate ok, browser_type ok, browser_type ok, browser_type ok, browser_tabs ok" {
		t.Errorf("actions %s", got)
	}
}

// TestRecordingOfATakeover: what a person types is in no byte that leaves, and who
// drove and how it ended is.
func TestRecordingOfATakeover(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	ingest := apptest.NewIngest(t, 0)
	p := apptest.Sidecar(t, liveConfig(), apptest.Config{"app_url": site.URL(), "recording": ingest.Config()})
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => document.querySelector('[contenteditable]').scrollIntoView({ block: 'center' })"})
	x, y := centre(t, p.MCP, "[contenteditable]")
	ada := dashboardOf(t, p, "7", "Ada")
	ada.await("a picture", func() bool { return ada.frames > 0 })
	ada.takeOver()
	ada.click(x, y)
	ada.send(map[string]any{"type": "text", "text": canary})
	for _, key := range "typed" {
		ada.press(string(key), "", 0)
	}
	ada.press("Tab", "Tab", 9)
	ada.handBack()
	// Later the page tells it, when it is no longer masked for being fresh.
	time.Sleep(1500 * time.Millisecond)
	p.MCP.Must("browser_evaluate", apptest.Args{"function": `() => {
		const fields = [...document.querySelectorAll('[contenteditable], input, textarea')];
		const field = fields.find((f) => (f.value || f.textContent).includes('typed'));
		const said = field.value || field.textContent;
		const p = document.createElement('p');
		p.textContent = 'Thank you, ' + said + '!';
		p.title = said;
		p.style.setProperty('--said', "'" + said + "'");
		document.body.append(p);
		field.removeAttribute('contenteditable');
		history.pushState(null, '', '/form/' + encodeURIComponent(said));
		console.error('known', said);
	}`})
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/form?later"})
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	wantAccount(t, p, ingest)
	all := posted(ingest)
	// A host is told which page is on screen, and this one has it in its address.
	stdout := slices.DeleteFunc(p.Stdout(), func(line string) bool { return strings.Contains(line, `"type":"page"`) })
	for where, text := range map[string]string{"the recording": all, "the log": p.Stderr(), "stdout": strings.Join(stdout, "\n")} {
		if strings.Contains(text, canary) {
			t.Errorf("what was typed is in %s", where)
		}
	}
	for _, want := range []string{
		`"textContent":"Thank you, `,
		`"data":{"label":"takeover_started","source":"human","user":{"id":"7","name":"Ada"}}`,
		`"data":{"label":"takeover_ended","source":"human","user":{"id":"7","name":"Ada"},"reason":"handed_back"}`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// TestStopWithADeadIngest: an ingest that takes connections and never answers costs
// a stop no more than its budget, and the agent nothing at all.
func TestStopWithADeadIngest(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	ingest := apptest.NewIngest(t, 0)
	silent := make([]apptest.Reply, 100)
	for i := range silent {
		silent[i].Delay = time.Hour
	}
	ingest.Script(silent...)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "recording": ingest.Config()})
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	apptest.Await(t, "a post", func() bool { return len(ingest.Batches()) > 0 })
	begin := time.Now()
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begin); took > budget {
		t.Errorf("the stop took %v", took)
	}
	wantEnd(t, p, proto.ReasonSignal, 0, false)
	for _, e := range p.Events() {
		if e.Type == proto.EventRecording && (e.Detail["sent"] != 0.0 || e.Detail["dropped"] != e.Detail["recorded"] || e.Detail["recorded"] == 0.0) {
			t.Errorf("account %v", e.Detail)
		}
	}
}
