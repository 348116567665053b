package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// snapshot is the text of a page as its agent reads it: one line for each
// element, with its role, its name, and a ref by which tools find it.
type snapshot string

// elementLine matches such as: - button "Sign in" [ref=e20] [cursor=pointer]
var elementLine = regexp.MustCompile(`^\s*- '?(\w+) ("(?:[^"\\]|\\.)*")?.*\[ref=(\w+)\]`)

// snapshotOf takes the snapshot out of a tool's answer; false if there is none.
func snapshotOf(answer string) (snapshot, bool) {
	_, rest, found := strings.Cut(answer, "### Snapshot\n```yaml\n")
	if !found {
		return "", false
	}
	text, _, found := strings.Cut(rest, "\n```")
	return snapshot(text), found
}

// ref finds the element with this role and name, or failing that with a name
// that begins with it ("Customer" for "Customer *").
func (s snapshot) ref(role, name string) (string, error) {
	begins := ""
	for line := range strings.Lines(string(s)) {
		match := elementLine.FindStringSubmatch(line)
		if match == nil || match[1] != role {
			continue
		}
		found, err := strconv.Unquote(match[2])
		switch {
		case err != nil:
		case found == name:
			return match[3], nil
		case begins == "" && strings.HasPrefix(found, name):
			begins = match[3]
		}
	}
	if begins == "" {
		return "", fmt.Errorf("the page shows no %s %q", role, name)
	}
	return begins, nil
}

// shows says whether the page has an element or a text with these words.
func (s snapshot) shows(words string) error {
	if !strings.Contains(string(s), words) {
		return fmt.Errorf("the page does not show %q", words)
	}
	return nil
}

// indent sets text off from the lines around it.
func indent(text snapshot) string {
	return "  | " + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n  | ")
}
