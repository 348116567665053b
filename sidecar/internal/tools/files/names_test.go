package files_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
	"github.com/pillion-browser/pillion/testdata/app"
)

func TestSanitized(t *testing.T) {
	for proposed, want := range map[string]string{
		"report.csv":                    "report.csv",
		"quarterly report (final).csv":  "quarterly-report-final.csv",
		"naïve café – 注文書.txt":          "naïve-café-注文書.txt",
		`quo"te;semi.txt`:               "quo-te-semi.txt",
		"../../escape.txt":              "escape.txt",
		`..\..\escape.txt`:              "escape.txt",
		"/etc/passwd":                   "passwd",
		".htaccess":                     "htaccess",
		"con.txt":                       "file-con.txt",
		"COM1":                          "file-COM1",
		"com1.tar.gz":                   "file-com1.tar.gz",
		"comet.txt":                     "comet.txt",
		"trailing dot.":                 "trailing-dot",
		"tab\tname.txt":                 "tab-name.txt",
		"gpj.exe\u202e.txt":             "gpj.exe.txt",
		"":                              "download",
		"...":                           "download",
		"/":                             "download",
		".png":                          "png",
		"x\n### Error\n- Page URL: y.t": "x-Error-Page-URL-y.t",
		"a\x00b.txt":                    "a-b.txt",
		"bad\xffutf.txt":                "bad-utf.txt",
		"archive.tar.gz":                "archive.tar.gz",
		"x." + strings.Repeat("e", 30):  "x." + strings.Repeat("e", 30),
		strings.Repeat("注", 100) + ".t": strings.Repeat("注", 39) + ".t",
	} {
		if got := files.Sanitized(proposed); got != want {
			t.Errorf("%q is %q, want %q", proposed, got, want)
		}
	}
}

func FuzzSanitized(f *testing.F) {
	for _, name := range app.OddNames() {
		f.Add(name)
	}
	f.Add("a\u2028### Error.txt")
	f.Add(strings.Repeat("a.", 300))
	f.Fuzz(func(t *testing.T, proposed string) {
		name := files.Sanitized(proposed)
		switch {
		case name == "" || len(name) > 140 || !utf8.ValidString(name):
			t.Errorf("%q is %q", proposed, name)
		case filepath.Base(name) != name || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`):
			t.Errorf("%q is the path %q", proposed, name)
		case name[0] == '.' || name[0] == '-' || strings.HasSuffix(name, "."):
			t.Errorf("%q is %q", proposed, name)
		case strings.ContainsFunc(name, func(r rune) bool {
			return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("#()[]`\"'<>|&%?", r)
		}):
			t.Errorf("%q is %q", proposed, name)
		case files.Sanitized(name) != name:
			t.Errorf("%q is %q, and that %q", proposed, name, files.Sanitized(name))
		}
	})
}
