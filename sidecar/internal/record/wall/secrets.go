package wall

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/sidecar/internal/redact"
)

const (
	// maxTexts is how many typed texts are remembered, the newest ones.
	maxTexts = 500
	// maxTextBytes bounds one of them: an echo of more is known by its beginning.
	maxTextBytes = 4 << 10
	// minText is the shortest text that is remembered: one or two characters are no
	// secret and stand everywhere.
	minText = 3
	// minInside is from how many characters on a typed text is looked for inside of
	// others; a shorter one must be all that there is, or half of a page would be
	// blacked out.
	minInside = 8
)

// Secrets are what must not be in the recording wherever it stands: the session's
// tokens, and what was typed in it. Everybody may use them at once.
type Secrets struct {
	tokens [][]byte
	masker *redact.Masker // of the tokens

	mu     sync.Mutex
	short  []string // typed texts, lower case
	long   []string
	inside *strings.Replacer // of the long ones; nil when there are none
}

// NewSecrets knows the session's tokens and nothing that was typed yet.
func NewSecrets(tokens []string) *Secrets {
	s := &Secrets{masker: redact.NewMasker(tokens...)}
	for _, t := range tokens {
		if t != "" {
			s.tokens = append(s.tokens, []byte(t))
		}
	}
	return s
}

// Typed remembers what somebody typed. It is called before the page can see it.
func (s *Secrets) Typed(text string) {
	text = strings.TrimSpace(text)
	if len(text) > maxTextBytes {
		text = strings.ToValidUTF8(text[:maxTextBytes], "")
	}
	n := utf8.RuneCountInString(text)
	if n < minText {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < minInside {
		s.short = remember(s.short, strings.ToLower(text))
		return
	}
	s.long = remember(s.long, text)
	var pairs []string
	for _, t := range s.long {
		// As it is, as pages tidy it up, and as addresses carry it.
		for _, form := range []string{t, strings.ToLower(t), strings.ToUpper(t), url.QueryEscape(t), url.PathEscape(t)} {
			pairs = append(pairs, form, redact.Mask)
		}
	}
	s.inside = strings.NewReplacer(pairs...)
}

// remember appends what is new and forgets the oldest.
func remember(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	if len(all) >= maxTexts {
		all = slices.Clone(all[1:])
	}
	return append(all, text)
}

// Scrub masks the typed texts in what a page says. Nothing else of it changes.
func (s *Secrets) Scrub(text string) string {
	if len(text) < minText {
		return text
	}
	s.mu.Lock()
	short := s.short
	s.mu.Unlock()
	if len(short) > 0 {
		trimmed := strings.TrimSpace(text)
		if utf8.RuneCountInString(trimmed) < minInside && slices.Contains(short, strings.ToLower(trimmed)) {
			return strings.Replace(text, trimmed, redact.Mask, 1)
		}
	}
	return s.scrubInside(text)
}

// ScrubAddress masks the typed texts in an address: inside of it, and short ones as
// whole parts of its path.
func (s *Secrets) ScrubAddress(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	parts := strings.Split(rest, "/")
	s.mu.Lock()
	short := s.short
	s.mu.Unlock()
	for i := 1; i < len(parts) && len(short) > 0; i++ {
		if slices.Contains(short, strings.ToLower(plain(parts[i]))) {
			parts[i] = redact.Mask
		}
	}
	if rest = strings.Join(parts, "/"); rest != "" {
		url = scheme + "://" + rest
	}
	return s.scrubInside(url)
}

// plain is a part of a path without its escapes, where they are in order.
func plain(part string) string {
	if p, err := url.PathUnescape(part); err == nil {
		return p
	}
	return part
}

// scrubInside masks the long ones alone, for values that are no words: a width of
// 100 is none of what somebody typed.
func (s *Secrets) scrubInside(text string) string {
	s.mu.Lock()
	inside := s.inside
	s.mu.Unlock()
	if inside == nil || len(text) < minInside {
		return text
	}
	return inside.Replace(text)
}

// ScrubTokens masks the session's own tokens in an event that is ready to be sent.
func (s *Secrets) ScrubTokens(event []byte) []byte {
	for _, t := range s.tokens {
		if bytes.Contains(event, t) {
			return []byte(s.masker.String(string(event)))
		}
	}
	return event
}
