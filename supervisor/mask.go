package supervisor

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// masked stands where a secret stood.
const masked = "[REDACTED]"

// minMasked is the shortest secret that is masked: replacing a shorter one
// would tear ordinary words out of a log. Tokens have 32 characters or more.
const minMasked = 12

// masker replaces secrets in text that comes from a sidecar, also where an
// encoder has been at them.
type masker struct {
	replace *strings.Replacer
	longest int // bytes of the longest form
}

// newMasker masks the launch's tokens and the values of its saved sign-in.
func newMasker(launch proto.Launch) masker {
	secrets := []string{launch.Token.Reveal()}
	if launch.Recording != nil {
		secrets = append(secrets, launch.Recording.Token.Reveal())
	}
	for _, c := range launch.StorageState.Cookies {
		secrets = append(secrets, c.Value)
	}
	for _, o := range launch.StorageState.Origins {
		for _, item := range o.LocalStorage {
			secrets = append(secrets, item.Value)
		}
	}
	return maskerOf(secrets...)
}

func maskerOf(secrets ...string) masker {
	var forms []string
	for _, s := range secrets {
		if len(s) >= minMasked {
			forms = append(forms, formsOf(s)...)
		}
	}
	// Where one form holds another the longer must win: the replacer tries
	// them in order.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	forms = slices.Compact(forms)
	var pairs []string
	var m masker
	for _, f := range forms {
		pairs = append(pairs, f, masked)
		m.longest = max(m.longest, len(f))
	}
	m.replace = strings.NewReplacer(pairs...)
	return m
}

func (m masker) mask(text string) string { return m.replace.Replace(text) }

// formsOf returns the secret as it looks plain, in JSON, in Go's quotes, in a
// URL's path and query, and inside base64 of a longer text.
func formsOf(secret string) []string {
	forms := []string{
		secret,
		url.QueryEscape(secret),
		url.PathEscape(secret),
		unquoted(strconv.Quote(secret)),
		unquoted(strconv.QuoteToASCII(secret)),
	}
	var b strings.Builder
	for _, escapeHTML := range []bool{true, false} {
		b.Reset()
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escapeHTML)
		if enc.Encode(secret) == nil {
			forms = append(forms, unquoted(strings.TrimSuffix(b.String(), "\n")))
		}
	}
	for shift := range 3 {
		forms = append(forms, base64Core(secret, shift, base64.RawStdEncoding), base64Core(secret, shift, base64.RawURLEncoding))
	}
	return forms
}

func unquoted(s string) string { return s[1 : len(s)-1] }

// base64Core returns the characters that secret alone decides in the base64 of
// a text in which shift bytes (modulo 3) stand before it and anything after.
func base64Core(secret string, shift int, enc *base64.Encoding) string {
	text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
	from := (shift*8 + 5) / 6           // characters that hold bits of what stands before
	to := (shift + len(secret)) * 8 / 6 // characters filled by our bits alone
	return text[from:min(to, len(text))]
}
