//go:build linux

package attack

import (
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// navigateTool runs a row of what an agent may ask to open: with the tool that
// navigates and with the one that opens a tab.
func navigateTool(t *testing.T, e *scene, r row) {
	input := strings.ReplaceAll(r.Input, appHost, e.appHost)
	c := e.open(t, "/lab?row="+r.ID)
	either := r.Expect != "allow" && r.Expect != "refuse"
	allowed := r.allowed()
	switch r.ID {
	case "S107":
		allowed = false
	case "S125":
		allowed = true
	}
	before := mark(e.world)
	for _, call := range []struct {
		tool string
		args apptest.Args
	}{
		{"browser_navigate", apptest.Args{"url": input}},
		{"browser_tabs", apptest.Args{"action": "new", "url": input}},
	} {
		got := c.Call(call.tool, call.args)
		if either {
			allowed = !got.IsError // for this tool, and then for the next
			either = false
		}
		switch {
		case allowed && got.IsError:
			t.Errorf("%s: refused:\n%s", call.tool, got.Text)
		case !allowed && !got.IsError:
			t.Errorf("%s: went through:\n%s", call.tool, got.Text)
		case !allowed && !strings.Contains(input, "\x00") && !strings.Contains(got.Text, "may only open pages of the sandbox app at "+e.origin()):
			t.Errorf("%s: the refusal does not say what is allowed:\n%s", call.tool, got.Text)
		}
		if !allowed && len(tabLines(c)) != 1 {
			t.Errorf("%s: a tab was opened all the same: %q", call.tool, tabLines(c))
		}
		e.onApp(t, c)
	}
	if !allowed && !strings.Contains(strings.Join(tabLines(c), "\n"), "row="+r.ID) {
		t.Errorf("the tab did not stay where it was: %q", tabLines(c))
	}
	before.silent(t, e.world)
}

// moment is a mark in everything that the world writes down.
type moment struct{ near, far, tap int }

func mark(w *world) moment {
	if w == nil {
		return moment{}
	}
	return moment{w.near.mark(), w.far.mark(), w.tap.mark()}
}

// silent fails the test when anything has arrived anywhere since.
func (m moment) silent(t *testing.T, w *world) {
	t.Helper()
	m.but(t, w, func(packet) bool { return true })
}

// refused is silent, but that names may have been looked up.
func (m moment) refused(t *testing.T, w *world) {
	t.Helper()
	m.but(t, w, func(p packet) bool { return p.to.String() != farAddr+":53" })
}

func (m moment) but(t *testing.T, w *world, counts func(packet) bool) {
	t.Helper()
	if w == nil {
		return
	}
	for _, a := range append(w.near.since(m.near, nil), w.far.since(m.far, nil)...) {
		t.Errorf("arrived: %v", a)
	}
	for _, p := range w.tap.since(m.tap, counts) {
		t.Errorf("left: %v", p)
	}
}
