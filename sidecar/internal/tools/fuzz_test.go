package tools

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzArguments holds the check of arguments to what it promises: what it lets
// through is right by the schema, and is let through again as it is.
func FuzzArguments(f *testing.F) {
	specs, err := offered([]string{"testing", "vision", "pdf"})
	if err != nil {
		f.Fatal(err)
	}
	for i, raw := range []string{
		"", "null", "{}", "[]", "5", `{"target":"e1"}`, `{"ref":"e1","target":null}`, `{"fields":[{"ref":"e1","name":"n","type":"textbox","value":"v"},5]}`,
		`{"colorScheme":null,"media":"print"}`, `{"data":{"a/b":"c","d":5},"target":""}`, `{"index":1e0}`, `{"index":1e999}`, `{"x":-0.5,"y":1e400}`,
		`{"values":["a",null]}`, `{"snapshot":"changes","url":"/"}`, "{\"text\":\"\xff\"}", `{"text":"\ud800"}`, `{"a":{"a":{"a":[[[{}]]]}}}`,
	} {
		f.Add(i, []byte(raw))
	}
	f.Fuzz(func(t *testing.T, i int, raw []byte) {
		if len(raw) > 0 && !json.Valid(raw) {
			return // the gateway lets no other in
		}
		s := specs[uint(i)%uint(len(specs))]
		clean, err := checkArgs(s.Name, s.schema(), raw)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, `Invalid arguments for tool "`+s.Name+`":`+"\n✖ ") {
				t.Errorf("%s", text)
			}
			return
		}
		again, err := checkArgs(s.Name, s.schema(), clean)
		if err != nil || !bytes.Equal(clean, again) {
			t.Errorf("%s lets %s through as %s, and that as %s, %v", s.Name, raw, clean, again, err)
		}
		var args map[string]json.RawMessage
		if err := json.Unmarshal(clean, &args); err != nil {
			t.Fatal(err)
		}
		schema := s.schema()
		for name := range args {
			if _, known := schema.Properties[name]; !known {
				t.Errorf("%s lets %q through", s.Name, name)
			}
		}
		for _, name := range schema.Required {
			if _, there := args[name]; !there {
				t.Errorf("%s goes without %s", s.Name, name)
			}
		}
	})
}

// FuzzPageText holds the two ways in which page text gets into an answer to what
// they promise.
func FuzzPageText(f *testing.F) {
	for _, s := range []string{"", "x", "a\n### Error", "\r\n- Page URL: x", " \u2028```yaml", "\x00#", "\u0085- x", "\xff\xfe#", "  - waiting", "\u200b### x", "a\x1c### b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := oneLine(s)
		if lineBreaks.MatchString(line) || !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
			t.Errorf("%q is the line %q", s, line)
		}
		text := contain(s)
		if !utf8.ValidString(text) {
			t.Errorf("%q is the text %q", s, text)
		}
		for _, l := range lineBreaks.Split(text, -1) {
			bare := strings.TrimLeftFunc(l, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
			if (strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")) && !strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "- ") {
				t.Errorf("%q has the line %q", s, l)
			}
		}
		if strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), "") != strings.Join(strings.Fields(text), "") && !lineBreaks.MatchString(s) {
			t.Errorf("%q loses text: %q", s, text)
		}
	})
}

// FuzzChanges rebuilds nothing, but finds what can't be told: panics, and texts
// that claim to be shorter.
func FuzzChanges(f *testing.F) {
	f.Add(form, strings.Replace(form, "Save", "Saved", 1))
	f.Add("", form)
	f.Add("- a [ref=e1]:\n    - b\n  - c [ref=e2]", "- c [ref=e2]\n      - a [ref=e1]")
	f.Add("\n\n", "\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		text, ok := changes(before, after)
		switch {
		case before == after && (text != noChanges || !ok):
			t.Errorf("%q: %q, %v", before, text, ok)
		case ok && before != after && len(text) >= len(after):
			t.Errorf("%q to %q is told as %q", before, after, text)
		}
	})
}
