package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/record"
)

// The words that are typed, chosen and hidden below. Each is long enough not to
// stand anywhere by chance.
const (
	typedText     = "zebra-in-a-text-field"
	typedPassword = "zebra-in-a-password"
	toggled       = "zebra-toggled-password"
	card          = "4929123412341234"
	typedArea     = "zebra-in-an-area"
	typedEditor   = "zebra-in-an-editor"
	designed      = "zebra-in-design-mode"
	hidden        = "zebra-that-is-hidden"
	option        = "zebra-option-value"
	radio         = "zebra-radio-value"
	shadowed      = "zebra-in-a-shadow"
	framed        = "zebra-in-a-frame"
	scripted      = "zebra-set-by-a-script"
)

var words = []string{typedText, typedPassword, toggled, card, typedArea, typedEditor, designed, hidden, option, radio, shadowed, framed, scripted}

const secretPage = `<!doctype html><title>Secrets</title><h1>Secrets</h1><form action="/x?` + hidden + `">
<input id=text><input id=password type=password><input id=toggled type=password><input id=card autocomplete="cc-number">
<textarea id=area></textarea><div id=editor contenteditable><p>empty</p></div>
<input type=hidden value="` + hidden + `"><input id=scripted>
<select id=select><option value=a>One</option><option value="` + option + `">Two</option></select>
<input id=radio type=radio name=r value="` + radio + `"><input type=checkbox value="` + radio + `">
<div id=host></div><iframe id=frame srcdoc="<input id=framed>"></iframe><iframe src="OTHER/inner"></iframe><iframe id=design></iframe></form>
<script>
host.attachShadow({ mode: 'open' }).innerHTML = '<input id=shadowed><div contenteditable id=edited></div>';
design.contentDocument.designMode = 'on';
</script>`

func TestWhatIsTypedIsNowhere(t *testing.T) {
	spool := t.TempDir()
	here, _ := serve(t, map[string]string{"/": secretPage, "/inner": `<!doctype html><input id=framed><p>Inner</p>`})
	l := newLab(t, func(o *record.Options) { o.SpoolDir, o.SpoolBytes, o.Actions, o.BatchEvents = spool, 1<<20, true, 20 })
	// Everything goes through the spool: the ingest is away at first.
	away := make([]apptest.Reply, 3)
	for i := range away {
		away[i] = apptest.Reply{Status: 503}
	}
	l.ingest.Script(away...)
	l.open(here)
	main := l.tab().MainFrame()
	for id, text := range map[string]string{
		"text": typedText, "password": typedPassword, "card": card, "area": typedArea, "editor": typedEditor,
	} {
		l.eval(main, "document.getElementById('"+id+"').focus()")
		l.insert(text)
		l.eval(main, "document.activeElement.blur()")
	}
	l.eval(main, "toggled.focus()")
	l.insert(toggled)
	l.eval(main, "toggled.type = 'text'; toggled.blur(); toggled.type = 'submit'; toggled.setAttribute('value', toggled.value); toggled.type = 'password'; toggled.type = 'button'; 1")
	l.eval(main, "scripted.value = '"+scripted+"'; scripted.setAttribute('value', scripted.value); 1")
	l.eval(main, "select.value = '"+option+"'; select.dispatchEvent(new Event('change', { bubbles: true })); radio.click(); 1")
	l.eval(main, "host.shadowRoot.getElementById('shadowed').focus()")
	l.insert(shadowed)
	l.eval(main, "host.shadowRoot.getElementById('edited').focus()")
	l.insert(shadowed)
	l.eval(main, "design.contentWindow.focus(); design.contentDocument.body.focus(); design.contentDocument.execCommand('insertText', false, '"+designed+"')")
	for _, f := range l.tab().Frames() {
		if l.eval(f, "typeof framed") == `"object"` {
			l.eval(f, "framed.focus()")
			if f.Session() == main.Session() {
				l.insert(framed)
				continue
			}
			l.eval(f, "document.execCommand('insertText', false, '"+framed+"')")
		}
	}
	// New elements, copies and moves of what is filled in.
	l.eval(main, `{ const [editor, area] = ['editor', 'area'].map((id) => document.getElementById(id));
		const copy = document.querySelector('form').cloneNode(true); copy.id = 'copy'; document.body.append(copy);
		editor.append('`+typedEditor+`'); document.body.append(editor); area.textContent = '`+typedArea+`'; 1 }`)
	l.awaitPosted("Inner")
	if entries, _ := os.ReadDir(spool); len(entries) != 0 {
		t.Errorf("the spool has a name: %v", entries)
	}
	r := l.finish()
	if r.Sent == 0 || r.Lost() != 0 || r.Invalid != 0 || len(l.ingest.Problems()) != 0 {
		t.Errorf("account %+v, problems %v", r, l.ingest.Problems())
	}
	posted := l.posted()
	for _, word := range words {
		if i := strings.Index(posted, word); i >= 0 {
			t.Errorf("%s is in the recording: %s", word, posted[max(i-300, 0):min(i+100, len(posted))])
		}
	}
	// It is a recording all the same.
	if events := l.pages(); count(events, 3, 5) < 5 || !strings.Contains(posted, "Two") {
		t.Errorf("%d events of typing", count(events, 3, 5))
	}
}

