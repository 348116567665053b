package house

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files anew")

// referenceFile is made of the structs that are configured, and of what their
// fields' comments say.
const referenceFile = "supervisor/docs/configuration.md"

// table is one table of the reference.
type table struct {
	title, lead string
	keys        string // directory and name of the struct whose tags are the keys
	docs        string // and of the one whose comments say what they mean
	renamed     map[string]string
}

func tables() []table {
	return []table{
		{"Launch config", "What a sidecar reads from its standard input, or from the file after `--config`.",
			"proto launchWire", "proto Launch", map[string]string{"ChromiumSandbox": "DisableChromiumSandbox"}},
		{"Launch config: `recording`", "", "proto recordingWire", "proto Recording", nil},
		{"Launch config: `live`", "", "proto liveWire", "proto Live", nil},
		{"Backend", "Where a host runs browsers: the file of `pillion-host -backend`, or package `supervisor/backend`.",
			"supervisor/backend Config", "supervisor/backend Config", nil},
		{"Backend `local`: `options`", "", "supervisor/backend Local", "supervisor/backend Local", nil},
		{"Backend `container`: `options`", "", "supervisor/backend Container", "supervisor/backend Container", nil},
	}
}

func TestConfigurationReferenceIsOfToday(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Configuration\n\nMade from the structs by `make golden`; their package documentation says more.\n")
	all := sources(t)
	for _, table := range tables() {
		keys, docs := structOf(t, all, table.keys), structOf(t, all, table.docs)
		fmt.Fprintf(&b, "\n## %s\n\n", table.title)
		if table.lead != "" {
			b.WriteString(table.lead + "\n\n")
		}
		b.WriteString("| key | type | meaning |\n|---|---|---|\n")
		meanings := map[string]string{}
		for _, f := range docs.Fields.List {
			for _, name := range f.Names {
				meanings[name.Name] = meaning(f)
			}
		}
		for _, f := range keys.Fields.List {
			field := f.Names[0].Name
			if other, ok := table.renamed[field]; ok {
				field = other
			}
			text, known := meanings[field]
			if !known {
				t.Errorf("%s has no field %s", table.docs, field)
			}
			if text == "" {
				t.Errorf("%s.%s says nothing about itself", table.docs, field)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", keyOf(t, f), kindOf(f.Type), text)
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root(t), referenceFile), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, referenceFile); got != b.String() {
		t.Errorf("%s is not what the structs say: run make golden", referenceFile)
	}
}

// structOf finds a struct by its directory and name.
func structOf(t *testing.T, all []source, where string) *ast.StructType {
	t.Helper()
	dir, name, _ := strings.Cut(where, " ")
	for _, s := range all {
		if s.dir != dir || s.test {
			continue
		}
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.Name == name {
					if st, ok := ts.Type.(*ast.StructType); ok {
						return st
					}
				}
			}
		}
	}
	t.Fatalf("there is no struct %s", where)
	return nil
}

// meaning is a field's own comment, else the one after it, on one line.
func meaning(f *ast.Field) string {
	text := f.Doc.Text()
	if f.Comment != nil {
		text = f.Comment.Text()
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
}

func keyOf(t *testing.T, f *ast.Field) string {
	t.Helper()
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		t.Fatal(err)
	}
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return key
}

// kindOf words a type as JSON knows it.
func kindOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return kindOf(e.X)
	case *ast.ArrayType:
		return "array of " + kindOf(e.Elt) + "s"
	case *ast.Ident:
		switch e.Name {
		case "bool":
			return "boolean"
		case "int", "float64":
			return "number"
		case "string", "Mode", "Egress":
			return "string"
		}
	}
	return "object"
}
