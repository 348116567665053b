package supervisor

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pillion-browser/pillion/proto"
)

func tailOf(text string, secrets ...string) *tail {
	t := &tail{mask: maskerOf(secrets...), line: func(string) {}}
	t.read(iotest.OneByteReader(strings.NewReader(text))) // no line may depend on how it is cut into reads
	return t
}

func TestTailShowsTheLastLines(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range 50 {
		fmt.Fprintf(&log, "line %d\r\n\n", i)
	}
	log.WriteString("no end")
	shown := strings.Split(tailOf(log.String()).last(), "\n")
	if len(shown) != shownLines || shown[0] != "  line 31" || shown[shownLines-1] != "  no end" {
		t.Errorf("shows %q", shown)
	}
}

func TestTailCutsLongLines(t *testing.T) {
	t.Parallel()
	got := tailOf(strings.Repeat("é", 10*tailLineBytes) + "\nnext")
	if lines := got.kept(); len(lines) != 2 || len(lines[0]) > tailLineBytes+4 || lines[1] != "next" {
		t.Errorf("%d lines", len(lines))
	}
	first, _, _ := strings.Cut(got.last(), "\n")
	if first != "  "+strings.Repeat("é", shownChars)+"…" {
		t.Errorf("shows %q", first)
	}
}

func TestTailIsBounded(t *testing.T) {
	t.Parallel()
	got := tailOf(strings.Repeat(strings.Repeat("x", 99)+"\n", 5000))
	if n := len(got.kept()); n != tailBytes/100 {
		t.Errorf("keeps %d lines", n)
	}
}

// A secret is masked where a line is cut, on either side of the cut.
func TestTailMasksAtTheCut(t *testing.T) {
	t.Parallel()
	for before := tailLineBytes - len(testToken) - 2; before <= tailLineBytes+2; before++ {
		got := tailOf(strings.Repeat(".", before)+testToken+strings.Repeat(".", 100_000), testToken)
		if line := got.kept()[0]; strings.Contains(line, testToken[:12]) {
			t.Fatalf("%d before: %q", before, line[tailLineBytes-60:])
		}
	}
}

func TestTailShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	if got := tailOf("a\x1b]0;title\x07b\tc\u009bd\xff\n").last(); got != "  a\uFFFD]0;title\uFFFDb\tc\uFFFDd\uFFFD" {
		t.Errorf("got %q", got)
	}
}

func TestTailFindsTheErrorLine(t *testing.T) {
	t.Parallel()
	last := &proto.Error{Code: proto.CodeBrowserMissing, Message: "the last"}
	log := "noise\n" + (&proto.Error{Code: proto.CodeInternal, Message: "an earlier one"}).Line() + "\n" +
		last.Line() + "\npillion-error: {broken\nmore noise"
	if got := tailOf(log).reported(); got == nil || *got != *last {
		t.Errorf("got %+v", got)
	}
	if got := tailOf("only noise").reported(); got != nil {
		t.Errorf("got %+v", got)
	}
}
