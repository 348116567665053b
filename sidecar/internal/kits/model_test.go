package kits

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// model drives one kit's pages. It knows what the last answer that showed the
// page said, and nothing else.
type model struct {
	t    *testing.T
	mcp  *apptest.MCPClient
	kit  string
	tree []string // the last snapshot
	text string   // the last answer
	told bool     // the last call that acted showed the page by itself
}

// drive starts a sidecar on the kit's pages. Kits are driven side by side: most of
// the time goes into waiting for animations.
func drive(t *testing.T, kit string) *model {
	t.Helper()
	t.Parallel()
	site := apptest.Serve(t, http.FileServerFS(os.DirFS(pages(t))))
	p := apptest.Sidecar(t, apptest.Config{"app_url": site})
	p.MCP.Initialize()
	return &model{t: t, mcp: p.MCP, kit: kit}
}

// part opens a page of the kit and runs a test there. What fails ends that test
// alone.
func (m *model) part(name, query string, f func(m *model)) {
	m.t.Run(name, func(t *testing.T) {
		own := &model{t: t, mcp: apptest.NewMCP(t, m.mcp.URL, m.mcp.Token), kit: m.kit}
		own.mcp.Session = m.mcp.Session
		own.do("browser_navigate", apptest.Args{"url": "/" + m.kit + "/?" + query})
		f(own)
		if t.Failed() {
			t.Logf("the last answer:\n%s", own.text)
		}
	})
}

// do calls a tool that must work, and keeps what its answer shows.
func (m *model) do(tool string, args apptest.Args) string {
	m.t.Helper()
	m.text = m.mcp.Must(tool, args)
	if _, rest, ok := strings.Cut(m.text, "```yaml\n"); ok {
		yaml, _, _ := strings.Cut(rest, "\n```")
		m.tree = strings.Split(yaml, "\n")
		m.told = true
	}
	return m.text
}

// quietly calls a tool whose answer does not show the page.
func (m *model) quietly(tool string, args apptest.Args) {
	m.t.Helper()
	m.do(tool, args)
	m.see()
	m.told = false
}

// patience is how long a page may take to show what it makes of a call. A model
// spends longer on its next thought.
const patience = 5 * time.Second

// holds says whether the page is as it should be, when it has had time for it.
// That an answer came too early is told and no fault: on a busy machine a page
// may take longer than any action should wait.
func (m *model) holds(is func() bool) bool {
	m.t.Helper()
	for begin := time.Now(); !is(); {
		if time.Since(begin) > patience {
			return false
		}
		if m.told {
			m.t.Log("the answer showed the page before it was done")
		}
		m.see()
		m.told = false
	}
	return true
}

// find gives the line of the last snapshot that a path leads to: each step is
// the beginning of a line after its dash, below the one before. A number and a
// colon before a step take the nth of its kind.
func (m *model) find(path ...string) (line int, ok bool) {
	return m.below(0, len(m.tree), path)
}

