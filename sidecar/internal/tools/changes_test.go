package tools

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const form = `- main [ref=e1]:
  - heading "Orders" [level=1] [ref=e2]
  - list [ref=e3]:
    - listitem [ref=e4]: First
    - listitem [ref=e5]:
      - text: Second
      - button "Delete" [ref=e6]
    - listitem [ref=e7]: Third
  - textbox "Name" [ref=e8]
  - text: nothing saved
  - button "Save" [disabled] [ref=e9]
  - paragraph [ref=e10]: A text that does not change and is long enough to be worth leaving out
  - paragraph [ref=e11]: Another text that does not change and is long enough to be worth leaving out`

func TestChanges(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "", "", noChanges},
		{"a state", ` [disabled] [ref=e9]`, ` [ref=e9]`, `
- main [ref=e1]:
  - button "Save" [ref=e9] # changed`},
		{"a text", "nothing saved", "saved", `
- main [ref=e1]:
  - text: saved # changed`},
		{"a branch is gone", `
    - listitem [ref=e5]:
      - text: Second
      - button "Delete" [ref=e6]`, "", `
- main [ref=e1]:
  - list [ref=e3]:
    # gone: listitem [ref=e5]`},
		{"a leaf is gone", `
      - button "Delete" [ref=e6]`, "", `
- main [ref=e1]:
  - list [ref=e3]:
    - listitem [ref=e5]:
      # gone: button "Delete" [ref=e6]`},
		{"a branch is new", `
  - textbox`, `
  - dialog "Sure?" [ref=e20]:
    - button "Yes" [ref=e21]
    - button "No" [ref=e22]
  - textbox`, `
- main [ref=e1]:
  - dialog "Sure?" [ref=e20]: # new
    - button "Yes" [ref=e21]
    - button "No" [ref=e22]`},
		{"one thing for another", `
    - listitem [ref=e7]: Third`, `
    - listitem [ref=e12]: Fourth`, `
- main [ref=e1]:
  - list [ref=e3]:
    - listitem [ref=e12]: Fourth # new
    # gone: listitem [ref=e7]: Third`},
		{"a move", `
    - listitem [ref=e4]: First
    - listitem [ref=e5]:
      - text: Second
      - button "Delete" [ref=e6]
    - listitem [ref=e7]: Third`, `
    - listitem [ref=e5]:
      - text: Second
      - button "Delete" [ref=e6]
    - listitem [ref=e7]: Third
    - listitem [ref=e4]: First`, `
- main [ref=e1]:
  - list [ref=e3]:
    - listitem [ref=e4]: First # moved`},
		{"a text is gone", `
  - text: nothing saved`, "", `
- main [ref=e1]:
  # gone: text: nothing saved`},
		{"the root", `- main [ref=e1]:`, `- main [active] [ref=e1]:`, `
- main [active] [ref=e1]: # changed`},
		{"the end", "\n  - paragraph [ref=e11]: Another text that does not change and is long enough to be worth leaving out", "", `
- main [ref=e1]:
  # gone: paragraph [ref=e11]: Another text that does not change and is long enough to be worth leaving out`},
	} {
		after := strings.Replace(form, c.old, c.new, 1)
		want := c.want
		if want != noChanges {
			want = onlyChanges + want
		}
		if got, ok := changes(form, after); got != want || !ok {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, ok, got, want)
		}
	}
}

func TestChangesGiveWayToTheWhole(t *testing.T) {
	if text, ok := changes(form, `- heading "Elsewhere" [ref=f1e2]`); ok {
		t.Errorf("another page is told as changes:\n%s", text)
	}
	var long strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&long, "- button [ref=e%d]\n", i)
	}
	if _, ok := changes(long.String(), strings.ReplaceAll(long.String(), "button", "link")); ok {
		t.Error("five thousand changes are told one by one")
	}
	if text, ok := changes("", form); ok {
		t.Errorf("an empty page before:\n%s", text)
	}
}

// TestAlignKeepsOrder holds align to what it promises on random texts: pairs are
// equal lines, in order, and as many as there can be.
func TestAlignKeepsOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		lines := make([]string, r.IntN(12))
		for i := range lines {
			lines[i] = string(rune('a' + r.IntN(4)))
		}
		return lines
	}
	for range 3000 {
		a, b := text(), text()
		kept, ok := align(a, b)
		if !ok {
			t.Fatalf("%q to %q: given up", a, b)
		}
		last, pairs := -1, 0
		for j, i := range kept {
			if i < 0 {
				continue
			}
			if i <= last || a[i] != b[j] {
				t.Fatalf("%q to %q: %v", a, b, kept)
			}
			last = i
			pairs++
		}
		if want := longestCommon(a, b); pairs != want {
			t.Fatalf("%q to %q: %v keeps %d of %d", a, b, kept, pairs, want)
		}
	}
}

func longestCommon(a, b []string) int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				best[i+1][j+1] = best[i][j] + 1
			} else {
				best[i+1][j+1] = max(best[i][j+1], best[i+1][j])
			}
		}
	}
	return best[len(a)][len(b)]
}
