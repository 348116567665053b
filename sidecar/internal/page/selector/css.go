package selector

import (
	"regexp"
	"strconv"
	"strings"
)

// List is a CSS selector list.
type List []Complex

// Complex is compounds joined by combinators, left to right.
type Complex []Compound

// Compound is what one element must be.
type Compound struct {
	// Comb joins it to the compound on its left: " ", ">", "+" or "~". The first
	// of a relative selector (inside :has) may have one too.
	Comb string `json:"comb,omitempty"`
	// Native is the part that the browser matches; "" is any element.
	Native string `json:"native,omitempty"`
	// Tests are the pseudo-classes that only we know, or that hold one.
	Tests []Pseudo `json:"tests,omitempty"`
}

// Pseudo is one pseudo-class that we match ourselves.
type Pseudo struct {
	Name string `json:"name"` // has-text, text, visible, nth-match, is, not, has
	Text *Text  `json:"text,omitempty"`
	List List   `json:"list,omitempty"`
	N    int    `json:"n,omitempty"`
}

type cssParser struct {
	s     string
	i     int
	depth int
}

func parseCSS(s string, depth int) (List, error) {
	p := &cssParser{s: s, depth: depth}
	if depth > maxNesting {
		return nil, p.fail("it is nested too deep")
	}
	var list List
	for {
		c, err := p.complex()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		if p.i >= len(p.s) {
			return list, nil
		}
		p.i++ // the comma
	}
}

func (p *cssParser) fail(reason string) error { return &Error{Source: p.s, At: p.i, Reason: reason} }

func (p *cssParser) space() bool {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n\f", p.s[p.i]) >= 0 {
		p.i++
	}
	return p.i > start
}

// complex reads up to a comma at this level or the end.
func (p *cssParser) complex() (Complex, error) {
	var c Complex
	for {
		spaced := p.space()
		comb := ""
		if p.i < len(p.s) && strings.IndexByte(">+~", p.s[p.i]) >= 0 {
			comb = p.s[p.i : p.i+1]
			p.i++
			p.space()
		} else if spaced && len(c) > 0 {
			comb = " "
		}
		if p.i >= len(p.s) || p.s[p.i] == ',' {
			if len(c) == 0 || (comb != "" && comb != " ") {
				return nil, p.fail("a CSS selector ends too early")
			}
			return c, nil
		}
		compound, err := p.compound()
		if err != nil {
			return nil, err
		}
		compound.Comb = comb
		c = append(c, compound)
	}
}

// compound reads the simple selectors that stand together.
func (p *cssParser) compound() (Compound, error) {
	var c Compound
	var native strings.Builder
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n\f>+~,", p.s[p.i]) < 0 {
		switch p.s[p.i] {
		case '[':
			end, err := p.balanced()
			if err != nil {
				return c, err
			}
			native.WriteString(p.s[p.i:end])
			p.i = end
		case ':':
			if err := p.pseudo(&c, &native); err != nil {
				return c, err
			}
		case '\\':
			end := min(p.i+2, len(p.s))
			native.WriteString(p.s[p.i:end])
			p.i = end
		case '(', ')', ']', '{', '}', '"', '\'', ';', '=', '!', '@', '$', '%', '/', '<', '?', '`':
			return c, p.fail("this is not CSS")
		default:
			native.WriteByte(p.s[p.i])
			p.i++
		}
	}
	if p.i == start {
		return c, p.fail("this is not CSS")
	}
	c.Native = native.String()
	return c, nil
}

// balanced is the end of the bracketed text that begins at p.i.
func (p *cssParser) balanced() (int, error) {
	sc := scanner{s: p.s, i: p.i}
	for sc.i < len(p.s) {
		sc.step()
		if sc.depth == 0 {
			return sc.i, nil
		}
	}
	return 0, p.fail("a bracket is not closed")
}

var pseudoName = regexp.MustCompile(`^::?-?[a-zA-Z][\w-]*`)

