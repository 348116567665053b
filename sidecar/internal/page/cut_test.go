package page

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func rows(n int, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func TestCut(t *testing.T) {
	t.Parallel()
	small := "- main [ref=e1]:\n  - button \"A\" [ref=e2]"
	if got := cut(small, 1000); got != small {
		t.Errorf("what fits is changed to\n%s", got)
	}

	list := "- generic [active] [ref=e1]:\n  - heading \"Top\" [ref=e2]\n  - list [ref=e3]:\n" + rows(2000, "    - listitem [ref=e1%d]: an item of some length") +
		"  - dialog \"Sure?\" [ref=e4]:\n    - button \"Yes\" [ref=e5]\n  - contentinfo [ref=e6]: foot"
	got := cut(list, 5000)
	for _, want := range []string{"Top", "Sure?", "Yes", "foot", "e11]", "e12000]", "    # … 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n < 60 || len(got) > 5100 {
		t.Errorf("%d lines, %d bytes", n, len(got))
	}
	if n := strings.Count(got, omission); n != 1 {
		t.Errorf("%d omissions", n)
	}

	// In one long list it is the focus and dialogs that stay.
	flat := rows(300, "- paragraph [ref=e%d]: some words to fill the line") + "- dialog \"D\" [ref=e5]\n" +
		rows(300, "- paragraph [ref=e5%d]: some words to fill the line") + "- textbox \"T\" [active] [ref=e7]: x\n" + rows(300, "- paragraph [ref=e9%d]: some words to fill the line")
	got = cut(flat, 3000)
	for _, want := range []string{"[ref=e1]", "dialog \"D\"", "[active]", "[ref=e9300]"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}

	// What the page has left out already is counted in.
	got = cut("- list:\n"+rows(200, "  - listitem: number %d of many")+"  # … 7000 more", 1000)
	total := 0
	for line := range strings.SplitSeq(got, "\n") {
		var n int
		if _, err := fmt.Sscanf(strings.TrimSpace(line), "# … %d more", &n); err == nil {
			total += n
		}
	}
	if kept := strings.Count(got, "listitem"); kept+total != 7200 {
		t.Errorf("%d kept and %d told of, want 7200 together:\n%s", kept, total, got)
	}

	// A property belongs to its node.
	got = cut("- link \"L\" [ref=e1]:\n  - /url: /x\n"+rows(500, "  - text: some words %d"), 600)
	if !strings.HasPrefix(got, "- link \"L\" [ref=e1]:\n  - /url: /x\n") {
		t.Errorf("the property is gone:\n%s", got)
	}
}

// checkCut holds for any text: the result is made of whole lines of the text, in
// their order and at their level, and of omission lines; it is short enough.
func checkCut(t *testing.T, text string, limit int) {
	got := cut(text, limit)
	size := utf8.RuneCountInString(got)
	if size > limit && got != text {
		t.Errorf("%d characters, limit %d", size, limit)
	}
	lines := strings.Split(text, "\n")
	next := 0
	for line := range strings.SplitSeq(got, "\n") {
		for next < len(lines) && lines[next] != line {
			next++
		}
		if next == len(lines) {
			if strings.HasPrefix(strings.TrimLeft(line, " "), omission) || got == "" {
				next = 0 // its place is not told by its text
				continue
			}
			t.Fatalf("line %q is not of the text", line)
		}
	}
}

func TestCutLimits(t *testing.T) {
	t.Parallel()
	deep := ""
	for i := range 200 {
		deep += strings.Repeat("  ", i) + fmt.Sprintf("- group [ref=e%d]:\n", i)
	}
	for _, text := range []string{
		deep,
		rows(3000, "- button [ref=e%d]"),
		"- a:\n" + rows(50, "  - x: "+strings.Repeat("long ", 100)+"%d"),
		"- p: " + strings.Repeat("x", 100_000),
		rows(10, "- list:\n"+rows(300, "  - item: %%d")+"- b%d"),
	} {
		for _, limit := range []int{200, 1000, 5000, 20_000} {
			checkCut(t, strings.TrimSuffix(text, "\n"), limit)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("- a:\n  - b: c\n  - d", 100)
	f.Add(rows(100, "- a [ref=e%d]:\n  - /url: x\n  # … 5 more"), 300)
	f.Add("      - deep first\n- then: top", 10)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 100 || limit > 1<<20 || strings.Contains(text, "#") {
			return
		}
		checkCut(t, text, limit)
	})
}
