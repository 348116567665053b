package proto

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode/utf16"
)

// The other side of every border here grew up with JavaScript's JSON: keys are
// compared case by case, the last of two equal keys wins, 5.0 and 5e0 are the
// integer 5, and lengths count UTF-16 units. encoding/json with structs does
// none of that, so foreign JSON is decoded into plain values and then checked.
//
// A value is nil, bool, json.Number, string, []any or map[string]any.

// maxDepth bounds how deep foreign JSON may nest. The deepest message of ours
// has five levels; the rest is room for keys of later versions.
const maxDepth = 64

var (
	errNotJSON  = errors.New("not JSON")
	errTooDeep  = errors.New("nested too deep")
	errTrailing = errors.New("more than one JSON value")
)

// decodeValue parses data as exactly one JSON value.
func decodeValue(data []byte) (any, error) {
	if depth(data) > maxDepth {
		return nil, errTooDeep
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errNotJSON
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errTrailing
	}
	return v, nil
}

// decodeObject parses data as exactly one JSON object.
func decodeObject(data []byte) (map[string]any, error) {
	v, err := decodeValue(data)
	if err != nil {
		return nil, err
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("not a JSON object")
	}
	return obj, nil
}

// depth is the deepest nesting of brackets outside of strings. It is exact for
// JSON and harmless for anything else.
func depth(data []byte) int {
	level, deepest, inString := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}

// encodeJSON writes v compactly, keys in struct order, with <, > and & as
// themselves and no newline at the end.
func encodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// number is a JSON number as a double. A number beyond its range is infinite,
// and so not finite.
func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return f, true
}

// finite is a number that is not infinite.
func finite(v any) (float64, bool) {
	f, ok := number(v)
	return f, ok && !math.IsInf(f, 0)
}

// whole is a finite number without a fraction, however it is written.
func whole(v any) (float64, bool) {
	f, ok := finite(v)
	return f, ok && f == math.Trunc(f)
}

// wholeIn is a whole number from low to high.
func wholeIn(v any, low, high int) (int, bool) {
	f, ok := whole(v)
	if !ok || f < float64(low) || f > float64(high) {
		return 0, false
	}
	return int(f), true
}

// utf16Len counts s in UTF-16 units.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// utf16Cut cuts s to at most n UTF-16 units, never through a character.
func utf16Cut(s string, n int) string {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

// hasSpace says whether s holds a character that JavaScript's \s matches. It
// is not unicode.IsSpace: U+0085 is no space there and U+FEFF is one.
func hasSpace(s string) bool {
	for _, r := range s {
		switch {
		case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680,
			r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029, r == 0x202F,
			r == 0x205F, r == 0x3000, r == 0xFEFF:
			return true
		}
	}
	return false
}
