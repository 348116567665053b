package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// Mask stands where a secret was.
const Mask = "[REDACTED]"

// minSecret is the shortest secret that is masked, and the shortest start of one
// that is masked where a text ends in the middle of it; see the package's Why.
const minSecret = 8

// Masker replaces secrets by [Mask]. The zero Masker knows no secret. It never
// changes, so that several goroutines may use it at once.
type Masker struct {
	needles []string
	first   [256]bool // bytes that a match can begin with
}

// NewMasker knows the given secrets, but for those shorter than eight bytes.
func NewMasker(secrets ...string) *Masker {
	m := &Masker{}
	for _, s := range secrets {
		if len(s) >= minSecret {
			m.needles = append(m.needles, forms(s)...)
		}
	}
	// The longest first: of two that begin alike the shorter would leave a rest.
	slices.SortFunc(m.needles, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	m.needles = slices.Compact(m.needles)
	for _, n := range m.needles {
		for c := range 256 {
			m.first[c] = m.first[c] || sameLetter(byte(c), n[0]) || strings.IndexByte(escapeStarts, byte(c)) >= 0
		}
	}
	return m
}

// forms is the texts to look for: the secret itself, and what encoders make of
// it, or of a longer text that it is part of, other than escaping characters.
func forms(secret string) []string {
	out := []string{secret, hex.EncodeToString([]byte(secret))}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// Three bytes become four characters. The secret may start at any of the
		// three, and its first and last characters depend on its neighbours.
		for before := range 3 {
			text := enc.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			start := (before*8 + 5) / 6
			end := (before + len(secret)) * 8 / 6
			if end-start >= minSecret {
				out = append(out, text[start:end])
			}
		}
	}
	return out
}

// String gives s with every secret masked, also one that s ends in the middle
// of. A secret of which s has only the end is not known again.
func (m *Masker) String(s string) string {
	var out strings.Builder
	rest, matched := m.mask(&out, s)
	if out.Len() == 0 && matched < minSecret {
		return s // nothing to mask, nothing copied
	}
	m.end(&out, rest)
	return out.String()
}

// mask writes s to out with its secrets masked. It keeps back the tail from
// which on a secret may be beginning, with how many of its bytes are there.
// Nothing is written if there is no secret and no such tail before the end.
func (m *Masker) mask(out *strings.Builder, s string) (rest string, matched int) {
	begin := 0 // of what has not been written
	for i := 0; i < len(s); {
		if !m.first[s[i]] {
			i++
			continue
		}
		length, partial := m.matchAt(s[i:])
		switch {
		case partial > 0:
			out.WriteString(s[begin:i])
			return s[i:], partial
		case length > 0:
			out.WriteString(s[begin:i])
			out.WriteString(Mask)
			i += length
			begin = i
		default:
			i++
		}
	}
	out.WriteString(s[begin:])
	return "", 0
}

// end writes a tail that mask kept back, now that nothing follows it.
func (m *Masker) end(out *strings.Builder, rest string) {
	for rest != "" {
		length, partial := m.matchAt(rest)
		switch {
		case length > 0:
			out.WriteString(Mask)
			rest = rest[length:]
		case partial >= minSecret:
			out.WriteString(Mask)
			return
		default:
			out.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
}

// matchAt looks for a secret at the start of s: its length in s, and how much of
// a longer one, at most, matched when s ended.
func (m *Masker) matchAt(s string) (length, partial int) {
	for _, needle := range m.needles {
		n, p := match(s, needle)
		partial = max(partial, p)
		if n > 0 {
			return n, partial
		}
	}
	return 0, partial
}
