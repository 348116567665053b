package kits

import (
	"regexp"
	"strconv"
	"testing"
)

// program is text that editors would change if it were typed: they indent lines,
// close brackets and quotes.
const program = "if x {\n    a[\"\nb (\n  'q'\n"

func TestEditors(t *testing.T) {
	m := drive(t, "editors")
	for _, e := range []struct{ name, part string }{{"CodeMirror", "codemirror"}, {"Monaco", "monaco"}} {
		m.part(e.name, e.part, func(m *model) {
			m.write(program, `textbox "Source"`)
			m.knows("text is " + squeezed(program))
			m.shows(`generic`, `generic`) // and a model can read it back
			m.write("one", `textbox "Source"`)
			m.keys(" two", `textbox "Source"`)
			m.knows(`text is "one two"`)
			m.click(`textbox "Source"`)
			m.press("ControlOrMeta+a", "Delete")
			m.knows(`text is ""`)
			m.keys("a\nb", `textbox "Source"`)
			m.knows(`text is "a\nb"`)
			m.press("ControlOrMeta+z")
			m.write("", `textbox "Source"`)
			m.knows(`text is ""`)
		})
	}
	m.part("Tiptap", "tiptap", func(m *model) {
		m.write("Dear Ada,", `textbox "Letter"`)
		m.knows(`html is <p>Dear Ada,</p>`)
		m.press("ControlOrMeta+a")
		m.click(`button "Bold"`)
		m.knows(`html is <p><strong>Dear Ada,</strong></p>`)
		m.shows(`textbox "Letter"`, `paragraph`, `strong`)
		m.click(`textbox "Letter"`)
		m.press("End", "Enter")
		m.keys("bye", `textbox "Letter"`)
		m.click(`button "List"`)
		m.shows(`textbox "Letter"`, `listitem`)
		m.write("", `textbox "Letter"`)
		m.knows(`html is <p></p>`)
	})
}

// squeezed is a text as the page's facts say it and a snapshot prints it: as
// JSON, with runs of spaces made one.
func squeezed(text string) string {
	return regexp.MustCompile(` +`).ReplaceAllString(strconv.Quote(text), " ")
}
