package proc

import (
	"bufio"
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
	maps, err := os.Open(filepath.Join(root, "self", "maps"))
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if from, to, ok := programPages(lines.Text(), self); ok {
			forget(from, to)
		}
	}
}

// programPages reads one line of a memory map and tells the bounds of pages that
// are the file path's and that nobody may have written to: what is forgotten of
// them is the same when it is read again.
func programPages(line, path string) (from, to uintptr, ok bool) {
	f := strings.Fields(line)
	if len(f) < 6 || strings.Join(f[5:], " ") != path {
		return 0, 0, false
	}
	if mode := f[1]; len(mode) != 4 || mode[0] != 'r' || mode[1] == 'w' || mode[3] != 'p' {
		return 0, 0, false
	}
	a, b, _ := strings.Cut(f[0], "-")
	low, err1 := strconv.ParseUint(a, 16, 64)
	high, err2 := strconv.ParseUint(b, 16, 64)
	if err1 != nil || err2 != nil || low >= high {
		return 0, 0, false
	}
	return uintptr(low), uintptr(high), true
}

// forget unmaps the pages, not the mapping. A failure costs memory and nothing else.
func forget(from, to uintptr) {
	unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
}
