package record

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
	"github.com/pillion-browser/pillion/sidecar/internal/record/wall"
)

// Typing tells what a tool call is about to type, before the page can see it.
func (r *Recorder) Typing(tool string, args json.RawMessage) {
	v, err := tree.Parse(string(args))
	if err != nil {
		return
	}
	switch tool {
	case "browser_type":
		r.secrets.Typed(v.Get("text").Text())
	case "browser_handle_dialog":
		r.secrets.Typed(v.Get("promptText").Text())
	case "browser_fill_form":
		fields := v.Get("fields").Items()
		for i := range fields {
			// The others choose among what the page offers.
			if typ := fields[i].Get("type").Text(); typ == "" || typ == "textbox" {
				r.secrets.Typed(fields[i].Get("value").Text())
			}
		}
	}
}

// Typed tells what somebody typed, before the page can see it.
func (r *Recorder) Typed(text string) { r.secrets.Typed(text) }

// part is one thing that is told of a tool call.
type part struct{ key, text string }

// told is what of a tool call's arguments is recorded: what it was aimed at. What
// was typed or chosen is not among it, nor anything that is not named here.
func told(tool string, args json.RawMessage) (parts []part) {
	v, err := tree.Parse(string(args))
	if err != nil {
		return nil
	}
	add := func(key, text string) {
		if text != "" {
			parts = append(parts, part{key, text})
		}
	}
	name, ref := v.Get("element").Text(), v.Get("target").Text()
	if tool == "browser_drag" {
		name, ref = v.Get("startElement").Text(), v.Get("startTarget").Text()
		add("to", firstOf(v.Get("endElement").Text(), v.Get("endTarget").Text()))
	}
	if tool == "browser_fill_form" {
		fields := v.Get("fields").Items()
		var names []string
		for i := range fields {
			names = append(names, firstOf(fields[i].Get("name").Text(), fields[i].Get("element").Text()))
		}
		name = strings.Join(names, ", ")
	}
	add("target", firstOf(name, ref))
	add("url", wall.PublicURL(v.Get("url").Text()))
	if tool == "browser_tabs" {
		add("what", v.Get("action").Text())
	}
	if tool == "browser_press_key" {
		key := v.Get("key").Text()
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
