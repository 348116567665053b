package supervisor

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/proto"
)

func TestParseReady(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line, expect string
		code               proto.Code // "" = accepted
	}{
		{"the original's", `{"ready":true,"port":4321,"version":"1","pid":7}`, "1", ""},
		{"with more", `{"ready":true,"port":4321,"version":"1","pid":7,"new":{}}`, "1", ""},
		{"any version", `{"ready":true,"port":4321,"version":"2","pid":7}`, AnyVersion, ""},
		{"another version", `{"ready":true,"port":4321,"version":"2","pid":7}`, "1", proto.CodeVersionMismatch},
		{"not ready", `{"ready":false,"port":4321,"version":"1","pid":7}`, "1", proto.CodeReadyMalformed},
		{"no port", `{"ready":true,"version":"1","pid":7}`, "1", proto.CodeReadyMalformed},
		{"a text", `listening on 4321`, "1", proto.CodeReadyMalformed},
		{"an array", `[true]`, "1", proto.CodeReadyMalformed},
		{"nothing", ``, "1", proto.CodeReadyMalformed},
	}
	for _, test := range tests {
		ready, err := parseReady([]byte(test.line), test.expect)
		if got := proto.CodeOf(err); got != test.code {
			t.Errorf("%s: code %q, want %q: %v", test.name, got, test.code, err)
		}
		if err == nil && ready.Port != 4321 {
			t.Errorf("%s: %+v", test.name, ready)
		}
	}
}

func FuzzParseReady(f *testing.F) {
	for _, line := range []string{
		`{"ready":true,"port":4321,"version":"1","pid":7}`, `{"ready":true,"port":1e3,"version":"1","pid":7}`,
		`{"ready":1}`, `[]`, `null`, ``, "\xff\xfe{", `{"ready":true,"port":70000,"version":"1","pid":7}`,
		`{"ready":true,"port":1,"version":"` + strings.Repeat("\\u001b", 99) + `","pid":7}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		ready, err := parseReady(line, "1")
		if err == nil {
			if ready.Port < 1 || ready.Port > 65535 || ready.Version != "1" {
				t.Errorf("accepted %+v", ready)
			}
			return
		}
		text := err.Error()
		if proto.CodeOf(err) == "" || len(text) > 2000 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\x00\n") {
			t.Errorf("refused with %q", text)
		}
	})
}
