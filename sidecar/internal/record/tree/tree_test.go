package tree_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

func parse(t *testing.T, s string) tree.Value {
	t.Helper()
	v, err := tree.Parse(s)
	if err != nil {
		t.Fatalf("%.100s: %v", s, err)
	}
	return v
}

func TestParseAndWriteAgain(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`null`, `null`},
		{` { "b" : 1 , "a" : [ true , false , null ] } `, `{"b":1,"a":[true,false,null]}`},
		{`{}`, `{}`},
		{`[]`, `[]`},
		{`-0.50e+10`, `-0.50e+10`},
		{`12345678901234567890`, `12345678901234567890`},
		{`"<&>\u2028é\/\b\f\n\r\t\"\\"`, `"<&>` + "\u2028" + `é/\u0008\u000c\n\r\t\"\\"`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`"a\ud83dz"`, `"a` + "\uFFFD" + `z"`},
		{`"\ud83d\ud83d\ude00"`, `"` + "\uFFFD" + `😀"`},
		{`"\ude00"`, `"` + "\uFFFD" + `"`},
		{`"\ud83d"`, `"` + "\uFFFD" + `"`},
		{`"\ud83d\u00"`, ``},
		{`"a\u0000b"`, `"a` + "\uFFFD" + `b"`},
		{"\"a\xff\"", `"a` + "\uFFFD" + `"`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`{"a":{"x":1},"\u0061":7}`, `{"a":7}`},
		{``, ``}, {`{`, ``}, {`[1,]`, ``}, {`{"a"}`, ``}, {`{a:1}`, ``}, {`[1 2]`, ``}, {`01`, ``}, {`1.`, ``}, {`.5`, ``}, {`1e`, ``},
		{`-`, ``}, {`+1`, ``}, {`NaN`, ``}, {`tru`, ``}, {`nulll`, ``}, {`"`, ``}, {`"\x"`, ``}, {`"\u12g4"`, ``}, {"\"\n\"", ``}, {`1 2`, ``},
		{`{"a":1}}`, ``}, {"\x00", ``},
	} {
		v, err := tree.Parse(c.in)
		if c.want == "" {
			if err == nil {
				t.Errorf("%q is taken: %s", c.in, v.Append(nil))
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got := string(v.Append(nil)); got != c.want {
			t.Errorf("%q became %s, want %s", c.in, got, c.want)
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	deep := strings.Repeat("[", 1999) + strings.Repeat("]", 1999)
	if v := parse(t, deep); v.Depth() != 1999 {
		t.Errorf("depth %d", v.Depth())
	}
	for name, s := range map[string]string{
		"deep":          strings.Repeat("[", 3000) + strings.Repeat("]", 3000),
		"deep and open": strings.Repeat("[", 10_000_000),
		"many":          "[" + strings.Repeat("0,", 3_000_000) + "0]",
	} {
		if _, err := tree.Parse(s); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	var many strings.Builder
	many.WriteString("{")
	for i := range 100_000 {
		many.WriteString(`"k` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + `":1,`)
	}
	v := parse(t, many.String()+`"last":2}`)
	if n, ok := v.Get("last").Whole(); !ok || n != 2 {
		t.Errorf("last is %v, %v", n, ok)
	}
}

func TestSplitList(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{`[]`, nil},
		{` [ ] `, nil},
		{`[1]`, []string{"1"}},
		{`[{"a":[1,2]},"x,]\"}",  null]`, []string{`{"a":[1,2]}`, `"x,]\"}"`, `  null`}},
		{`[{bad},{"a":1}]`, []string{`{bad}`, `{"a":1}`}},
	} {
		got, err := tree.SplitList(c.in)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v", c.in, got, err)
		}
	}
	for _, s := range []string{"", "{}", "[", "]", "[1}]", "[\"]", `["a\"]`, "[[1]", "1"} {
		if got, err := tree.SplitList(s); err == nil {
			t.Errorf("%s: %q", s, got)
		}
	}
}

func TestValue(t *testing.T) {
	v := parse(t, `{"s":"x","n":2.5,"w":3e0,"big":1e17,"inf":1e999,"l":[1,"a"],"t":true,"z":null}`)
	if v.Get("s").Text() != "x" || v.Get("n").Text() != "" || v.Get("none").Text() != "" || !v.Get("z").IsNull() || v.Get("none").IsNull() {
		t.Error("texts and nulls")
	}
	if n, ok := v.Get("n").Number(); n != 2.5 || !ok {
		t.Error("number", n)
	}
	for key, want := range map[string]bool{"n": false, "w": true, "big": false, "inf": false, "s": false, "none": false} {
		if n, ok := v.Get(key).Whole(); ok != want {
			t.Errorf("%s: whole %d %v", key, n, ok)
		}
	}
	if len(v.Get("l").Items()) != 2 || v.Items() != nil || v.Get("l").Get("x") != nil || !v.Get("t").IsTrue() || v.Get("s").IsTrue() {
		t.Error("lists and objects")
	}
	v.Set("s", tree.Int(7))
	v.Set("new", tree.List(tree.String("é"), tree.Bool(false)))
	v.Remove("l")
	v.Remove("none")
	v.Keep(func(key string, _ *tree.Value) bool { return key != "n" && key != "inf" })
	v.Get("new").Keep(func(_ string, item *tree.Value) bool { return item.IsString() })
	if got, want := string(v.Append(nil)), `{"s":7,"w":3e0,"big":1e17,"t":true,"z":null,"new":["é"]}`; got != want || v.Size() != len(want) {
		t.Errorf("%s, %d", got, v.Size())
	}
	if got := string(tree.AppendNumber(tree.AppendNumber([]byte("a"), 1800000000000), 1.5)); got != "a18000000000001.5" {
		t.Error(got)
	}
}

// FuzzParse: what is taken is what encoding/json takes, and means the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"type":3,"data":{"source":0,"adds":[]},"timestamp":1.5e3}`, `[1,-2.5e-3,"\ud83d\ude00\n\u0041",null,true,{"a":{"a":[]}}]`,
		`{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `[[[[]]]]`, `{"":""}`, ` 1`, `"\u0000"`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := tree.Parse(s)
		if _, splitErr := tree.SplitList(s); err == nil && v.IsList() && splitErr != nil {
			t.Fatalf("%q is a list that can't be split: %v", s, splitErr)
		}
		valid := json.Valid([]byte(s))
		if err != nil {
			if valid && strings.Count(s, "[")+strings.Count(s, "{") < 1000 {
				t.Fatalf("%q is refused: %v", s, err)
			}
			return
		}
		if !valid {
			t.Fatalf("%q is taken", s)
		}
		out := v.Append(nil)
		if !json.Valid(out) || !utf8.Valid(out) || strings.Contains(string(out), `\u0000`) {
			t.Fatalf("%q became %q", s, out)
		}
		var want, got any
		if json.Unmarshal([]byte(s), &want) != nil || json.Unmarshal(out, &got) != nil {
			return // a number out of range
		}
		if utf8.ValidString(s) && !strings.Contains(s, `\u0000`) && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q: %v, want %v", s, out, got, want)
		}
		again, err := tree.Parse(string(out))
		if err != nil || string(again.Append(nil)) != string(out) {
			t.Fatalf("%q is not stable: %v", out, err)
		}
	})
}
