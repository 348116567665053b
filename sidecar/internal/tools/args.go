package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// property is the part of JSON Schema that the tools' arguments need.
type property struct {
	Type        string              `json:"type"`
	Description string              `json:"description,omitempty"`
	Enum        []string            `json:"enum,omitempty"`
	Default     any                 `json:"default,omitempty"`
	Items       *property           `json:"items,omitempty"`
	Properties  map[string]property `json:"properties,omitempty"`
	Required    []string            `json:"required,omitempty"`
	Closed      *bool               `json:"additionalProperties,omitempty"`
}

// aliases are names that agents still use for arguments that were renamed.
var aliases = [...][2]string{{"ref", "target"}, {"startRef", "startTarget"}, {"endRef", "endTarget"}}

// decodeArgs checks raw against the schema and decodes it into out. Keys that
// the schema does not know are dropped: agents add them, and a refusal would
// only cost a turn. The error lists every fault.
func decodeArgs(tool string, schema property, raw json.RawMessage, out any) error {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return argumentError(tool, []issue{{"", "expected object, received " + kindOf(raw)}})
	}
	for _, a := range aliases {
		if v, ok := args[a[0]]; ok && args[a[1]] == nil {
			if _, known := schema.Properties[a[1]]; known {
				args[a[1]] = v
			}
		}
	}
	var issues []issue
	clean := checkObject(schema, args, "", &issues)
	if len(issues) > 0 {
		return argumentError(tool, issues)
	}
	b, err := json.Marshal(clean)
	if err != nil {
		return fmt.Errorf("encode the arguments of %s: %w", tool, err)
	}
	return json.Unmarshal(b, out)
}

type issue struct{ path, text string }

func argumentError(tool string, issues []issue) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid arguments for tool %q:", tool)
	for _, i := range issues {
		fmt.Fprintf(&b, "\n✖ Invalid input: %s", i.text)
		if i.path != "" {
			fmt.Fprintf(&b, "\n  → at %s", i.path)
		}
	}
	return toolError(b.String())
}

func checkObject(schema property, args map[string]json.RawMessage, path string, issues *[]issue) map[string]json.RawMessage {
	clean := map[string]json.RawMessage{}
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := schema.Properties[name]
		at := name
		if path != "" {
			at = path + "." + name
		}
		v, ok := args[name]
		if !ok || string(v) == "null" && p.Type != "null" {
			if slices.Contains(schema.Required, name) {
				*issues = append(*issues, issue{at, "expected " + p.Type + ", received undefined"})
			}
			continue
		}
		if checkValue(p, v, at, issues) {
			clean[name] = v
		}
	}
	return clean
}

func checkValue(p property, v json.RawMessage, at string, issues *[]issue) bool {
	fail := func(text string) bool {
		*issues = append(*issues, issue{at, text})
		return false
	}
	if kind := kindOf(v); kind != p.Type {
		return fail("expected " + p.Type + ", received " + kind)
	}
	switch p.Type {
	case "string":
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return fail("expected string, received text that is not valid")
		}
		if len(p.Enum) > 0 && !slices.Contains(p.Enum, s) {
			return fail(`expected one of "` + strings.Join(p.Enum, `"|"`) + `"`)
		}
	case "array":
		var items []json.RawMessage
		if err := json.Unmarshal(v, &items); err != nil {
			return fail("expected array, received text that is not valid")
		}
		ok := true
		for i, item := range items {
			if p.Items != nil && !checkValue(*p.Items, item, fmt.Sprintf("%s[%d]", at, i), issues) {
				ok = false
			}
		}
		return ok
	case "object":
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(v, &fields); err != nil {
			return fail("expected object, received text that is not valid")
		}
		before := len(*issues)
		checkObject(p, fields, at, issues)
		return len(*issues) == before
	}
	return true
}

// kindOf names a JSON value's type in the words of JSON Schema.
func kindOf(v json.RawMessage) string {
	if len(v) == 0 {
		return "undefined"
	}
	switch v[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}
