package proc

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Seal keeps every descriptor from first on from being inherited by programs
// that this process starts from now on. Ours are opened that way; this is for
// those that a careless parent left open in us.
func Seal(first int) {
	if unix.CloseRange(uint(first), ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	// Kernels before 5.11 can't; the table of descriptors can be read there.
	dir, err := os.Open(filepath.Join(root, "self", "fd"))
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}
