//go:build unix

package hostapi_test

import (
	"fmt"
	"os"
	"syscall"
)

// lock takes a file for this process alone; the kernel gives it back when the
// process dies, whatever way that is.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("another browser has it: %w", err)
	}
	return func() { f.Close() }, nil
}
