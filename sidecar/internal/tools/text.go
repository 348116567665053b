package tools

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBreaks are all characters that some reader takes for the end of a line.
var lineBreaks = regexp.MustCompile("\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]")

// oneLine makes page text fit on one line of ours, without control characters.
func oneLine(s string) string {
	s = strings.ToValidUTF8(lineBreaks.ReplaceAllString(s, " "), "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// maxShort bounds page text that is a fact of ours, such as a title or the
// message of a dialog: room for any that people read.
const maxShort = 2000

// shortLine is oneLine of text that a page can make as long as it likes.
func shortLine(s string) string { return clip(oneLine(s), maxShort) }

// clip shortens s to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// contain indents those lines of page text that a reader could take for one of
// our headings, fences or facts. Four spaces make them a quotation for whoever
// reads Markdown.
func contain(s string) string {
	lines := lineBreaks.Split(strings.ToValidUTF8(s, "\uFFFD"), -1)
	for i, l := range lines {
		bare := strings.TrimLeftFunc(l, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
		switch {
		case strings.HasPrefix(bare, "#"), strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			lines[i] = "    " + l
		case strings.HasPrefix(bare, "- ") && !strings.HasPrefix(l, "  "):
			lines[i] = "    " + l
		}
	}
	return strings.Join(lines, "\n")
}

// plain drops what a terminal obeys and what puts a line's letters into another
// order for the eye: control characters but newlines and tabs, and overrides and
// isolates of direction. Letters that are written from the right need none.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, s)
}

// javascriptRegex is a regular expression of JavaScript, bare or as
// /pattern/flags. What ours does not have is refused; in return it can't be made
// to run for ever.
func javascriptRegex(source string) (*regexp.Regexp, error) {
	if m := regexLiteral.FindStringSubmatch(source); m != nil {
		source = m[1]
		if strings.ContainsRune(m[2], 'i') {
			source = "(?i)" + source
		}
	}
	return regexp.Compile(source)
}

var regexLiteral = regexp.MustCompile(`(?s)^/(.*)/([a-z]*)$`)
