package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// badArguments is why a call's arguments were refused: params that are no
// arguments, or a tool error's text.
type badArguments struct {
	rpc  *rpcError
	text string
}

// arguments checks what a client gave a tool and gives what the tool gets: an
// object without _meta, with urls resolved.
func (g *Gateway) arguments(tool string, raw json.RawMessage) (json.RawMessage, *badArguments) {
	if raw == nil || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw[0] != '{' {
		return nil, &badArguments{rpc: invalidParams("arguments must be an object")}
	}
	if err := checkText(raw); err != nil {
		return nil, &badArguments{text: fmt.Sprintf("Invalid arguments for tool %q: %v.", tool, err)}
	}
	args := object(raw)
	delete(args, "_meta")
	if key, asked := opensURL(tool, args); asked && g.opts.Resolve != nil {
		href, refusal := g.opts.Resolve(stringify(args[key]))
		if refusal != nil {
			return nil, &badArguments{text: refusal.Error()}
		}
		args[key] = encode(href)
	}
	return encode(args), nil
}

// opensURL says under which key, if any, the arguments name an address to open.
// Keys that differ from it only by case are taken out: a tool that decodes its
// arguments into a struct would read one of them in place of what was checked.
func opensURL(tool string, args map[string]json.RawMessage) (key string, asked bool) {
	switch tool {
	case "browser_navigate":
		dropFolded(args, "url")
		return "url", true
	case "browser_tabs":
		dropFolded(args, "url", "action")
		var action string
		_, present := args["url"]
		return "url", readString(args["action"], &action) && action == "new" && present
	default:
		return "", false
	}
}

func dropFolded(args map[string]json.RawMessage, keys ...string) {
	for k := range args {
		for _, key := range keys {
			if k != key && strings.EqualFold(k, key) {
				delete(args, k)
			}
		}
	}
}

// stringify gives an argument as text, as a loosely typed caller means it.
func stringify(raw json.RawMessage) string {
	var s string
	if raw == nil || string(raw) == "null" || readString(raw, &s) {
		return s
	}
	return string(raw)
}

// maxDepth bounds the nesting of arguments: schemas of tools need three levels,
// and what walks the arguments later may do so on the stack.
const maxDepth = 100

// checkText finds what no argument needs and what breaks things further on:
// NUL, a surrogate without its other half (which would silently become
// another character), and nesting beyond maxDepth. raw is valid JSON.
func checkText(raw []byte) error {
	depth := 0
	text := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			n, err := checkEscape(raw[i:])
			if err != nil {
				return err
			}
			i += n - 1
		case !text && (c == '{' || c == '['):
			if depth++; depth > maxDepth {
				return fmt.Errorf("nested deeper than %d levels", maxDepth)
			}
		case !text && (c == '}' || c == ']'):
			depth--
		}
	}
	return nil
}

// checkEscape looks at the escape at the start of b and gives its length, the
// second half of a surrogate pair included.
func checkEscape(b []byte) (int, error) {
	if len(b) < 2 || b[1] != 'u' {
		return 2, nil
	}
	switch unit := codeUnit(b); {
	case unit == 0:
		return 0, errors.New("text with a NUL character")
	case unit >= 0xd800 && unit < 0xdc00:
		if low := codeUnit(b[6:]); low >= 0xdc00 && low < 0xe000 {
			return 12, nil
		}
		fallthrough
	case unit >= 0xdc00 && unit < 0xe000:
		return 0, errors.New("text with half of a surrogate pair")
	default:
		return 6, nil
	}
}

// codeUnit reads a \uXXXX escape at the start of b; -1 if there is none.
func codeUnit(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}
