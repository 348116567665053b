package selector

import (
	"regexp"
	"strconv"
	"strings"
)

type kind int

const (
	kindString kind = iota
	kindRegex
	kindNumber
	kindBool
	kindObject
	kindLocator
)

// value is an argument of a call.
type value struct {
	kind   kind
	str    string // a string, or a regular expression's source
	flags  string
	num    int
	truth  bool
	fields []field
	loc    chain
}

type field struct {
	name  string
	value value
}

// text takes a string or a regular expression.
func (v value) text(name string) (*Text, error) {
	switch v.kind {
	case kindString:
		if v.str == "" {
			return nil, errText(name + " got an empty text")
		}
		return &Text{Value: v.str}, nil
	case kindRegex:
		return regex(v.str, v.flags)
	}
	return nil, errText(name + " takes a text in quotes or a /regular expression/")
}

// steps takes a locator that stays within one frame.
func (v value) steps(name string) ([]Step, error) {
	if v.kind != kindLocator || len(v.loc) != 1 {
		return nil, errText(name + " takes a locator within the same frame")
	}
	return v.loc[0], nil
}

// plain writes a simple value as text.
func (v value) plain() string {
	switch v.kind {
	case kindBool:
		return strconv.FormatBool(v.truth)
	case kindNumber:
		return strconv.Itoa(v.num)
	}
	return v.str
}

// exprParser reads the small part of JavaScript in which locators are written:
// calls with literals as arguments.
type exprParser struct {
	s string
	i int
}

func (p *exprParser) fail(reason string) error { return &Error{Source: p.s, At: p.i, Reason: reason} }

func (p *exprParser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// peek is the next byte, 0 at the end.
func (p *exprParser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

// skip goes over white space and c.
func (p *exprParser) skip(c byte) bool {
	p.space()
	if p.peek() != c {
		return false
	}
	p.i++
	return true
}

var word = regexp.MustCompile(`^[A-Za-z_$][\w$]*`)

func (p *exprParser) word() string {
	w := word.FindString(p.s[p.i:])
	p.i += len(w)
	return w
}

func (p *exprParser) skipWord(w string) bool {
	p.space()
	if word.FindString(p.s[p.i:]) != w {
		return false
	}
	p.i += len(w)
	return true
}

func (p *exprParser) arguments(depth int) ([]value, error) {
	if !p.skip('(') {
		return nil, p.fail("a call needs ( here")
	}
	var args []value
	for {
		if p.skip(')') {
			return args, nil
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
		if !p.skip(',') && p.peek() != ')' {
			return nil, p.fail("arguments are separated by , and end with )")
		}
	}
}

var number = regexp.MustCompile(`^-?\d{1,9}\b`)

func (p *exprParser) value(depth int) (value, error) {
	p.space()
	switch c := p.peek(); {
	case c == '"' || c == '\'' || c == '`':
		end := closingQuote(p.s, p.i)
		if end < 0 {
			return value{}, p.fail("the quotes are not closed")
		}
		v := value{kind: kindString, str: unquote(p.s[p.i : end+1])}
		p.i = end + 1
		return v, nil
	case c == '/':
		return p.regex()
	case c == '{':
		return p.object(depth)
	}
	if n := number.FindString(p.s[p.i:]); n != "" {
		p.i += len(n)
		num, err := strconv.Atoi(n)
		return value{kind: kindNumber, num: num}, err
	}
	switch w := word.FindString(p.s[p.i:]); w {
	case "true", "false":
		p.i += len(w)
		return value{kind: kindBool, truth: w == "true"}, nil
	case "":
		return value{}, p.fail("an argument is a text, a number, true, false, a /regular expression/, { options } or a locator")
	}
	loc, err := p.calls(depth + 1)
	return value{kind: kindLocator, loc: loc}, err
}

func (p *exprParser) regex() (value, error) {
	class := false
	for j := p.i + 1; j < len(p.s); j++ {
		switch c := p.s[j]; {
		case c == '\\':
			j++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			v := value{kind: kindRegex, str: p.s[p.i+1 : j]}
			p.i = j + 1
			v.flags = p.word()
			return v, nil
		}
	}
	return value{}, p.fail("the regular expression is not closed")
}

func (p *exprParser) object(depth int) (value, error) {
	p.i++ // {
	v := value{kind: kindObject}
	if depth > maxNesting {
		return v, p.fail("it is nested too deep")
	}
	for {
		if p.skip('}') {
			return v, nil
		}
		p.space()
		name := p.word()
		if c := p.peek(); name == "" && (c == '"' || c == '\'') {
			s, err := p.value(depth)
			if err != nil {
				return v, err
			}
			name = s.str
		}
		if name == "" || !p.skip(':') {
			return v, p.fail("an option is written name: value")
		}
		val, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.fields = append(v.fields, field{name, val})
		if !p.skip(',') && p.peek() != '}' {
			return v, p.fail("options are separated by , and end with }")
		}
	}
}
