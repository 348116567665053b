package redact

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapeStarts are the bytes that an escaped character can begin with.
const escapeStarts = `%\&+`

// Bounds of one escaped character. Without them a page could make the masker
// hold back all there is, by printing backslashes.
const (
	maxBackslashes = 8 // three levels of JSON in JSON, and one more
	maxPercents    = 3 // %2525XX
	maxEntity      = 10
)

// match looks for needle at the start of s, every character of it plain, in the
// other case, or escaped. length is what it takes up in s, 0 if it is not there;
// partial is how many bytes of it matched when s ended before it, 0 if none.
func match(s, needle string) (length, partial int) {
	// Most texts are plain, and differ in their first letters.
	for k := 0; ; k++ {
		switch {
		case k == len(needle):
			return k, 0
		case k == len(s):
			return 0, k + 1
		case strings.IndexByte(escapeStarts, s[k]) >= 0:
			return matchEscaped(s, needle)
		case !sameLetter(s[k], needle[k]):
			return 0, 0
		}
	}
}

// matchEscaped is match for texts with escapes.
func matchEscaped(s, needle string) (length, partial int) {
	// places[j%n] is where in s the first j bytes of needle may end: more than one
	// place, because an escape can also be read as the characters it is made of.
	var places [utf8.UTFMax + 1][]int
	places[0] = append(places[0], 0)
	for j := range len(needle) {
		here := &places[j%len(places)]
		slices.Sort(*here)
		for _, at := range slices.Compact(*here) {
			forms, open := readings(s[at:])
			if open {
				partial = j + 1
			}
			for _, f := range forms {
				if size := f.starts(needle[j:]); size > 0 {
					to := &places[(j+size)%len(places)]
					*to = append(*to, at+f.length)
				}
			}
		}
		*here = (*here)[:0]
	}
	for _, at := range places[len(needle)%len(places)] {
		length = max(length, at)
	}
	return length, partial
}

// reading is one way to understand the start of a text: a byte, or a character
// where the escape names one.
type reading struct {
	value  rune
	byte   bool
	length int // in the text
}

// starts says how many bytes of needle the reading stands for, 0 if none.
func (r reading) starts(needle string) int {
	if r.byte || r.value < utf8.RuneSelf {
		if r.value >= 0 && r.value < 256 && sameLetter(byte(r.value), needle[0]) {
			return 1
		}
		return 0
	}
	if strings.HasPrefix(needle, string(r.value)) {
		return utf8.RuneLen(r.value)
	}
	return 0
}

// readings gives every way to understand the start of s. open is whether s ends
// before all of them can be told.
func readings(s string) (out []reading, open bool) {
	if s == "" {
		return nil, true
	}
	out = append(out, reading{rune(s[0]), true, 1})
	switch s[0] {
	case '%':
		return percents(out, s)
	case '+':
		return append(out, reading{' ', true, 1}), false
	case '\\':
		return backslashes(out, s)
	case '&':
		r, n := entity(s)
		if n > 0 {
			out = append(out, reading{r, false, n})
		}
		return out, n < 0
	}
	return out, false
}

// percents adds %XX, and the same with its percent sign encoded again.
func percents(out []reading, s string) ([]reading, bool) {
	for i := 1; i <= 2*maxPercents; i += 2 {
		b, n := hexAt(s[i:], 2)
		if n <= 0 {
			return out, n < 0
		}
		out = append(out, reading{b, true, i + 2})
		if b == '+' {
			out = append(out, reading{' ', true, i + 2})
		}
		if b != '%' {
			return out, false
		}
	}
	return out, false
}

// backslashes adds a backslash that was escaped, and what a run of backslashes
// makes of the characters behind it: \uXXXX, \UXXXXXXXX, \xXX, or the character
// itself.
func backslashes(out []reading, s string) (_ []reading, open bool) {
	i := 0
	for i < len(s) && i < maxBackslashes && s[i] == '\\' {
		i++
		if i == 2 || i == 4 || i == 8 {
			out = append(out, reading{'\\', true, i})
		}
	}
	if !utf8.FullRuneInString(s[i:]) {
		return out, true
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	out = append(out, reading{r, false, i + size})
	for _, d := range digits(s[i]) {
		v, n := hexAt(s[i+1:], d)
		switch {
		case n < 0:
			open = true
		case n > 0 && !utf16.IsSurrogate(v):
			out = append(out, reading{v, false, i + 1 + n})
		case n > 0:
			low, m := lowHalf(s[i+1+n:])
			open = open || m < 0
			if m > 0 {
				out = append(out, reading{utf16.DecodeRune(v, low), false, i + 1 + n + m})
			}
		}
	}
	return out, open
}

// digits is how many hexadecimal digits follow a backslash and c.
func digits(c byte) []int {
	switch c {
	case 'u':
		return []int{4}
	case 'U':
		return []int{4, 8} // ours, and JSON's after a change of case
	case 'x', 'X':
		return []int{2}
	}
	return nil
}

// lowHalf reads the other half of a pair of surrogates, behind as many
// backslashes as may be; length 0 for something else, -1 if s ends within it.
func lowHalf(s string) (v rune, length int) {
	i := 0
	for i < len(s) && i < maxBackslashes && s[i] == '\\' {
		i++
	}
	switch {
	case i == len(s):
		return 0, -1
	case s[i] != 'u' && s[i] != 'U':
		return 0, 0
	}
	v, n := hexAt(s[i+1:], 4)
	if n <= 0 {
		return 0, n
	}
	return v, i + 1 + n
}

// entity reads &#65;, &#x41; or one of the five names that encoders write. n is
// 0 for none, -1 if s ends within it.
func entity(s string) (r rune, n int) {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 0 {
		if len(s) < maxEntity && !strings.ContainsAny(s, " \n") {
			return 0, -1
		}
		return 0, 0
	}
	name := strings.ToLower(s[1:end])
	switch name {
	case "amp":
		return '&', end + 1
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, 21)
	if !ok || err != nil {
		return 0, 0
	}
	return rune(v), end + 1
}

// hexAt reads exactly n hexadecimal digits; length 0 for something else, -1 if s
// ends within them.
func hexAt(s string, n int) (v rune, length int) {
	for i := range n {
		if i == len(s) {
			return 0, -1
		}
		if !isHex(s[i]) {
			return 0, 0
		}
	}
	u, err := strconv.ParseUint(s[:n], 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(u), n
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// sameLetter compares bytes, letters of ASCII in either case.
func sameLetter(a, b byte) bool { return lower(a) == lower(b) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
