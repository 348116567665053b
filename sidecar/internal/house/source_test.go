package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulePath is the module's name in imports.
const modulePath = "github.com/pillion-browser/pillion"

// source is one Go file of the repository.
type source struct {
	path string // from the root, with slashes
	dir  string
	test bool
	file *ast.File
	fset *token.FileSet
}

// at is the position of a node, as an editor takes it.
func (s source) at(n ast.Node) string { return s.fset.Position(n.Pos()).String() }

// root finds the repository: the directory above that holds go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the tests")
		}
	}
}

// files lists the repository's files with one of the extensions, from the
// root, with slashes.
func files(t *testing.T, ext ...string) (found []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root(t)), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "node_modules"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains(ext, path.Ext(name)) {
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sources parses every Go file.
func sources(t *testing.T) (all []source) {
	t.Helper()
	fset := token.NewFileSet()
	for _, name := range files(t, ".go") {
		f, err := parser.ParseFile(fset, name, read(t, name), parser.ParseComments)
		if err != nil {
			t.Fatalf("parse %s: %v", name, err)
		}
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), f, fset})
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found: the walk is wrong", len(all))
	}
	return all
}

// entries lists the names in a directory.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(root(t), filepath.FromSlash(dir)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
