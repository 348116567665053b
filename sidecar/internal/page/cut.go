package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// omission begins the line that stands for what was left out. The page's script
// writes the same where it has not looked at all of a list.
const omission = "# … "

// Sizes in characters.
const (
	omissionSize = 40  // what an omission line takes, with its indent in most cases
	usefulSize   = 300 // a part that gets less than this is rather left out
)

// branch is a line of a snapshot with what is below it.
type branch struct {
	line    string
	size    int // characters of all of it, with line ends
	pinned  bool
	props   bool // a property line, part of its parent
	omitted int  // an omission line stands for so many
	kids    []*branch
}

// cut shortens a snapshot to about max characters by leaving out whole branches.
// Where a node's branches do not all fit, small ones stay and the large ones
// share what is left; of a long list the head and the tail stay. What has the
// focus, and dialogs, stay before others. A line tells how many are missing.
func cut(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	root := parseBranches(text)
	var b strings.Builder
	fit(&b, root.kids, max-omissionSize, "")
	return strings.TrimSuffix(b.String(), "\n")
}

func parseBranches(text string) *branch {
	root := &branch{}
	path := []*branch{root}
	for line := range strings.SplitSeq(text, "\n") {
		body := strings.TrimLeft(line, " ")
		level := min((len(line)-len(body))/2, len(path)-1)
		n := &branch{line: line, size: utf8.RuneCountInString(line) + 1}
		n.props = strings.HasPrefix(body, "- /")
		if s, ok := strings.CutPrefix(body, omission); ok {
			n.omitted, _ = strconv.Atoi(s[:max(strings.IndexByte(s, ' '), 0)])
		}
		n.pinned = strings.HasPrefix(body, "- dialog") || strings.HasPrefix(body, "- alertdialog") || strings.Contains(body, " [active]")
		for _, above := range path[1 : level+1] {
			above.pinned = above.pinned || n.pinned
		}
		parent := path[level]
		parent.kids = append(parent.kids, n)
		path = append(path[:level+1], n)
	}
	sum(root)
	return root
}

// sum adds up sizes from the leaves to the root.
func sum(b *branch) {
	for _, k := range b.kids {
		sum(k)
		b.size += k.size
	}
}

// fit writes branches into room characters.
func fit(out *strings.Builder, branches []*branch, room int, indent string) {
	total := 0
	for _, b := range branches {
		total += b.size
	}
	if total <= room {
		for _, b := range branches {
			writeWhole(out, b)
		}
		return
	}
	share := shares(branches, room)
	missing := 0
	for i, b := range branches {
		if share[i] < b.size && share[i] < lineSize(b)+omissionSize {
			missing += max(b.omitted, 1)
			continue
		}
		missing = writeOmission(out, indent, missing)
		if share[i] >= b.size {
			writeWhole(out, b)
			continue
		}
		out.WriteString(b.line + "\n")
		fit(out, b.kids, share[i]-lineSize(b)-omissionSize, indent+"  ")
	}
	writeOmission(out, indent, missing)
}

func lineSize(b *branch) int {
	size := b.size
	for _, k := range b.kids {
		size -= k.size
	}
	return size
}

func writeWhole(out *strings.Builder, b *branch) {
	out.WriteString(b.line + "\n")
	for _, k := range b.kids {
		writeWhole(out, k)
	}
}

func writeOmission(out *strings.Builder, indent string, missing int) int {
	if missing > 0 {
		fmt.Fprintf(out, "%s%s%d more\n", indent, omission, missing)
	}
	return 0
}

// shares divides room among branches that are larger together. Each gets at most
// its size; 0 means that it is left out.
func shares(branches []*branch, room int) []int {
	got := make([]int, len(branches))
	left := room
	give := func(i, n int) {
		if n = min(n, branches[i].size); got[i] == 0 && n > 0 && n <= left {
			got[i] = n
			left -= n
		}
	}
	for i, b := range branches {
		if b.props {
			give(i, b.size)
		}
	}
	rest := func() (list []int) {
		for i := range branches {
			if got[i] == 0 {
				list = append(list, i)
			}
		}
		return list
	}
	if level := waterLevel(branches, rest(), left); level >= usefulSize {
		for _, i := range rest() {
			give(i, level)
		}
		return got
	}
	for i, b := range branches {
		if b.pinned {
			give(i, left/2)
		}
	}
	list := rest()
	// A long list: two thirds for its head, the rest for its tail.
	tail := left / 3
	left -= tail
	from := 0
	for ; from < len(list) && branches[list[from]].size <= left; from++ {
		give(list[from], left)
	}
	if from < len(list) && left >= usefulSize {
		give(list[from], left)
		from++
	}
	left += tail
	for to := len(list) - 1; to >= from && branches[list[to]].size <= left; to-- {
		give(list[to], left)
	}
	return got
}

// waterLevel is the size that each of some branches may have at most so that
// they fit into room together.
func waterLevel(branches []*branch, which []int, room int) int {
	sizes := make([]int, len(which))
	for i, w := range which {
		sizes[i] = branches[w].size
	}
	slices.Sort(sizes)
	for i, s := range sizes {
		share := room / (len(sizes) - i)
		if s > share {
			return share
		}
		room -= s
	}
	return room
}
