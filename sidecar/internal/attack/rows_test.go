//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// row is one case of testdata/attack.
type row struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Input  string `json:"input"`
	Expect string `json:"expect"` // "allow", "refuse", or words for either
	Why    string `json:"why"`
	How    string `json:"how"` // of more.json: how the row is to be done, where that is not plain
}

func (r row) allowed() bool { return r.Expect == "allow" }

// readRows reads a file of rows. Those of cases.json are as they were given; the
// ones of more.json are our own, of the same kinds in other spellings.
func readRows(t *testing.T, name string) []row {
	t.Helper()
	b, err := os.ReadFile("../../../testdata/attack/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []row `json:"cases"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return file.Cases
}

// line is one entry of the ledger.
type line struct {
	row     row
	where   string // what it was run against
	state   string // "ok", "FAILED" or "not run"
	remarks []string
}

// ledger is the account of all rows.
type ledger struct {
	mu    sync.Mutex
	lines []*line
}

// try runs one row at one place as a subtest and writes it down.
func (l *ledger) try(t *testing.T, r row, where string, f func(t *testing.T, note func(string))) {
	t.Helper()
	entry := &line{row: r, where: where}
	note := func(remark string) { entry.remarks = append(entry.remarks, remark) }
	if why := deviations()[r.ID]; why != "" {
		note("contract: " + why)
	}
	ran, skipped := false, false
	passed := t.Run(r.ID+" "+where, func(t *testing.T) {
		ran = true
		defer func() { skipped = t.Skipped() }()
		t.Logf("%s: %s: %s", r.Kind, r.Input, r.Expect)
		f(t, note)
	})
	if !ran { // -run names others
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, entry)
	switch {
	case !passed:
		entry.state = "FAILED"
	case skipped:
		entry.state = "not run"
	default:
		entry.state = "ok"
	}
}

// report prints every row and the sums, and complains of rows that nobody ran.
func (l *ledger) report(t *testing.T, rows []row, partial bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	passed, failed, idle := 0, 0, 0
	for _, r := range rows {
		mine := slices.DeleteFunc(slices.Clone(l.lines), func(e *line) bool { return e.row.ID != r.ID })
		if len(mine) == 0 && !partial {
			t.Errorf("%s %s: nobody ran it", r.ID, r.Kind)
			failed++
		}
		for _, e := range mine {
			switch e.state {
			case "ok":
				passed++
			case "not run":
				idle++
			default:
				failed++
			}
			text := fmt.Sprintf("%-5s %-20s %-7s %-8s %-28s %.70s", r.ID, r.Kind, shortly(r.Expect), e.state, e.where, printable(r.Input))
			if len(e.remarks) > 0 {
				text += "\n" + strings.Repeat(" ", 43) + strings.Join(e.remarks, "; ")
			}
			fmt.Println(text)
		}
	}
	fmt.Printf("%d rows\n", len(rows))
	if idle > 0 {
		fmt.Printf("%d not run here\n", idle)
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
}

func shortly(expect string) string {
	if expect == "allow" || expect == "refuse" {
		return expect
	}
	return "either"
}

// printable keeps a row's input on its line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xad {
			return '?'
		}
		return r
	}, s)
}

// quoted is text as a literal of JavaScript.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // of a string: never
	}
	return string(b)
}
