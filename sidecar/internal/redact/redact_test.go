package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
)

// token has every kind of character that encoders treat in their own way.
const token = `tOk3n-_./+"\<&%25é=;Zz9`

// encodings are what software makes of a text by accident. A secret is looked
// for in each, alone and inside of a longer text.
var encodings = map[string]func(string) string{
	"plain":          func(s string) string { return s },
	"upper":          strings.ToUpper,
	"lower":          strings.ToLower,
	"query":          url.QueryEscape,
	"path":           url.PathEscape,
	"lower query":    func(s string) string { return strings.ToLower(url.QueryEscape(s)) },
	"query twice":    func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"all percent":    func(s string) string { return eachByte(s, "%%%02X") },
	"json":           func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
	"json in json":   func(s string) string { return jsonOf(jsonOf(s)) },
	"json thrice":    func(s string) string { return jsonOf(jsonOf(jsonOf(s))) },
	"quoted":         func(s string) string { return fmt.Sprintf("%q", s) },
	"quoted, ascii":  func(s string) string { return fmt.Sprintf("%+q", s) },
	"all \\u":        func(s string) string { return eachUnit(s, `\u%04x`) },
	"all \\u, twice": func(s string) string { return eachUnit(s, `\\u%04X`) },
	"html":           html.EscapeString,
	"all entities":   func(s string) string { return eachRune(s, "&#%d;") },
	"hex entities":   func(s string) string { return eachRune(s, "&#x%X;") },
	"json of query":  func(s string) string { return jsonOf(url.QueryEscape(s)) },
	"hex":            func(s string) string { return hex.EncodeToString([]byte(s)) },
	"upper hex":      func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url":      func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"raw base64":     func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64 in URL":  func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func eachRune(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func eachUnit(s, format string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, format, u)
	}
	return b.String()
}

