package selector

import (
	"regexp"
	"strconv"
	"strings"
)

// maxNesting bounds selectors inside selectors, so that hostile input can't
// exhaust the stack.
const maxNesting = 16

// parseChain reads `part >> part >> …`.
func parseChain(s string, depth int) (chain, error) {
	if depth > maxNesting {
		return nil, &Error{Source: s, Reason: "it is nested too deep"}
	}
	var c chain
	parts, err := splitChain(s)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := parsePart(&c, s, p, depth); err != nil {
			return nil, err
		}
	}
	return c, nil
}

type part struct {
	text string
	at   int
}

// splitChain cuts at >> outside quotes and brackets.
func splitChain(s string) ([]part, error) {
	var parts []part
	start := 0
	sc := scanner{s: s}
	for sc.i < len(s) {
		if sc.depth == 0 && strings.HasPrefix(s[sc.i:], ">>") {
			parts = append(parts, part{s[start:sc.i], start})
			sc.i += 2
			start = sc.i
			continue
		}
		sc.step()
	}
	parts = append(parts, part{s[start:], start})
	for i := range parts {
		trimmed := strings.TrimSpace(parts[i].text)
		if trimmed == "" {
			return nil, &Error{Source: s, At: parts[i].at, Reason: "a part of the >> chain is empty"}
		}
		parts[i].at += strings.Index(parts[i].text, trimmed)
		parts[i].text = trimmed
	}
	return parts, nil
}

// scanner walks over text in which quotes, brackets and escapes hide separators.
// A quote that is never closed counts as a plain character, so that text=it's
// works.
type scanner struct {
	s     string
	i     int
	depth int
}

func (sc *scanner) step() {
	switch c := sc.s[sc.i]; c {
	case '\\':
		sc.i++
	case '"', '\'', '`':
		if end := closingQuote(sc.s, sc.i); end > 0 {
			sc.i = end
		}
	case '[', '(', '{':
		sc.depth++
	case ']', ')', '}':
		if sc.depth--; sc.depth < 0 {
			sc.depth = 0
		}
	}
	sc.i = min(sc.i+1, len(sc.s))
}

// closingQuote is the index of the quote that ends the one at i, or -1.
func closingQuote(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case s[i]:
			return j
		}
	}
	return -1
}

var engineName = regexp.MustCompile(`^([a-zA-Z_][\w:-]*)\s*=`)

func parsePart(c *chain, source string, p part, depth int) error {
	fail := func(reason string) error { return &Error{Source: source, At: p.at, Reason: reason} }
	if strings.HasPrefix(p.text, "//") || strings.HasPrefix(p.text, "(//") || strings.HasPrefix(p.text, "..") || strings.HasPrefix(p.text, "./") {
		c.add(Step{Kind: KindXPath, Value: p.text})
		return nil
	}
	if q := p.text[0]; (q == '"' || q == '\'') && closingQuote(p.text, 0) == len(p.text)-1 {
		c.add(Step{Kind: KindText, Text: &Text{Value: unquote(p.text), Match: MatchOwn}})
		return nil
	}
	m := engineName.FindStringSubmatch(p.text)
	if m == nil {
		return addCSS(c, source, p.text, p.at, depth)
	}
	body := strings.TrimSpace(p.text[len(m[0]):])
	at := p.at + len(p.text) - len(body)
	switch strings.ToLower(m[1]) {
	case "css":
		return addCSS(c, source, body, at, depth)
	case "xpath":
		c.add(Step{Kind: KindXPath, Value: body})
	case "text", "internal:text":
		t, err := parseText(body, MatchOwn)
		if err != nil {
			return fail(err.Error())
		}
		c.add(Step{Kind: KindText, Text: t})
	case "role", "internal:role":
		step, err := parseRole(body, strings.HasPrefix(m[1], "internal"))
		if err != nil {
			return fail(err.Error())
		}
		c.add(step)
	case "id":
		c.add(attribute("id", body))
	case "data-testid", "data-test-id", "data-test":
		c.add(attribute(m[1], body))
	case "nth":
		n, err := strconv.Atoi(body)
		if err != nil || n > 1e9 || n < -1e9 {
			return fail("nth takes a whole number")
		}
		c.add(Step{Kind: KindNth, N: n})
	case "visible":
		if body != "true" && body != "false" {
			return fail("visible takes true or false")
		}
		visible := body == "true"
		c.add(Step{Kind: KindFilter, Visible: &visible})
	case "internal:label", "label":
		return addText(c, KindLabel, body, fail)
	case "placeholder":
		return addText(c, KindPlaceholder, body, fail)
	case "alt":
		return addText(c, KindAlt, body, fail)
	case "title":
		return addText(c, KindTitle, body, fail)
	case "has-text", "internal:has-text":
		t, err := parseText(body, MatchExact)
		if err != nil {
			return fail(err.Error())
		}
		c.add(Step{Kind: KindFilter, Text: t})
	case "internal:control":
		if body != "enter-frame" {
			return fail("the only control is enter-frame")
		}
		c.enterFrame()
	default:
		return fail("there is no engine of the name " + strconv.Quote(m[1]))
	}
	return nil
}

