package tree

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of one event of a page, far above what an honest page needs.
const (
	// maxNesting keeps the parser's own stack small. A document of 900 elements in
	// each other fits; a store takes much less and the rest is cut.
	maxNesting = 2000
	// maxValues bounds the memory of one event: 32 bytes each, and text.
	maxValues = 3_000_000
	// manyKeys is from how many keys on an object's keys are looked up and not
	// compared one by one.
	manyKeys = 16
)

// parseError says what is wrong with a page's JSON.
type parseError string

func (e parseError) Error() string { return string(e) }

const (
	errSyntax parseError = "not JSON"
	errDeep   parseError = "nested too deep"
	errMany   parseError = "too many values"
)

// SplitList gives the elements of a JSON array as texts, so that one that is no
// good costs only itself. It looks at brackets and strings alone.
func SplitList(s string) ([]string, error) {
	s = strings.Trim(s, " \t\r\n")
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, errSyntax
	}
	s = s[1 : len(s)-1]
	if strings.Trim(s, " \t\r\n") == "" {
		return nil, nil
	}
	var elements []string
	depth, begin := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if i >= len(s) {
				return nil, errSyntax
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return nil, errSyntax
			}
		case ',':
			if depth == 0 {
				elements = append(elements, s[begin:i])
				begin = i + 1
			}
		}
	}
	if depth != 0 {
		return nil, errSyntax
	}
	return append(elements, s[begin:]), nil
}

// Parse reads one JSON text. Of equal keys the last one wins, as in JavaScript.
func Parse(s string) (Value, error) {
	p := parser{s: s, left: maxValues}
	v, err := p.parseValue(maxNesting)
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.i != len(s) {
		return Value{}, errSyntax
	}
	return v, nil
}

type parser struct {
	s    string
	i    int
	left int // values that may still come
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

// next skips white space and is the byte there, 0 at the end.
func (p *parser) next() byte {
	p.space()
	if p.i >= len(p.s) {
		return 0
	}
	return p.s[p.i]
}

func (p *parser) parseValue(depth int) (Value, error) {
	if p.left--; p.left < 0 {
		return Value{}, errMany
	}
	switch c := p.next(); {
	case c == '{':
		return p.composite(object, '}', depth)
	case c == '[':
		return p.composite(list, ']', depth)
	case c == '"':
		s, err := p.string()
		return Value{kind: text, text: s}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case p.word("null"):
		return Value{}, nil
	case p.word("true"):
		return Value{kind: boolean, text: "true"}, nil
	case p.word("false"):
		return Value{kind: boolean, text: "false"}, nil
	}
	return Value{}, errSyntax
}

func (p *parser) word(w string) bool {
	if strings.HasPrefix(p.s[min(p.i, len(p.s)):], w) {
		p.i += len(w)
		return true
	}
	return false
}

func (p *parser) composite(k kind, end byte, depth int) (Value, error) {
	if depth == 0 {
		return Value{}, errDeep
	}
	p.i++
	c := &composite{}
	var places map[string]int // of keys, once there are many
	if p.next() == end {
		p.i++
		return Value{kind: k, c: c}, nil
	}
	for {
		key := ""
		if k == object {
			if p.next() != '"' {
				return Value{}, errSyntax
			}
			var err error
			if key, err = p.string(); err != nil {
				return Value{}, err
			}
			if p.next() != ':' {
				return Value{}, errSyntax
			}
			p.i++
		}
		item, err := p.parseValue(depth - 1)
		if err != nil {
			return Value{}, err
		}
		if k == list {
			c.items = append(c.items, item)
		} else {
			c.put(&places, key, item)
		}
		switch p.next() {
		case ',':
			p.i++
		case end:
			p.i++
			return Value{kind: k, c: c}, nil
		default:
			return Value{}, errSyntax
		}
	}
}

// put adds a key or replaces its value.
func (c *composite) put(places *map[string]int, key string, item Value) {
	at := -1
	if *places == nil && len(c.keys) >= manyKeys {
		*places = make(map[string]int, 2*len(c.keys))
		for i, k := range c.keys {
			(*places)[k] = i
		}
	}
	if *places == nil {
		at = slices.Index(c.keys, key)
	} else if i, ok := (*places)[key]; ok {
		at = i
	}
	if at >= 0 {
		c.items[at] = item
		return
	}
	if *places != nil {
		(*places)[key] = len(c.keys)
	}
	c.keys = append(c.keys, key)
	c.items = append(c.items, item)
}

// number takes what the grammar of JSON takes.
func (p *parser) number() (Value, error) {
	begin := p.i
	digits := func() bool {
		n := p.i
		for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
			p.i++
		}
		return p.i > n
	}
	is := func(set string) bool {
		if p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
			p.i++
			return true
		}
		return false
	}
	is("-")
	zero := p.i
	if !digits() || p.s[zero] == '0' && p.i > zero+1 {
		return Value{}, errSyntax
	}
	if is(".") && !digits() {
		return Value{}, errSyntax
	}
	if is("eE") {
		is("+-")
		if !digits() {
			return Value{}, errSyntax
		}
	}
	return Value{kind: number, text: p.s[begin:p.i]}, nil
}

// string reads a string from its opening quote on. One without anything special
// is a part of the text and not a copy.
func (p *parser) string() (string, error) {
	p.i++
	begin := p.i
	for i := begin; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '"':
			p.i = i + 1
			return strings.ToValidUTF8(p.s[begin:i], "\uFFFD"), nil
		case c == '\\':
			return p.escaped(begin, i)
		case c < ' ':
			return "", errSyntax
		}
	}
	return "", errSyntax
}

// escaped is the rest of string for one with escapes, of which the first is at i.
func (p *parser) escaped(begin, i int) (string, error) {
	var out strings.Builder
	for {
		for i < len(p.s) && p.s[i] != '"' && p.s[i] != '\\' {
			if p.s[i] < ' ' {
				return "", errSyntax
			}
			i++
		}
		if i >= len(p.s) {
			return "", errSyntax
		}
		out.WriteString(p.s[begin:i])
		if p.s[i] == '"' {
			p.i = i + 1
			return strings.ToValidUTF8(out.String(), "\uFFFD"), nil
		}
		if i+1 >= len(p.s) {
			return "", errSyntax
		}
		r := rune(0)
		switch c := p.s[i+1]; c {
		case '"', '\\', '/':
			r = rune(c)
		case 'b':
			r = '\b'
		case 'f':
			r = '\f'
		case 'n':
			r = '\n'
		case 'r':
			r = '\r'
		case 't':
			r = '\t'
		case 'u':
			u, ok := hex4(p.s, i+2)
			if !ok {
				return "", errSyntax
			}
			i += 4
			r = u
			if utf16.IsSurrogate(u) {
				r = utf8.RuneError
				if low, ok := hex4(p.s, i+4); ok && p.s[i+2] == '\\' && p.s[i+3] == 'u' {
					if full := utf16.DecodeRune(u, low); full != utf8.RuneError {
						r = full
						i += 6
					}
				}
			}
		default:
			return "", errSyntax
		}
		if r == 0 {
			r = utf8.RuneError // stores refuse it
		}
		out.WriteRune(r)
		i += 2
		begin = i
	}
}

func hex4(s string, at int) (rune, bool) {
	if at+4 > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[at : at+4]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
