package record

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Typing tells what a tool call is about to type, before the page can see it.
func (r *Recorder) Typing(tool string, args json.RawMessage) {
	v, err := parse(string(args))
	if err != nil {
		return
	}
	switch tool {
	case "browser_type":
		r.secrets.typed(v.field("text").str())
	case "browser_handle_dialog":
		r.secrets.typed(v.field("promptText").str())
	case "browser_fill_form":
		fields := v.field("fields").items()
		for i := range fields {
			// The others choose among what the page offers.
			if typ := fields[i].field("type").str(); typ == "" || typ == "textbox" {
				r.secrets.typed(fields[i].field("value").str())
			}
		}
	}
}

// Typed tells what a person types, before the page can see it.
func (r *Recorder) Typed(text string) { r.secrets.typed(text) }

// part is one thing that is told of a tool call.
type part struct{ key, text string }

// told is what of a tool call's arguments is recorded: what it was aimed at. What
// was typed or chosen is not among it, nor anything that is not named here.
func told(tool string, args json.RawMessage) (parts []part) {
	v, err := parse(string(args))
	if err != nil {
		return nil
	}
	add := func(key, text string) {
		if text != "" {
			parts = append(parts, part{key, text})
		}
	}
	name, ref := v.field("element").str(), v.field("target").str()
	if tool == "browser_drag" {
		name, ref = v.field("startElement").str(), v.field("startTarget").str()
		add("to", firstOf(v.field("endElement").str(), v.field("endTarget").str()))
	}
	if tool == "browser_fill_form" {
		fields := v.field("fields").items()
		var names []string
		for i := range fields {
			names = append(names, firstOf(fields[i].field("name").str(), fields[i].field("element").str()))
		}
		name = strings.Join(names, ", ")
	}
	add("target", firstOf(name, ref))
	add("url", publicURL(v.field("url").str()))
	if tool == "browser_tabs" {
		add("what", v.field("action").str())
	}
	if tool == "browser_press_key" {
		key := v.field("key").str()
		if utf8.RuneCountInString(key) == 1 {
			key = "*" // a character is typed; other keys have names
		}
		add("key", key)
	}
	return parts
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
