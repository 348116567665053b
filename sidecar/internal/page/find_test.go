package page

import (
	"strings"
	"testing"
)

const tree = `- main [ref=e1]:
  - heading "Orders" [level=1] [ref=e2]
  - list [ref=e3]:
    - listitem [ref=e4]: One
    - listitem [ref=e5]: Two
    - listitem [ref=e6]: Three
    - listitem [ref=e7]: Four
    - listitem [ref=e8]: Five
    - listitem [ref=e9]: Six
    - listitem [ref=e10]: Seven
    - listitem [ref=e11]: Eight
    - listitem [ref=e12]: Nine
    - listitem [ref=e13]: Ten
    - listitem [ref=e14]: Eleven
    - listitem [ref=e15]: Twelve
    - listitem [ref=e16]: Thirteen
  - button "Save" [ref=e17]`

func TestSearch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		query Query
		want  string
	}{
		{"nothing", Query{Text: "zebra"}, `No matches found for "zebra".`},
		{"a text in any case", Query{Text: "tEN]: none"}, `No matches found for "tEN]: none".`},
		{"one with its surroundings", Query{Text: "NINE"}, `Found 1 match for "NINE":

- main [ref=e1]:
  - list [ref=e3]:
    - listitem [ref=e9]: Six
    - listitem [ref=e10]: Seven
    - listitem [ref=e11]: Eight
    - listitem [ref=e12]: Nine
    - listitem [ref=e13]: Ten
    - listitem [ref=e14]: Eleven
    - listitem [ref=e15]: Twelve`},
		{"two blocks", Query{Text: "one"}, `Found 1 match for "one":

- main [ref=e1]:
  - heading "Orders" [level=1] [ref=e2]
  - list [ref=e3]:
    - listitem [ref=e4]: One
    - listitem [ref=e5]: Two
    - listitem [ref=e6]: Three
    - listitem [ref=e7]: Four`},
		{"regex minds the case", Query{Regex: "save"}, "No matches found for /save/."},
		{"unless told", Query{Regex: "/^ *- button .*save/i"}, `Found 1 match for /^ *- button .*save/i:

- main [ref=e1]:
  - list [ref=e3]:
    ...
    - listitem [ref=e14]: Eleven
    - listitem [ref=e15]: Twelve
    - listitem [ref=e16]: Thirteen
  - button "Save" [ref=e17]`},
		{"windows that touch join", Query{Regex: `: (Three|Nine)$`}, `Found 2 matches for /: (Three|Nine)$/:

- main [ref=e1]:
  - list [ref=e3]:
    - listitem [ref=e4]: One
    - listitem [ref=e5]: Two
    - listitem [ref=e6]: Three
    - listitem [ref=e7]: Four
    - listitem [ref=e8]: Five
    - listitem [ref=e9]: Six
    - listitem [ref=e10]: Seven
    - listitem [ref=e11]: Eight
    - listitem [ref=e12]: Nine
    - listitem [ref=e13]: Ten
    - listitem [ref=e14]: Eleven
    - listitem [ref=e15]: Twelve`},
		{"others do not", Query{Regex: `: (One|Twelve)$`}, `Found 2 matches for /: (One|Twelve)$/:

- main [ref=e1]:
  - heading "Orders" [level=1] [ref=e2]
  - list [ref=e3]:
    - listitem [ref=e4]: One
    - listitem [ref=e5]: Two
    - listitem [ref=e6]: Three
    - listitem [ref=e7]: Four

----

- main [ref=e1]:
  - list [ref=e3]:
    - listitem [ref=e12]: Nine
    - listitem [ref=e13]: Ten
    - listitem [ref=e14]: Eleven
    - listitem [ref=e15]: Twelve
    - listitem [ref=e16]: Thirteen
  - button "Save" [ref=e17]`},
	} {
		matches, name, err := tt.query.compile()
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := search(tree, matches, name); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	matches, name, err := Query{Text: "needle"}.compile()
	if err != nil {
		t.Fatal(err)
	}
	got := search(strings.Repeat("- p: needle\n- p\n- p\n- p\n- p\n- p\n- p\n- p\n- p: "+strings.Repeat("x", 100)+"\n", 5000), matches, name)
	if len(got) > foundMax+1000 || !strings.Contains(got, "Found 5000 matches") || !strings.HasSuffix(got, "search for something narrower.") {
		t.Errorf("%d bytes, the end is %q", len(got), got[len(got)-200:])
	}
}

func TestQueryMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query Query
		want  string
	}{
		{Query{}, `Provide either "text" or "regex"`},
		{Query{Text: "a", Regex: "b"}, "not both"},
		{Query{Regex: "("}, "Invalid regular expression"},
		{Query{Regex: "(?=look)"}, "Invalid regular expression"},
		{Query{Regex: "/x/q"}, "unknown flag"},
	} {
		if _, _, err := tt.query.compile(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.query, err, tt.want)
		}
	}
}

func FuzzRegex(f *testing.F) {
	for _, s := range []string{"/a/i", "a|b", `\u00e9`, `\u{1F600}`, "[^]", "(?<n>x)", "/", "//", "///", "(?=x)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if re, name, err := compileRegex(source); err == nil {
			re.MatchString("- button \"é\" [ref=e1]")
			if strings.ContainsAny(name, "\n\r") {
				t.Errorf("the name of %q breaks the line: %q", source, name)
			}
		}
	})
}
