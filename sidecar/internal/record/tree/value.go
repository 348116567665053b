package tree

import (
	"math"
	"strconv"
	"unicode/utf8"
)

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// Value is one JSON value. The zero Value is null.
type Value struct {
	kind kind
	// text is a string's content, decoded; a number's and a boolean's literal.
	text string
	c    *composite // of lists and objects
}

type composite struct {
	keys  []string // of an object, each once
	items []Value
}

// String makes a text.
func String(s string) Value { return Value{kind: text, text: s} }

// Int makes a number.
func Int(n int64) Value { return Value{kind: number, text: strconv.FormatInt(n, 10)} }

// Bool makes true or false.
func Bool(b bool) Value { return Value{kind: boolean, text: strconv.FormatBool(b)} }

// List makes an array.
func List(items ...Value) Value { return Value{kind: list, c: &composite{items: items}} }

// Object makes an object of keys, which are strings and different, and Values in
// turn.
func Object(pairs ...any) Value {
	c := &composite{}
	for i := 0; i+1 < len(pairs); i += 2 {
		c.keys = append(c.keys, pairs[i].(string))
		c.items = append(c.items, pairs[i+1].(Value))
	}
	return Value{kind: object, c: c}
}

// IsNull, and the others, say what v is. A nil v is nothing of all that.
func (v *Value) IsNull() bool { return v != nil && v.kind == null }

// IsString says whether v is a text.
func (v *Value) IsString() bool { return v != nil && v.kind == text }

// IsNumber says whether v is a number.
func (v *Value) IsNumber() bool { return v != nil && v.kind == number }

// IsList says whether v is an array.
func (v *Value) IsList() bool { return v != nil && v.kind == list }

// IsObject says whether v is an object.
func (v *Value) IsObject() bool { return v != nil && v.kind == object }

// IsTrue says whether v is true.
func (v *Value) IsTrue() bool { return v != nil && v.kind == boolean && v.text == "true" }

// Get is the value of an object's key; nil when there is none, or v is no object.
// What it points to may be changed.
func (v *Value) Get(key string) *Value {
	if !v.IsObject() {
		return nil
	}
	for i, k := range v.c.keys {
		if k == key {
			return &v.c.items[i]
		}
	}
	return nil
}

// Set gives an object's key a value; a new key comes last.
func (v *Value) Set(key string, to Value) {
	if f := v.Get(key); f != nil {
		*f = to
		return
	}
	v.c.keys = append(v.c.keys, key)
	v.c.items = append(v.c.items, to)
}

// Keep removes from an object or a list what f does not want to keep. In a list
// every key is "".
func (v *Value) Keep(f func(key string, item *Value) bool) {
	if v == nil || v.c == nil {
		return
	}
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
	clear(v.c.items[n:])
	v.c.items = v.c.items[:n]
	if v.kind == object {
		v.c.keys = v.c.keys[:n]
	}
}

// Remove takes a key out of an object.
func (v *Value) Remove(key string) {
	if v.Get(key) != nil {
		v.Keep(func(k string, _ *Value) bool { return k != key })
	}
}

// Items are the elements of a list, to be changed in place; nil of anything else.
func (v *Value) Items() []Value {
	if !v.IsList() {
		return nil
	}
	return v.c.items
}

// Each calls f for each key of an object; what it is given may be changed.
func (v *Value) Each(f func(key string, item *Value)) {
	if !v.IsObject() {
		return
	}
	for i, key := range v.c.keys {
		f(key, &v.c.items[i])
	}
}

// Text is a string's content, "" of anything else.
func (v *Value) Text() string {
	if !v.IsString() {
		return ""
	}
	return v.text
}

// Literal is a number as it is written, "" of anything else.
func (v *Value) Literal() string {
	if !v.IsNumber() {
		return ""
	}
	return v.text
}

// Number is a finite number.
func (v *Value) Number() (float64, bool) {
	if !v.IsNumber() {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// Whole is a number without a fraction that JavaScript keeps exactly.
func (v *Value) Whole() (int64, bool) {
	f, ok := v.Number()
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Depth is how deep arrays and objects nest in v, itself included.
func (v *Value) Depth() int {
	if v.c == nil {
		return 0
	}
	deepest := 0
	for i := range v.c.items {
		deepest = max(deepest, v.c.items[i].Depth())
	}
	return deepest + 1
}

// Size is the length of v as it is written.
func (v *Value) Size() int { return len(v.Append(nil)) }

// Append writes v as compact JSON.
func (v *Value) Append(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, "null"...)
	case text:
		return AppendString(b, v.text)
	case list:
		b = append(b, '[')
		for i := range v.c.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.c.items[i].Append(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i := range v.c.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, v.c.keys[i]), ':')
			b = v.c.items[i].Append(b)
		}
		return append(b, '}')
	}
	return append(b, v.text...)
}

// AppendString writes a text as JavaScript would: nothing is escaped that need not
// be. What is no UTF-8 becomes U+FFFD.
func AppendString(b []byte, s string) []byte {
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
		case 0:
			b = append(b, "\uFFFD"...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		begin = i
	}
	return append(append(b, s[begin:]...), '"')
}

// AppendNumber writes a number as JavaScript would write epoch milliseconds.
func AppendNumber(b []byte, n float64) []byte {
	if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		return strconv.AppendInt(b, int64(n), 10)
	}
	return strconv.AppendFloat(b, n, 'f', -1, 64)
}