func (p *cssParser) pseudo(c *Compound, native *strings.Builder) error {
	name := pseudoName.FindString(p.s[p.i:])
	if name == "" {
		return p.fail("a pseudo-class has no name")
	}
	at := p.i
	p.i += len(name)
	arg, called := "", false
	if p.i < len(p.s) && p.s[p.i] == '(' {
		end, err := p.balanced()
		if err != nil {
			return err
		}
		called, arg = true, strings.TrimSpace(p.s[p.i+1:end-1])
		p.i = end
	}
	test, err := p.ours(strings.ToLower(name[1:]), arg, called)
	if err != nil {
		return &Error{Source: p.s, At: at, Reason: err.Error()}
	}
	if test != nil {
		c.Tests = append(c.Tests, *test)
		return nil
	}
	native.WriteString(p.s[at:p.i])
	return nil
}

// ours makes a test of a pseudo-class that the browser lacks; nil leaves it to
// the browser.
func (p *cssParser) ours(name, arg string, called bool) (*Pseudo, error) {
	switch name {
	case "has-text", "text", "text-is", "text-matches", "contains":
		if !called || arg == "" {
			return nil, errText(":" + name + " takes a text in quotes")
		}
		t, err := textArgument(name, arg)
		if err != nil {
			return nil, err
		}
		kind := "has-text"
		if strings.HasPrefix(name, "text") {
			kind = "text"
		}
		return &Pseudo{Name: kind, Text: t}, nil
	case "visible":
		return &Pseudo{Name: "visible"}, nil
	case "nth-match":
		list, n, ok := cutLast(arg)
		index, err := strconv.Atoi(n)
		if !ok || err != nil || index < 1 || index > 1e9 {
			return nil, errText(":nth-match takes a selector and a number from 1")
		}
		inner, err := parseCSS(list, p.depth+1)
		if err != nil {
			return nil, errText(err.(*Error).Reason)
		}
		return &Pseudo{Name: name, List: inner, N: index}, nil
	case "is", "where", "not", "has", "matches", "-webkit-any":
		inner, err := parseCSS(arg, p.depth+1)
		if err != nil {
			return nil, errText(err.(*Error).Reason)
		}
		if !hasTests(inner) {
			return nil, nil
		}
		if name != "not" && name != "has" {
			name = "is"
		}
		return &Pseudo{Name: name, List: inner}, nil
	case "left-of", "right-of", "above", "below", "near":
		return nil, errText("selectors by position (:" + name + ") are not supported")
	case "light":
		return nil, errText(":light is not supported")
	}
	return nil, nil
}

func hasTests(l List) bool {
	for _, c := range l {
		for _, compound := range c {
			if len(compound.Tests) > 0 {
				return true
			}
		}
	}
	return false
}

// cutLast splits at the last comma outside brackets and quotes.
func cutLast(s string) (head, tail string, ok bool) {
	last := -1
	sc := scanner{s: s}
	for sc.i < len(s) {
		if sc.depth == 0 && s[sc.i] == ',' {
			last = sc.i
		}
		sc.step()
	}
	if last < 0 {
		return "", "", false
	}
	return strings.TrimSpace(s[:last]), strings.TrimSpace(s[last+1:]), true
}

func textArgument(name, arg string) (*Text, error) {
	if name == "text-matches" {
		source, flags := arg, ""
		if head, tail, ok := cutLast(arg); ok && len(tail) > 1 && (tail[0] == '"' || tail[0] == '\'') {
			source, flags = head, unquoteIf(tail)
		}
		return regex(unquoteIf(source), flags)
	}
	quoted := MatchPart
	if name == "text-is" {
		quoted = MatchOwn
	}
	t, err := parseText(arg, quoted)
	if err == nil && name == "text-is" && t.Match == MatchPart {
		t.Match = MatchOwn
	}
	return t, err
}

func unquoteIf(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && closingQuote(s, 0) == len(s)-1 {
		return unquote(s)
	}
	return s
}
