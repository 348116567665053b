package proc

import (
	"bytes"
	"errors"
	"strconv"
)

// Process is one row of the process table.
type Process struct {
	PID     int
	Parent  int
	Group   int
	Session int
	UID     int    // effective user, -1 when it could not be read
	Start   uint64 // clock ticks since the system's start
	Zombie  bool   // dead, not yet waited for
}

// errRow is the answer to a table row that does not look like one.
var errRow = errors.New("malformed process row")

// Positions of the fields that parseStat reads, counted from the state, which
// follows the name.
const (
	fieldState   = 0
	fieldParent  = 1
	fieldGroup   = 2
	fieldSession = 3
	fieldStart   = 19
)

// parseStat reads one /proc/<pid>/stat. The process chooses the name in it
// freely, spaces and brackets included, so the fields are those after the last
// closing bracket.
func parseStat(row []byte) (Process, error) {
	open := bytes.IndexByte(row, '(')
	end := bytes.LastIndexByte(row, ')')
	if open < 1 || end < open {
		return Process{}, errRow
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(row[:open])))
	if err != nil || pid < 1 {
		return Process{}, errRow
	}
	fields := bytes.Fields(row[end+1:])
	if len(fields) <= fieldStart {
		return Process{}, errRow
	}
	p := Process{PID: pid, UID: -1}
	for _, f := range []struct {
		at   int
		into *int
	}{{fieldParent, &p.Parent}, {fieldGroup, &p.Group}, {fieldSession, &p.Session}} {
		if *f.into, err = strconv.Atoi(string(fields[f.at])); err != nil {
			return Process{}, errRow
		}
	}
	if p.Start, err = strconv.ParseUint(string(fields[fieldStart]), 10, 64); err != nil {
		return Process{}, errRow
	}
	state := string(fields[fieldState])
	p.Zombie = state == "Z" || state == "X"
	return p, nil
}

// splitArgs cuts the content of /proc/<pid>/cmdline into its arguments.
// Chromium's children rewrite theirs with spaces instead of NUL bytes; such a
// line comes back as one argument.
func splitArgs(line []byte) []string {
	line = bytes.TrimRight(line, "\x00")
	if len(line) == 0 {
		return nil
	}
	var args []string
	for arg := range bytes.SplitSeq(line, []byte{0}) {
		args = append(args, string(arg))
	}
	return args
}

// Tree returns the processes of all that descend from root, root first.
func Tree(all []Process, root int) []Process {
	children := make(map[int][]Process)
	var tree []Process
	for _, p := range all {
		if p.PID == root {
			tree = append(tree, p)
			continue
		}
		children[p.Parent] = append(children[p.Parent], p)
	}
	// Breadth first; a row joins once, as each has one parent and root is not
	// among the children.
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i].PID]...)
	}
	return tree
}
