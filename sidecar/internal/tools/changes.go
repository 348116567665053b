package tools

import (
	"regexp"
	"slices"
	"strings"
)

// What is said of lines that differ. Page text can't say it: a snapshot quotes
// text with a "#" after a space.
const (
	noChanges   = "# no changes since the last snapshot"
	onlyChanges = "# changes since the last snapshot; all else is as it was"
	isNew       = " # new"
	isChanged   = " # changed"
	isMoved     = " # moved"
	isGone      = "# gone: "
)

// changes tells how the snapshot after differs from the one before: the lines
// that are new or other, each under its path from the root, and what is gone. ok
// is false when all of after says it shorter.
func changes(before, after string) (text string, ok bool) {
	if before == after {
		return noChanges, true
	}
	d := difference{a: strings.Split(before, "\n"), b: strings.Split(after, "\n")}
	var kept []int
	if kept, ok = align(d.a, d.b); !ok {
		return "", false
	}
	text = d.tell(kept)
	return text, len(text) < len(after)
}

// difference is what two snapshots do not have in common.
type difference struct {
	a, b    []string
	inA     map[string]string // line by ref, without its indent
	inB     map[string]int    // place of the line by ref
	fromA   map[int]int       // place in b of the lines of a that are kept
	fresh   map[int]bool      // lines of b that stand below one that is told of as new
	written map[int]bool      // lines of b
	out     []string
}

// refIn finds a line's ref.
var refIn = regexp.MustCompile(`\[ref=([^\]]+)\]`)

func refOf(line string) string {
	if m := refIn.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (d *difference) tell(kept []int) string {
	d.inA, d.inB = map[string]string{}, map[string]int{}
	d.fromA, d.fresh, d.written = map[int]int{}, map[int]bool{}, map[int]bool{}
	d.out = []string{onlyChanges}
	for _, line := range d.a {
		if ref := refOf(line); ref != "" {
			d.inA[ref] = strings.TrimLeft(line, " ")
		}
	}
	for j, line := range d.b {
		if ref := refOf(line); ref != "" {
			d.inB[ref] = j
		}
		if kept[j] >= 0 {
			d.fromA[kept[j]] = j
		}
	}
	// Between two lines that stay lies a gap: lines of a that are gone, and lines
	// of b in their place.
	i, from := 0, 0
	for j := 0; j <= len(kept); j++ {
		to := len(d.a)
		if j < len(kept) {
			if kept[j] < 0 {
				continue
			}
			to = kept[j]
		}
		for n := from; n < j; n++ {
			d.added(n, to > i)
		}
		d.removed(i, to, j > from)
		i, from = to+1, j+1
	}
	return strings.Join(d.out, "\n")
}

// added tells of a line of b that is new or other. replaces: something is gone
// from its place.
func (d *difference) added(j int, replaces bool) {
	line := d.b[j]
	mark := isNew
	if ref := refOf(line); ref != "" {
		switch was, known := d.inA[ref]; {
		case known && was == strings.TrimLeft(line, " "):
			mark = isMoved
		case known:
			mark = isChanged
		}
	} else if replaces {
		mark = isChanged
	}
	above := ancestors(d.b, j)
	if n := len(above); n > 0 && d.fresh[above[n-1]] && mark == isNew {
		mark = "" // goes without saying
	}
	d.path(above)
	if mark == isNew || mark == "" {
		d.fresh[j] = true
	}
	d.written[j] = true
	d.out = append(d.out, line+mark)
}

// removed tells of the lines of a from i to to that are nowhere in b. replaced:
// something is in their place.
func (d *difference) removed(i, to int, replaced bool) {
	branch := -1 // indent of the one that is told of: what is below it goes with it
	for ; i < to; i++ {
		line := d.a[i]
		indent := indentOf(line)
		if branch >= 0 && indent > branch {
			continue
		}
		branch = -1
		ref := refOf(line)
		if _, there := d.inB[ref]; there || ref == "" && replaced {
			continue
		}
		branch = indent
		var above []int
		for _, up := range ancestors(d.a, i) {
			if j, there := d.fromA[up]; there {
				above = append(above, j)
			} else if j, there := d.inB[refOf(d.a[up])]; there {
				above = append(above, j)
			}
		}
		d.path(above)
		d.out = append(d.out, strings.Repeat(" ", indent)+isGone+strings.TrimSuffix(strings.TrimLeft(line, " -"), ":"))
	}
}

// path writes those of the lines of b that are not there yet.
func (d *difference) path(lines []int) {
	for _, j := range lines {
		if !d.written[j] {
			d.written[j] = true
			d.out = append(d.out, d.b[j])
		}
	}
}

// ancestors are the lines above line j in the tree, the root first.
func ancestors(lines []string, j int) []int {
	var up []int
	indent := indentOf(lines[j])
	for i := j - 1; i >= 0 && indent > 0; i-- {
		if n := indentOf(lines[i]); n < indent {
			up = append(up, i)
			indent = n
		}
	}
	slices.Reverse(up)
	return up
}
