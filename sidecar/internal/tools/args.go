package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// property is the part of JSON Schema that the tools' arguments need.
type property struct {
	Type        string              `json:"type,omitempty"`
	Description string              `json:"description,omitempty"`
	Enum        []string            `json:"enum,omitempty"`
	Default     any                 `json:"default,omitempty"`
	Minimum     *float64            `json:"minimum,omitempty"`
	AnyOf       []property          `json:"anyOf,omitempty"`
	Items       *property           `json:"items,omitempty"`
	Properties  map[string]property `json:"properties,omitzero"`
	Required    []string            `json:"required,omitempty"`
	More        json.RawMessage     `json:"additionalProperties,omitempty"` // false, or what every other key is
}

// aliases are names that agents still use for arguments that were renamed.
var aliases = [...][2]string{{"ref", "target"}, {"startRef", "startTarget"}, {"endRef", "endTarget"}}

// checkArgs checks raw against a tool's schema and returns it without what the
// schema does not know: agents add keys, and a refusal would only cost a turn.
// The error lists every fault.
func checkArgs(tool string, schema property, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, argumentError(tool, []issue{{"", "Invalid input: expected object, received " + kindOf(raw)}})
	}
	var issues []issue
	clean := checkObject(schema, args, "", &issues)
	if len(issues) > 0 {
		return nil, argumentError(tool, issues)
	}
	return clean, nil
}

// issue is a fault of one argument.
type issue struct{ path, text string }

func argumentError(tool string, issues []issue) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Invalid arguments for tool %q:", tool)
	for _, i := range issues {
		fmt.Fprintf(&b, "\n✖ %s", i.text)
		if i.path != "" {
			fmt.Fprintf(&b, "\n  → at %s", i.path)
		}
	}
	return toolError(b.String())
}

// checkObject checks an object's keys in the order of their names, and gives
// the object of those that are right.
func checkObject(schema property, args map[string]json.RawMessage, path string, issues *[]issue) json.RawMessage {
	for _, a := range aliases {
		if v, ok := args[a[0]]; ok && args[a[1]] == nil {
			if _, known := schema.Properties[a[1]]; known {
				args[a[1]] = v
			}
		}
	}
	clean := map[string]json.RawMessage{}
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := schema.Properties[name]
		at := join(path, name)
		v, ok := args[name]
		if !ok || string(v) == "null" && !p.takesNull() {
			if slices.Contains(schema.Required, name) {
				*issues = append(*issues, issue{at, p.mismatch("undefined")})
			}
			continue
		}
		if v, ok := checkValue(p, v, at, issues); ok {
			clean[name] = v
		}
	}
	var other property
	if len(schema.More) > 0 && schema.More[0] == '{' && json.Unmarshal(schema.More, &other) == nil {
		for name, v := range args {
			if v, ok := checkValue(other, v, join(path, name), issues); ok {
				clean[name] = v
			}
		}
	}
	return encode(clean)
}

// encode writes what is made of valid JSON.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (p property) takesNull() bool {
	return slices.ContainsFunc(p.AnyOf, func(o property) bool { return o.Type == "null" })
}

// mismatch says what was expected in place of a value of a kind.
func (p property) mismatch(kind string) string {
	switch {
	case len(p.AnyOf) > 0:
		return p.AnyOf[0].mismatch(kind)
	case len(p.Enum) > 0:
		return `Invalid option: expected one of "` + strings.Join(p.Enum, `"|"`) + `"`
	case p.Type == "integer":
		return "Invalid input: expected number, received " + kind
	}
	return "Invalid input: expected " + p.Type + ", received " + kind
}

// checkValue checks a value and gives it as the tool is to have it.
func checkValue(p property, v json.RawMessage, at string, issues *[]issue) (json.RawMessage, bool) {
	fail := func(text string) (json.RawMessage, bool) {
		*issues = append(*issues, issue{at, text})
		return nil, false
	}
	if len(p.AnyOf) > 0 {
		for _, o := range p.AnyOf {
			if v, ok := checkValue(o, v, at, new([]issue)); ok {
				return v, true
			}
		}
		return fail(p.mismatch(kindOf(v)))
	}
	kind := kindOf(v)
	if kind != p.Type && !(p.Type == "integer" && kind == "number") {
		return fail(p.mismatch(kind))
	}
	switch p.Type {
	case "string":
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return fail(p.mismatch("text that is not valid"))
		}
		if len(p.Enum) > 0 && !slices.Contains(p.Enum, s) {
			return fail(p.mismatch(kind))
		}
	case "number", "integer":
		var n float64
		if err := json.Unmarshal(v, &n); err != nil {
			return fail("Invalid input: expected number, received one out of range")
		}
		if p.Type == "integer" && n != math.Trunc(n) {
			return fail("Invalid input: expected int, received number")
		}
		if p.Minimum != nil && n < *p.Minimum {
			return fail(fmt.Sprintf("Too small: expected number to be >=%v", *p.Minimum))
		}
	case "array":
		var items []json.RawMessage
		if err := json.Unmarshal(v, &items); err != nil {
			return fail(p.mismatch("text that is not valid"))
		}
		all := true
		for i, item := range items {
			if p.Items == nil {
				continue
			}
			var ok bool
			items[i], ok = checkValue(*p.Items, item, fmt.Sprintf("%s[%d]", at, i), issues)
			all = all && ok
		}
		if !all {
			return nil, false
		}
		return encode(items), true
	case "object":
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(v, &fields); err != nil {
			return fail(p.mismatch("text that is not valid"))
		}
		before := len(*issues)
		clean := checkObject(p, fields, at, issues)
		return clean, len(*issues) == before
	}
	return v, true
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
