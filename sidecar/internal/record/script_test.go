package record

import (
	"strings"
	"testing"
	"time"
)

func TestScriptIsPutTogether(t *testing.T) {
	name := newName()
	if !strings.HasPrefix(name, "__aa_") || len(name) != 5+16 || name == newName() {
		t.Errorf("name %s", name)
	}
	script := recorderScript(name, "a mark")
	for _, mark := range []string{"RECORDER", "'BINDING'", "'MARK'", "\nLIBRARY"} {
		if strings.Contains(script, mark) {
			t.Errorf("%s is left", mark)
		}
	}
	for _, part := range []string{"'" + name + "'", "'a mark'", libraryScript, "delete world[name]"} {
		if strings.Count(script, part) != 1 {
			t.Errorf("%.30q is there %d times", part, strings.Count(script, part))
		}
	}
	// The parts are one function, from its first line to its last.
	if i, j := strings.Index(script, "(function (name, mark, load) {"), strings.Index(script, "wire();\n})"); i < 0 || j < i {
		t.Error("the parts are not in order")
	}
}

func TestBucket(t *testing.T) {
	at := time.UnixMilli(1_800_000_000_000)
	var b bucket
	let := 0
	for range 1000 {
		if b.take(at) {
			let++
		}
	}
	if let != floodBurst {
		t.Errorf("%d at once", let)
	}
	if !b.take(at.Add(1e9)) || b.take(at.Add(1e9-1)) == false {
		t.Error("a second later")
	}
	let = 0
	for range 1000 {
		if b.take(at.Add(2e9)) {
			let++
		}
	}
	if let > 2*floodRate {
		t.Errorf("%d after two seconds", let)
	}
}

func TestInboxIsBounded(t *testing.T) {
	i := newInbox()
	if !i.push(maxInbox+1, func() {}) {
		t.Error("the first is refused for its size")
	}
	if i.push(1, func() {}) {
		t.Error("there is no bound")
	}
	ran := false
	if !i.push(0, func() { ran = true }) {
		t.Error("our own work is refused")
	}
	i.pop()
	if do, ok := i.pop(); !ok {
		t.Error("nothing is left")
	} else if do(); !ran {
		t.Error("the order is wrong")
	}
	if !i.push(5, func() {}) {
		t.Error("an empty inbox refuses")
	}
	i.close()
	if i.push(0, func() {}) {
		t.Error("a closed inbox takes")
	}
}

func TestTexts(t *testing.T) {
	for in, want := range map[string]string{
		"see http://u:p@a.test/x?y#z, or (https://b.test?q) <HTTP://c.test/#f>": "see http://a.test/x or (https://b.test) <http://c.test/>",
		"nothing": "nothing",
	} {
		if got := withoutQueries(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"abcdef": "abc", "a😀b": "a😀", "😀😀": "😀", "é": "é", "": ""} {
		if got := cut(in, 3); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
