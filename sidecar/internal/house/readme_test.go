package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme is the README, or the end of the test where there is none yet.
func readme(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root(t), "README.md")); err != nil {
		t.Skip("there is no README yet")
	}
	return read(t, "README.md")
}

func TestReadmeCommandsExist(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	if len(targets) < 5 {
		t.Fatalf("only %d targets found in the Makefile", len(targets))
	}
	text := readme(t)
	for _, m := range regexp.MustCompile("(?m)(?:^|`|\\$ )make ([a-z][a-z-]*)").FindAllStringSubmatch(text, -1) {
		if !targets[m[1]] {
			t.Errorf("the README says make %s, which the Makefile does not know", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?:go (?:run|build|install|test)|--config(?:-file)?|docker build) (?:-\S+ )*(\./[\w./-]+|testdata/[\w./-]+)`).FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(m[1], "/...")
		if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(name))); err != nil {
			t.Errorf("the README uses %s, which is not there", m[1])
		}
	}
}

func TestReadmeLinksResolve(t *testing.T) {
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(readme(t), -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("the README links to %s, which is not there", m[1])
		}
	}
}
