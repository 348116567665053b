package redact

import (
	"bytes"
	"encoding/json"
)

// Typed stands where somebody's typing was, whatever its length.
const Typed = "*"

// TypedArguments gives a tool call's arguments with everything in them that was
// meant for a field of a page replaced by [Typed]: the text of browser_type, the
// values of browser_fill_form, the answer to a prompt. Arguments of other tools
// stay as they are. Of arguments that should be masked and can't be read nothing
// is left but an empty object.
func TypedArguments(tool string, args json.RawMessage) json.RawMessage {
	var hide func(map[string]any)
	switch tool {
	case "browser_type":
		hide = func(a map[string]any) { star(a, "text") }
	case "browser_fill_form":
		hide = hideFields
	case "browser_handle_dialog":
		hide = func(a map[string]any) { star(a, "promptText") }
	default:
		return args
	}
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber() // numbers stay as they were written
	if len(args) == 0 || dec.Decode(&object) != nil || object == nil || dec.More() {
		return json.RawMessage("{}")
	}
	hide(object)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(object) != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// star replaces a value, of any type, if it is there.
func star(object map[string]any, key string) {
	if _, ok := object[key]; ok {
		object[key] = Typed
	}
}

// hideFields stars the values of a form. Fields in a shape that the tool does not
// know are starred whole: the value may be anywhere in them.
func hideFields(args map[string]any) {
	fields, ok := args["fields"].([]any)
	if !ok {
		star(args, "fields")
		return
	}
	for i := range fields {
		if field, ok := fields[i].(map[string]any); ok {
			star(field, "value")
		} else {
			fields[i] = Typed
		}
	}
}
