//go:build unix

package chrome

import "syscall"

// filesLimit is how many files each of the browser's processes may have open,
// when Chromium has raised it as far as it may; 0 where that is unknown.
func filesLimit() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return uint64(l.Max)
}
