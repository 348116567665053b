package kits

import (
	"fmt"
	"testing"
)

// Lists that hold ten thousand rows and render a dozen of them. A model sees that
// more comes when it scrolls, by keys or by script.
func TestVirtualLists(t *testing.T) {
	m := drive(t, "lists")
	m.part("rows of different heights", "tanstack", func(m *model) {
		m.shows(`list "Letters"`, `button "Letter 1"`)
		m.lacks(`button "Letter 30"`)
		m.click(`button "Letter 3"`)
		m.knows("opened is 3")
		m.script("(e) => e.focus()", `list "Letters"`)
		m.press("PageDown", "PageDown", "PageDown")
		m.lacks(`button "Letter 1"`)
		m.shows(`button "Letter 30"`)
		for range 5 { // the end moves away as rows turn out higher than they were thought
			m.press("End")
			if _, ok := m.find(`button "Letter 10000"`); ok {
				break
			}
		}
		m.click(`button "Letter 10000"`)
		m.knows("opened is 10000")
		m.seek(`list "Letters"`, `button "Letter %d"`, 500)
		m.click(`button "Letter 500"`)
		m.knows("opened is 500")
	})
	m.part("rows of one height", "window", func(m *model) {
		m.shows(`list`, `link "Song 1"`)
		m.lacks(`link "Song 500"`)
		m.seek(`list`, `link "Song %d"`, 500)
		m.click(`link "Song 500"`)
		m.knows("opened is 500")
		// A row that was scrolled away is gone, and its ref says so.
		old := m.ref(`link "Song 500"`)
		m.seek(`list`, `link "Song %d"`, 9000)
		r := m.mcp.Call("browser_click", map[string]any{"target": old})
		if !r.IsError {
			m.t.Errorf("a row that is gone was clicked:\n%s", r.Text)
		}
	})
}

// seek scrolls a list until it shows a row, from where it is by what it shows.
func (m *model) seek(list, row string, wanted int) {
	m.t.Helper()
	const most = 12
	for range most {
		if _, ok := m.find(fmt.Sprintf(row, wanted)); ok {
			return
		}
		first := 0
		for n := 1; first == 0 && n <= 10000; n++ {
			if _, ok := m.find(fmt.Sprintf(row, n) + " [ref"); ok {
				first = n
			}
		}
		m.script(fmt.Sprintf("(e) => { e.scrollTop += (%d - %d) * e.scrollHeight / 10000 }", wanted-2, first), list)
		m.holds(func() bool { _, ok := m.find(list, fmt.Sprintf(row, first)+" [ref"); return !ok })
	}
	m.t.Fatalf("row %d does not come:\n%s", wanted, m.text)
}
