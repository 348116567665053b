package house

import (
	"path"
	"strings"
	"testing"
)

// longestFile is the most lines that a file may have. Most have a third of it.
const longestFile = 500

func TestFilesCanBeReadInOneSitting(t *testing.T) {
	for _, name := range files(t, ".go", ".js", ".sh", ".css") {
		if strings.Contains(name, "/vendor/") || strings.HasSuffix(name, ".min.js") {
			continue // other people's bundles
		}
		if lines := strings.Count(read(t, name), "\n"); lines > longestFile {
			t.Errorf("%s has %d lines, more than %d: split it", name, lines, longestFile)
		}
	}
}

func TestEachPackageIsDocumentedInOnePlace(t *testing.T) {
	documented := map[string][]string{}
	main := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if _, seen := documented[s.dir]; !seen {
			documented[s.dir] = nil
		}
		main[s.dir] = s.file.Name.Name == "main"
		if s.file.Doc != nil {
			documented[s.dir] = append(documented[s.dir], path.Base(s.path))
		}
	}
	for dir, places := range documented {
		switch {
		case len(places) != 1:
			t.Errorf("%s has package comments in %v, want one in doc.go", dir, places)
		case places[0] != "doc.go" && !(main[dir] && places[0] == "main.go"):
			t.Errorf("%s is documented in %s, not in doc.go", dir, places[0])
		}
	}
}

func TestTopLevelHoldsWhatItShould(t *testing.T) {
	allowed := map[string]bool{
		"sidecar": true, "supervisor": true, "proto": true, "testdata": true,
		"go.mod": true, "go.sum": true, "Makefile": true, "Dockerfile": true, "LICENSE": true, "README.md": true,
		"bin": true, // built, not kept
	}
	for _, name := range entries(t, ".") {
		if !strings.HasPrefix(name, ".") && !allowed[name] {
			t.Errorf("%s does not belong at the top", name)
		}
	}
}