// What a tool types is looked for in all that a page says later.
func TestEchoesOfTypingAreMasked(t *testing.T) {
	l := newLab(t, func(o *record.Options) { o.Actions = true })
	l.ingest.Take("action")
	l.goTo("/login")
	for tool, args := range map[string]string{
		"browser_type":          `{"target":"e1","element":"User name","text":"` + typedText + `"}`,
		"browser_fill_form":     `{"fields":[{"name":"Password","type":"textbox","target":"e2","value":"` + typedPassword + `"},{"name":"Country","type":"combobox","target":"e3","value":"Germany"}]}`,
		"browser_handle_dialog": `{"accept":true,"promptText":"` + scripted + `"}`,
		"browser_press_key":     `{"key":"q"}`,
		"browser_navigate":      `{"url":"http://127.0.0.1/x?q=` + hidden + `"}`,
		"browser_evaluate":      `{"function":"() => '` + hidden + `'"}`,
		"browser_drag":          `{"startElement":"a","startTarget":"e1","endElement":"b","endTarget":"e2"}`,
		"browser_tabs":          `{"action":"select","index":0}`,
		"browser_click":         `not JSON`,
	} {
		l.recorder.Typing(tool, json.RawMessage(args))
		l.recorder.Action(record.Action{Tool: tool, Args: json.RawMessage(args), Start: time.Now(), Duration: 1234 * time.Millisecond, Outcome: "ok"})
	}
	l.eval(l.tab().MainFrame(), fmt.Sprintf(`document.body.append('Hello %s!'); document.title = '%s'; document.body.title = 'It is %s'; document.body.append(' Germany'); 1`,
		typedText, strings.ToUpper(typedPassword), scripted))
	l.awaitPosted("Germany")
	l.finish()
	posted := l.posted()
	for _, word := range []string{typedText, strings.ToUpper(typedPassword), typedPassword, scripted, hidden} {
		if strings.Contains(posted, word) {
			t.Errorf("%s is in the recording", word)
		}
	}
	actions := strings.Join(l.facts("action"), "\n")
	for _, want := range []string{
		`{"tool":"browser_type","target":"User name","duration_ms":1234,"outcome":"ok"}`,
		`{"tool":"browser_fill_form","target":"Password, Country",`,
		`{"tool":"browser_press_key","key":"*",`,
		`{"tool":"browser_navigate","url":"http://127.0.0.1/x",`,
		`{"tool":"browser_drag","to":"b","target":"a",`,
		`{"tool":"browser_tabs","what":"select",`,
		`{"tool":"browser_evaluate","duration_ms":1234,`,
		`{"tool":"browser_click","duration_ms":1234,`,
	} {
		if !strings.Contains(actions, want) {
			t.Errorf("%s is missing in %s", want, actions)
		}
	}
}

// Without the switch, an original ingest gets only what it takes.
func TestActionsAreOffByThemselves(t *testing.T) {
	l := newLab(t)
	l.recorder.Action(record.Action{Tool: "browser_click", Start: time.Now()})
	l.recorder.Close(context.Background())
	if got := l.facts("action"); len(got) != 0 || len(l.ingest.Problems()) != 0 {
		t.Errorf("actions %v, problems %v", got, l.ingest.Problems())
	}
}
