package supervisor

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestMaskFindsEncodedSecrets(t *testing.T) {
	t.Parallel()
	secret := "s3cr&t/with\"odd<chars>+\u00e9"
	m := maskerOf(secret, "another-secret-value")
	js, _ := json.Marshal(secret)
	tests := map[string]string{
		"plain":       "a " + secret + " b",
		"twice":       secret + secret,
		"json":        `{"token":` + string(js) + `}`,
		"go":          fmt.Sprintf("%q", secret),
		"ascii":       fmt.Sprintf("%+q", secret),
		"query":       "?t=" + url.QueryEscape(secret) + "&x",
		"path":        "/" + url.PathEscape(secret) + "/x",
		"other":       "another-secret-value",
		"in a word":   "Xanother-secret-valueX",
		"base64":      base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64+1":    base64.StdEncoding.EncodeToString([]byte("x" + secret + "y")),
		"base64+2":    base64.StdEncoding.EncodeToString([]byte("xx" + secret + "yy")),
		"base64+3":    base64.StdEncoding.EncodeToString([]byte("xxx" + secret)),
		"url base64":  base64.RawURLEncoding.EncodeToString([]byte("user:" + secret + "?")),
		"basic login": "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ada:another-secret-value")),
	}
	for name, text := range tests {
		got := m.mask(text)
		if !strings.Contains(got, masked) || strings.Contains(got, "odd") || strings.Contains(got, "another") || len(got) > 60 {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	for _, text := range []string{"", "nothing here", "s3cr&t/with", "another-secret"} {
		if got := m.mask(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMaskCoversTheWholeLaunch(t *testing.T) {
	t.Parallel()
	launch := testLaunch()
	launch.StorageState = proto.StorageState{
		Cookies: []proto.Cookie{{Name: "session", Value: "cookie-value-of-ada"}, {Name: "theme", Value: "dark"}},
		Origins: []proto.OriginState{{LocalStorage: []proto.NameValue{{Name: "jwt", Value: "local-storage-value"}}}},
	}
	got := newMasker(launch).mask(testToken + " " + testRecording + " cookie-value-of-ada local-storage-value dark")
	if got != strings.Repeat(masked+" ", 4)+"dark" {
		t.Errorf("got %q", got)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("some text", "more text", uint8(0))
	f.Add("\x00", "é", uint8(2))
	f.Add(testToken[:20], testToken[20:], uint8(7))
	m := maskerOf(testToken)
	f.Fuzz(func(t *testing.T, before, after string, shift uint8) {
		// Whatever stands around the token, neither it nor its base64 survives.
		for _, encode := range []func(string) string{
			func(s string) string { return s },
			func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
			func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		} {
			got := m.mask(encode(before + strings.Repeat("-", int(shift%3)) + testToken + after))
			core := encode(testToken)
			if !strings.Contains(got, masked) || strings.Contains(got, core[3:len(core)-4]) {
				t.Errorf("%q", got)
			}
		}
	})
}
