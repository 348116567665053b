package record

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// kind is a JSON type.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// value is one JSON value of a page. Objects keep the order of their keys, so
// that what is not changed is written as it came.
type value struct {
	kind kind
	// text is a string's content, decoded, with what no store takes (NUL, halves
	// of surrogate pairs) replaced; a number's and a boolean's literal.
	text string
	c    *composite // of lists and objects
}

type composite struct {
	keys  []string // of an object, each once
	items []value
}

func stringValue(s string) value { return value{kind: text, text: s} }

func intValue(n int64) value { return value{kind: number, text: strconv.FormatInt(n, 10)} }

func listValue(items ...value) value { return value{kind: list, c: &composite{items: items}} }

// objectValue takes keys and values in turn.
func objectValue(pairs ...any) value {
	c := &composite{}
	for i := 0; i < len(pairs); i += 2 {
		c.keys = append(c.keys, pairs[i].(string))
		c.items = append(c.items, pairs[i+1].(value))
	}
	return value{kind: object, c: c}
}

// field is the value of an object's key; nil when there is none, or v is no
// object. What it points to may be changed.
func (v *value) field(key string) *value {
	if v == nil || v.kind != object {
		return nil
	}
	for i, k := range v.c.keys {
		if k == key {
			return &v.c.items[i]
		}
	}
	return nil
}

func (v *value) set(key string, to value) {
	if f := v.field(key); f != nil {
		*f = to
		return
	}
	v.c.keys = append(v.c.keys, key)
	v.c.items = append(v.c.items, to)
}

// keep removes what f does not want to keep from an object or a list.
func (v *value) keep(f func(key string, item *value) bool) {
	n := 0
	for i := range v.c.items {
		key := ""
		if v.kind == object {
			key = v.c.keys[i]
		}
		if !f(key, &v.c.items[i]) {
			continue
		}
		v.c.items[n] = v.c.items[i]
		if v.kind == object {
			v.c.keys[n] = key
		}
		n++
	}
	v.c.items = v.c.items[:n]
	if v.kind == object {
		v.c.keys = v.c.keys[:n]
	}
}

func (v *value) remove(key string) {
	if v.field(key) != nil {
		v.keep(func(k string, _ *value) bool { return k != key })
	}
}

// items of a list; nil of anything else.
func (v *value) items() []value {
	if v == nil || v.kind != list {
		return nil
	}
	return v.c.items
}

func (v *value) isString() bool { return v != nil && v.kind == text }

// str is a string's content, "" of anything else.
func (v *value) str() string {
	if !v.isString() {
		return ""
	}
	return v.text
}

// num is a finite number.
func (v *value) num() (float64, bool) {
	if v == nil || v.kind != number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// whole is a number without a fraction that JavaScript keeps exactly.
func (v *value) whole() (int64, bool) {
	f, ok := v.num()
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// depth is how deep arrays and objects nest in v, itself included.
func (v *value) depth() int {
	if v.c == nil {
		return 0
	}
	deepest := 0
	for i := range v.c.items {
		deepest = max(deepest, v.c.items[i].depth())
	}
	return deepest + 1
}

// appendTo writes v as compact JSON.
func (v *value) appendTo(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, "null"...)
	case text:
		return appendString(b, v.text)
	case list:
		b = append(b, '[')
		for i := range v.c.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.c.items[i].appendTo(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i := range v.c.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, v.c.keys[i]), ':')
			b = v.c.items[i].appendTo(b)
		}
		return append(b, '}')
	}
	return append(b, v.text...)
}

// appendString writes s as JavaScript would: nothing is escaped that need not be.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	begin := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[begin:i]...), "\uFFFD"...)
				begin = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[begin:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		begin = i
	}
	return append(append(b, s[begin:]...), '"')
}