func jsonOf(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func TestEveryEncodingIsMasked(t *testing.T) {
	for _, secret := range []string{token, "0123456789abcdef0123456789ABCDEF", "with a space in it", "ünïcödé😀 token", "%41%42%43\\u0041", `\\\\\\\\\\`} {
		m := NewMasker("another-secret", secret)
		for name, encode := range encodings {
			if (name == "upper" || name == "lower") && strings.ContainsAny(secret, "é") {
				continue // case is ASCII's only
			}
			encoded := encode(secret)
			got := m.String(encoded)
			if !strings.Contains(got, Mask) || strings.Contains(got, encoded) {
				t.Errorf("%s of %q: %q became %q", name, secret, encoded, got)
			}
			// At the three offsets of base64, and with something around it.
			for _, before := range []string{"x", "xy", "Bearer "} {
				encoded := encode(before + secret + "tail")
				got := m.String(encoded)
				if !strings.Contains(got, Mask) {
					t.Errorf("%s of %q in a text: %q became %q", name, secret, encoded, got)
				}
			}
		}
	}
}

func TestString(t *testing.T) {
	m := NewMasker("sesame-street", "sesame-street-corner", "short", "")
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"nothing here: 100% \\ & + short", "nothing here: 100% \\ & + short"},
		{"open sesame-street!", "open [REDACTED]!"},
		{"SESAME-street and sesame-STREET", "[REDACTED] and [REDACTED]"},
		{"sesame-street-corner.", "[REDACTED]."},
		{"sesame-street-cornet", "[REDACTED]-cornet"},
		{"sesame-streetsesame-street", "[REDACTED][REDACTED]"},
		{"sesame-sesame-street", "sesame-[REDACTED]"},
		{"sesame%2Dstreet", "[REDACTED]"},
		{"cut in the middle: sesame-st", "cut in the middle: [REDACTED]"},
		{"cut early: sesame", "cut early: sesame"},
		{"ends in 100%", "ends in 100%"},
		{"ends in \\", "ends in \\"},
		{"ends in sesame-street", "ends in [REDACTED]"},
		{"é\xff\xfe sesame-street \xff", "é\xff\xfe [REDACTED] \xff"},
	} {
		if got := m.String(tt.in); got != tt.want {
			t.Errorf("String(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := NewMasker().String("anything"); got != "anything" {
		t.Errorf("without a secret: %q", got)
	}
	if got := new(Masker).String("anything"); got != "anything" {
		t.Errorf("the zero Masker: %q", got)
	}
}

func TestWriterIsPromptAtLineEnds(t *testing.T) {
	var out strings.Builder
	w := NewMasker("sesame-street").Writer(&out)
	for _, step := range []struct{ write, want string }{
		{"one line\n", "one line\n"},
		{"two ses", "one line\ntwo "},
		{"ame", "one line\ntwo "},
		{"\n", "one line\ntwo sesame\n"},
		{"sesame-s", "one line\ntwo sesame\n"},
		{"treet", "one line\ntwo sesame\n[REDACTED]"},
		{" 5%", "one line\ntwo sesame\n[REDACTED] 5"},
		{"\n", "one line\ntwo sesame\n[REDACTED] 5%\n"},
		{"sesame-str", "one line\ntwo sesame\n[REDACTED] 5%\n"},
	} {
		if n, err := w.Write([]byte(step.write)); n != len(step.write) || err != nil {
			t.Errorf("Write(%q) = %d, %v", step.write, n, err)
		}
		if out.String() != step.want {
			t.Errorf("after %q there is %q, want %q", step.write, out.String(), step.want)
		}
	}
	if err := w.Close(); err != nil || !strings.HasSuffix(out.String(), "5%\n[REDACTED]") {
		t.Errorf("closed: %q, %v", out.String(), err)
	}
}

// What is held back is bounded, whatever is written.
func TestWriterHoldsLittle(t *testing.T) {
	for _, s := range []string{`\`, "%25", "%", "&", "&#", "s", "sesame-stree", `\u00`, "&#0000", "+"} {
		var out strings.Builder
		w := NewMasker("sesame-street", `\\\\\\\\\\\\`, "%%%%%%%%%%", "&&&&&&&&&").Writer(&out)
		for range 2000 {
			_, _ = w.Write([]byte(s))
		}
		if len(w.held) > 1024 {
			t.Errorf("%q: %d bytes are held back", s, len(w.held))
		}
		_ = w.Close()
	}
}

// FuzzWriter: a stream is masked as the whole text is, wherever it is cut, and
// the secret is in neither, in any of the forms it was put in.
func FuzzWriter(f *testing.F) {
	f.Add("sesame-street", "say sesame-street and sesame%2dstreet ", []byte{3, 1, 7})
	f.Add(token, "x"+token+"y"+url.QueryEscape(token), []byte{1})
	f.Add(`\\u0041\\\`, `\\u0041\\\\u0041\\\\\`, []byte{2})
	f.Add("%25%2525", "%25%2525%25", []byte{2})
	f.Add("aaaaaaaa", "aaaaaaaaaaaaaaaaaaaaa%61aaaaaaa", []byte{5, 2})
	f.Fuzz(func(t *testing.T, secret, text string, cuts []byte) {
		if len(secret) < minSecret || len(secret) > 64 || strings.ContainsAny(secret, "[]REDACTEDredacted") || len(text) > 2000 {
			t.Skip() // a secret made of the mask's letters could appear by masking
		}
		m := NewMasker(secret)
		text += secret + text + url.QueryEscape(secret) + text + base64.StdEncoding.EncodeToString([]byte(text+secret))
		var out strings.Builder
		w := m.Writer(&out)
		rest := text
		for i := 0; rest != ""; i++ {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, int(cuts[i%len(cuts)])%32+1)
			}
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		_ = w.Close()
		if whole := m.String(text); out.String() != whole {
			t.Fatalf("secret %q in %q: streamed %q, whole %q", secret, text, out.String(), whole)
		}
		if got := out.String(); strings.Contains(got, secret) || strings.Contains(got, url.QueryEscape(secret)) {
			t.Fatalf("secret %q is left in %q", secret, got)
		}
	})
}