func (m *model) below(from, to int, path []string) (line int, ok bool) {
	n, step := 1, path[0]
	if number, rest, ok := strings.Cut(step, ":"); ok {
		if k, err := strconv.Atoi(number); err == nil {
			n, step = k, rest
		}
	}
	for line = from; line < to; line++ {
		if text := strings.TrimPrefix(strings.TrimLeft(m.tree[line], " "), "- "); !strings.HasPrefix(strings.TrimPrefix(text, "'"), step) {
			continue
		}
		if n--; n > 0 {
			continue
		}
		if len(path) == 1 {
			return line, true
		}
		end := line + 1
		for end < to && indent(m.tree[end]) > indent(m.tree[line]) {
			end++
		}
		if found, ok := m.below(line+1, end, path[1:]); ok {
			return found, true
		}
	}
	return 0, false
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// ref is the ref of the element that a path leads to.
func (m *model) ref(path ...string) (ref string) {
	m.t.Helper()
	found := m.holds(func() bool {
		line, ok := m.find(path...)
		if !ok {
			return false
		}
		_, after, ok := strings.Cut(m.tree[line], "[ref=")
		ref, _, _ = strings.Cut(after, "]")
		return ok
	})
	if !found {
		m.t.Fatalf("there is no %q, or it has no ref:\n%s", path, m.text)
	}
	return ref
}

// see takes a snapshot, after calls that show nothing.
func (m *model) see() { m.t.Helper(); m.do("browser_snapshot", nil) }

func (m *model) click(path ...string) {
	m.t.Helper()
	m.do("browser_click", apptest.Args{"target": m.ref(path...)})
}

func (m *model) hover(path ...string) {
	m.t.Helper()
	m.do("browser_hover", apptest.Args{"target": m.ref(path...)})
}

func (m *model) drag(from, to string) {
	m.t.Helper()
	m.do("browser_drag", apptest.Args{"startTarget": m.ref(from), "endTarget": m.ref(to)})
}

// write replaces the text of a field.
func (m *model) write(text string, path ...string) {
	m.t.Helper()
	m.quietly("browser_type", apptest.Args{"target": m.ref(path...), "text": text})
}

// submit replaces the text of a field and presses Enter.
func (m *model) submit(text string, path ...string) {
	m.t.Helper()
	m.do("browser_type", apptest.Args{"target": m.ref(path...), "text": text, "submit": true})
}

// keys types text key by key where the field's caret is.
func (m *model) keys(text string, path ...string) {
	m.t.Helper()
	m.do("browser_type", apptest.Args{"target": m.ref(path...), "text": text, "slowly": true})
}

// press sends keys, one after the other, to what has the focus.
func (m *model) press(keys ...string) {
	m.t.Helper()
	for _, k := range keys {
		m.quietly("browser_press_key", apptest.Args{"key": k})
	}
}

// set fills one field as a form.
func (m *model) set(kind, value string, path ...string) {
	m.t.Helper()
	m.quietly("browser_fill_form", apptest.Args{"fields": []apptest.Args{{"target": m.ref(path...), "name": path[len(path)-1], "type": kind, "value": value}}})
}

// script runs a function on an element.
func (m *model) script(function string, path ...string) {
	m.t.Helper()
	m.quietly("browser_evaluate", apptest.Args{"target": m.ref(path...), "function": function})
}

// shows checks that the page has an element.
func (m *model) shows(path ...string) {
	m.t.Helper()
	if !m.holds(func() bool { _, ok := m.find(path...); return ok }) {
		m.t.Errorf("there is no %q:\n%s", path, m.text)
	}
}

// lacks checks that the page does not have an element.
func (m *model) lacks(path ...string) {
	m.t.Helper()
	if !m.holds(func() bool { _, ok := m.find(path...); return !ok }) {
		m.t.Errorf("there still is %q:\n%s", path, m.text)
	}
}

// says checks that an element's own line says a word.
func (m *model) says(word string, path ...string) {
	m.t.Helper()
	said := ""
	if !m.holds(func() bool {
		line, ok := m.find(path...)
		if ok {
			said = m.tree[line]
		}
		return ok && strings.Contains(said, word)
	}) {
		m.t.Errorf("%q should say %q: %s\n%s", path, word, said, m.text)
	}
}

// knows checks what the page says of itself.
func (m *model) knows(facts ...string) {
	m.t.Helper()
	for _, fact := range facts {
		said := ""
		if !m.holds(func() bool {
			line, ok := m.find(`status "Facts"`)
			if ok {
				_, said, _ = strings.Cut(m.tree[line], "]: ")
				said = plain(said)
			}
			return strings.Contains(", "+said+",", ", "+fact+",")
		}) {
			m.t.Errorf("the page should know that %s: %s", fact, said)
		}
	}
}

// plain takes the quotes off a text that the snapshot had to quote.
func plain(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(rest, "'"), "''", "'")
	}
	if unquoted, err := strconv.Unquote(text); err == nil {
		return unquoted
	}
	return text
}