func addCSS(c *chain, source, body string, at, depth int) error {
	list, err := parseCSS(body, depth)
	if err != nil {
		if e, ok := err.(*Error); ok {
			return &Error{Source: source, At: min(at+e.At, len(source)), Reason: e.Reason}
		}
		return err
	}
	c.add(Step{Kind: KindCSS, CSS: list})
	return nil
}

func addText(c *chain, kind, body string, fail func(string) error) error {
	t, err := parseText(body, MatchExact)
	if err != nil {
		return fail(err.Error())
	}
	c.add(Step{Kind: kind, Text: t})
	return nil
}

// attribute matches an attribute's exact value, whatever characters it has.
func attribute(name, value string) Step {
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && closingQuote(value, 0) == len(value)-1 {
		value = unquote(value)
	}
	return Step{Kind: KindCSS, CSS: List{{{Native: "[" + name + "=" + cssString(value) + "]"}}}}
}

// parseText reads `plain`, `"quoted"`, `"quoted"i`, `"quoted"s` or `/regex/flags`.
// A quoted text without a flag matches as quoted says.
func parseText(s, quoted string) (*Text, error) {
	if s == "" {
		return nil, errText("the text is empty")
	}
	if s[0] == '/' {
		end := strings.LastIndexByte(s, '/')
		if end > 0 {
			return regex(s[1:end], s[end+1:])
		}
	}
	if s[0] == '"' || s[0] == '\'' {
		end := closingQuote(s, 0)
		switch {
		case end == len(s)-1 && end > 0:
			return &Text{Value: unquote(s), Match: quoted}, nil
		case end == len(s)-2 && end > 0 && s[len(s)-1] == 'i':
			return &Text{Value: unquote(s[:end+1])}, nil
		case end == len(s)-2 && end > 0 && s[len(s)-1] == 's':
			return &Text{Value: unquote(s[:end+1]), Match: MatchExact}, nil
		}
	}
	return &Text{Value: s}, nil
}

func regex(source, flags string) (*Text, error) {
	for i, f := range flags {
		if !strings.ContainsRune("gimsuy", f) || strings.ContainsRune(flags[:i], f) {
			return nil, errText("a regular expression takes the flags g, i, m, s, u and y, each once")
		}
	}
	if source == "" {
		return nil, errText("the regular expression is empty")
	}
	// g and y keep a position between matches, which has no meaning here.
	flags = strings.NewReplacer("g", "", "y", "").Replace(flags)
	return &Text{Value: source, Match: MatchRegex, Flags: flags}, nil
}

type errText string

func (e errText) Error() string { return string(e) }

// unquote takes off the quotes and the backslashes in front of characters.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
				continue
			case 't':
				b.WriteByte('\t')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// cssString writes a CSS string.
func cssString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\` + strconv.FormatInt(int64(r), 16) + " ")
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
