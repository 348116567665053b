package proc

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Trim gives back what this process holds of memory but may not need again: free
// heap, and the pages of its own program, most of which only its start has read.
// Those that it does need come back from the page cache, one by one.
//
// A sidecar is two processes of one program that mostly wait, beside a browser on
// a machine that runs many. Trim is called when a start is over.
func Trim() {
	debug.FreeOSMemory()
	self, err := os.Readlink(filepath.Join(root, "self", "exe"))
	if err != nil {
		return
	}
	maps, err := os.ReadFile(filepath.Join(root, "self", "smaps"))
	if err != nil {
		return
	}
	for _, m := range programPages(string(maps), self) {
		// A failure costs memory and nothing else.
		unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED)
	}
}

// mapping is a part of this process's memory.
type mapping struct{ from, to uintptr }

// programPages finds, in the kernel's account of a process's memory, the mappings of
// the file path of which nothing was ever written: what is forgotten of them is the
// same when it is read again. That they can't be written to now is not enough, since
// a dynamic linker seals what it has written.
func programPages(smaps, path string) (found []mapping) {
	var m mapping
	var candidate bool
	for line := range strings.Lines(smaps) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if !strings.HasSuffix(f[0], ":") {
			m, candidate = readOnly(f, path)
		} else if candidate && f[0] == "Anonymous:" {
			if len(f) == 3 && f[1] == "0" {
				found = append(found, m)
			}
			candidate = false
		}
	}
	return found
}

// readOnly reads the first line of a mapping; ok if it is one of path's that may be
// read and not written.
func readOnly(f []string, path string) (m mapping, ok bool) {
	if len(f) < 6 || strings.Join(f[5:], " ") != path {
		return m, false
	}
	if mode := f[1]; len(mode) != 4 || mode[0] != 'r' || mode[1] == 'w' || mode[3] != 'p' {
		return m, false
	}
	a, b, _ := strings.Cut(f[0], "-")
	from, err1 := strconv.ParseUint(a, 16, 64)
	to, err2 := strconv.ParseUint(b, 16, 64)
	return mapping{uintptr(from), uintptr(to)}, err1 == nil && err2 == nil && from < to
}
