package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestCodeKeepsTheHouseRules(t *testing.T) {
	all := sources(t)
	for _, rule := range []func([]source) []string{initFunctions, changingVariables, scriptStrings} {
		for _, complaint := range rule(all) {
			t.Error(complaint)
		}
	}
}

// TestRulesBite holds the rules against code that breaks each in every way
// that they claim to see, and against code that only looks like it.
func TestRulesBite(t *testing.T) {
	for _, c := range []struct {
		rule func([]source) []string
		code string
		want int
	}{
		{initFunctions, "func init() {}", 1},
		{initFunctions, "type t int; func (t) init() {}", 0},
		{changingVariables, "var n int; func f() { n = 1 }", 1},
		{changingVariables, "var n int; func f() { n++ }", 1},
		{changingVariables, "var n int; func f() *int { return &n }", 1},
		{changingVariables, "var m = map[string]int{}; func f() { m[`a`] = 1 }", 1},
		{changingVariables, "var m = map[string]int{}; func f() { delete(m, `a`) }", 1},
		{changingVariables, "var mu sync.Mutex", 1},
		{changingVariables, "var c = make(chan int)", 1},
		{changingVariables, "var once = sync.OnceValue(func() int { return 1 })", 1},
		{changingVariables, "var n = 1; func f() { n := 2; n = 3; _ = n }", 0},
		{changingVariables, "var table = map[string]int{`a`: 1}; func f() int { return table[`a`] }", 0},
		{changingVariables, "var Version = `1`", 0},
		{scriptStrings, "const x = `() => { return 1 }`", 1},
		{scriptStrings, "const x = `function (a) { a.b }`", 1},
		{scriptStrings, "const x = `window.scrollTo(0, 0)`", 1},
		{scriptStrings, "const x = `const a = 1`", 1},
		{scriptStrings, "const x = `the function (see above) is run in the window.`", 0},
		{scriptStrings, "const x = `1. [GET] url => [200] OK`", 0},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", "package proto\n"+c.code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.rule([]source{{"proto/x.go", "proto", false, f, fset}}); len(got) != c.want {
			t.Errorf("%s: %d complaints, want %d: %q", c.code, len(got), c.want, got)
		}
	}
}

func initFunctions(all []source) (complaints []string) {
	for _, s := range all {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				complaints = append(complaints, s.at(f)+": init runs where nobody calls it")
			}
		}
	}
	return complaints
}

// settable lists the package-level variables that are meant to be set, by the
// linker and by nobody else.
func settable() []string { return []string{"proto.Version"} }

// changingVariables finds package-level variables that something in their
// package assigns to or takes the address of, and those that hold state by
// their type. Tables, errors, patterns and embedded files stay.
func changingVariables(all []source) (complaints []string) {
	declared := map[string]map[string]*ast.ValueSpec{} // by directory and name
	for _, s := range all {
		if s.test {
			continue
		}
		for _, v := range variables(s.file) {
			for _, name := range v.Names {
				if name.Name == "_" || slices.Contains(settable(), s.file.Name.Name+"."+name.Name) {
					continue
				}
				if declared[s.dir] == nil {
					declared[s.dir] = map[string]*ast.ValueSpec{}
				}
				declared[s.dir][name.Name] = v
				if why := stateful(v); why != "" {
					complaints = append(complaints, s.at(v)+": "+name.Name+" holds state: "+why)
				}
			}
		}
	}
	for _, s := range all {
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, target := range changed(n) {
				name := rootName(target)
				if name == nil {
					continue
				}
				// The parser resolves names within a file: a local variable of
				// the same name points to its own declaration, one of another
				// file of the package to none.
				if v := declared[s.dir][name.Name]; v != nil && (name.Obj == nil || name.Obj.Decl == v) {
					complaints = append(complaints, s.at(n)+": the package-level variable "+name.Name+" is changed")
				}
			}
			return true
		})
	}
	return complaints
}

// variables lists a file's package-level variable declarations.
func variables(f *ast.File) (specs []*ast.ValueSpec) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				specs = append(specs, spec.(*ast.ValueSpec))
			}
		}
	}
	return specs
}

// stateful says why a variable's type or value means state, or "".
func stateful(v *ast.ValueSpec) (why string) {
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ChanType:
			why = "a channel"
		case *ast.SelectorExpr:
			if p, ok := n.X.(*ast.Ident); ok && (p.Name == "sync" || p.Name == "atomic") {
				why = p.Name + "." + n.Sel.Name
			}
		}
		return true
	}
	if v.Type != nil {
		ast.Inspect(v.Type, look)
	}
	for _, value := range v.Values {
		ast.Inspect(value, look)
	}
	return why
}

// changed lists what a node assigns to, counts up or down, deletes from or
// takes the address of.
func changed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") && len(n.Args) > 0 {
			return n.Args[:1]
		}
	}
	return nil
}

// rootName is the identifier that an expression starts with: x of x.y[z].
func rootName(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// script recognises JavaScript. A word of prose about it does not match.
func script() *regexp.Regexp {
	return regexp.MustCompile(`\bfunction\s*\w*\s*\([^)]*\)\s*\{` +
		`|=>\s*\{\s*\w` +
		`|\b(document|window|globalThis)\.\w+\s*[.(=]` +
		`|\b(const|let|var)\s+\w+\s*=\s*[^=]` +
		`|\blocation\.(href|reload|assign)\b` +
		`|<script[\s>]`)
}

// scriptStrings finds JavaScript in string literals, outside of tests and of
// the site under test, whose templates are no program of ours.
func scriptStrings(all []source) (complaints []string) {
	pattern := script()
	for _, s := range all {
		if s.test || strings.HasPrefix(s.path, "testdata/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && pattern.MatchString(text) {
				complaints = append(complaints, fmt.Sprintf("%s: JavaScript in a string: %.80q", s.at(lit), text))
			}
			return true
		})
	}
	return complaints
}
