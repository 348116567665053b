package page

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Find limits.
const (
	contextLines = 3 // around each match
	// foundMax bounds the answer in characters: a search for "a" on a large page
	// must not bring all of it.
	foundMax = 60_000
)

// QueryError says what is wrong with a query, in a sentence for its author.
type QueryError string

func (e QueryError) Error() string { return string(e) }

// Query is what to look for in a snapshot's lines: either Text (in any case) or
// Regex, in the syntax of JavaScript, bare or as /pattern/flags.
type Query struct {
	Text  string
	Regex string
}

// Find takes a whole snapshot and gives the lines that match with a few lines
// around them, each under its path from the root. The refs in it can be used.
func (v *View) Find(ctx context.Context, q Query) (string, error) {
	matches, name, err := q.compile()
	if err != nil {
		return "", err
	}
	text, err := v.read(ctx, Options{})
	if err != nil {
		return "", err
	}
	return search(text, matches, name), nil
}

func (q Query) compile() (matches func(string) bool, name string, err error) {
	switch {
	case q.Text == "" && q.Regex == "":
		return nil, "", QueryError(`Provide either "text" or "regex" to search for.`)
	case q.Text != "" && q.Regex != "":
		return nil, "", QueryError(`Provide only one of "text" or "regex", not both.`)
	case q.Text != "":
		needle := strings.ToLower(q.Text)
		return func(line string) bool { return strings.Contains(strings.ToLower(line), needle) }, `"` + oneLine(q.Text) + `"`, nil
	}
	re, name, err := compileRegex(q.Regex)
	if err != nil {
		return nil, "", err
	}
	return re.MatchString, name, nil
}

var (
	regexLiteral  = regexp.MustCompile(`(?s)^/(.*)/([a-z]*)$`)
	unicodeEscape = regexp.MustCompile(`\\u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]+)\})`)
)

// compileRegex reads a regular expression of JavaScript. What ours does not
// have, looking around and going back, is refused with the reason: unlike
// JavaScript's it can't be made to run for ever.
func compileRegex(source string) (*regexp.Regexp, string, error) {
	pattern, flags := source, ""
	if m := regexLiteral.FindStringSubmatch(source); m != nil {
		pattern, flags = m[1], m[2]
	}
	ours := ""
	for _, f := range flags {
		switch f {
		case 'i', 's', 'm':
			ours += string(f)
		case 'g', 'u', 'v', 'd', 'y':
		default:
			return nil, "", QueryError(fmt.Sprintf("Invalid regular expression: unknown flag %q", f))
		}
	}
	translated := unicodeEscape.ReplaceAllString(strings.ReplaceAll(pattern, "[^]", `[\s\S]`), `\x{$1$2}`)
	if ours != "" {
		translated = "(?" + ours + ")" + translated
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, "", QueryError("Invalid regular expression: " + err.Error())
	}
	return re, "/" + oneLine(pattern) + "/" + strings.ReplaceAll(flags, "g", ""), nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// search writes the matching lines of text with what is around them. Windows
// that touch are one; before each stands the path to its first line, with dots
// where siblings are left out.
func search(text string, matches func(string) bool, name string) string {
	lines := strings.Split(text, "\n")
	var hits []int
	for i, line := range lines {
		if matches(line) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 || text == "" {
		return fmt.Sprintf("No matches found for %s.", name)
	}
	indents := make([]int, len(lines))
	for i, line := range lines {
		indents[i] = len(line) - len(strings.TrimLeft(line, " "))
	}
	ancestors := newAncestry(indents)

	type window struct{ from, to, hits int }
	var windows []window
	onPath := map[int]bool{}
	for _, hit := range hits {
		onPath[hit] = true
		for _, a := range ancestors.of(hit) {
			onPath[a] = true
		}
		from, to := max(0, hit-contextLines), min(len(lines)-1, hit+contextLines)
		if n := len(windows); n > 0 && from <= windows[n-1].to+1 {
			windows[n-1].to = max(windows[n-1].to, to)
			windows[n-1].hits++
			continue
		}
		windows = append(windows, window{from, to, 1})
	}

	noun := "matches"
	if len(hits) == 1 {
		noun = "match"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Found %d %s for %s:\n", len(hits), noun, name)
	shown := 0
	for n, w := range windows {
		var part strings.Builder
		last := -1
		write := func(i int) {
			if last >= 0 && i > last+1 && !onPath[i] && !onPath[last] {
				part.WriteString("\n" + strings.Repeat(" ", indents[i]) + "...")
			}
			part.WriteString("\n" + lines[i])
			last = i
		}
		for _, a := range ancestors.of(w.from) {
			write(a)
		}
		for i := w.from; i <= w.to; i++ {
			write(i)
		}
		if n > 0 && b.Len()+part.Len() > foundMax {
			fmt.Fprintf(&b, "\n\n----\n\n%d more matches are not shown; search for something narrower.", len(hits)-shown)
			break
		}
		if n > 0 {
			b.WriteString("\n\n----\n")
		}
		b.WriteString(part.String())
		shown += w.hits
	}
	return b.String()
}

// ancestry finds the lines above a line in the tree.
type ancestry struct{ parent []int }

func newAncestry(indents []int) ancestry {
	a := ancestry{make([]int, len(indents))}
	var path []int
	for i, indent := range indents {
		for len(path) > 0 && indents[path[len(path)-1]] >= indent {
			path = path[:len(path)-1]
		}
		a.parent[i] = -1
		if len(path) > 0 {
			a.parent[i] = path[len(path)-1]
		}
		path = append(path, i)
	}
	return a
}

// of lists the lines above line i, the root first.
func (a ancestry) of(i int) []int {
	var up []int
	for p := a.parent[i]; p >= 0; p = a.parent[p] {
		up = append(up, p)
	}
	for l, r := 0, len(up)-1; l < r; l, r = l+1, r-1 {
		up[l], up[r] = up[r], up[l]
	}
	return up
}
