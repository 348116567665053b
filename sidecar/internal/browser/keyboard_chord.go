package browser

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseChord reads the name of a key, or of several held together: "Enter",
// "a", "Control+Shift+T", "Control++". The names are those of
// KeyboardEvent.key and .code on a US keyboard, and case matters for single
// characters. Longer names go in any case, and so do common other names ("ctrl",
// "esc", "up"). A single printable character that is on no US key is taken as
// it is.
func ParseChord(s string) ([]string, error) {
	var names []string
	rest := s
	for {
		// A plus where a name should begin is the key of that name.
		at := -1
		if rest != "" {
			if i := strings.IndexByte(rest[1:], '+'); i >= 0 {
				at = i + 1
			}
		}
		if at < 0 {
			names = append(names, rest)
			break
		}
		names = append(names, rest[:at])
		rest = rest[at+1:]
	}
	for i, name := range names {
		if _, ok := findStroke(name); ok {
			continue
		}
		if i == len(names)-1 && printable(name) {
			continue
		}
		return nil, &UnknownKeyError{Key: name, Chord: s}
	}
	return names, nil
}

func printable(name string) bool {
	r, n := utf8.DecodeRuneInString(name)
	return n == len(name) && n > 1 && r != utf8.RuneError && unicode.IsPrint(r)
}

// UnknownKeyError says that a key has a name that no key goes by.
type UnknownKeyError struct {
	Key   string // the part that is not known
	Chord string // all of it
}

func (e *UnknownKeyError) Error() string {
	msg := fmt.Sprintf("Unknown key: %q", e.Key)
	if e.Key != e.Chord {
		msg += fmt.Sprintf(" in %q", e.Chord)
	}
	return msg + `. Use one key ("Enter", "ArrowDown", "a", "F5") or a chord ("Control+Shift+T"); browser_type types text`
}
