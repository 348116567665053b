package supervisor

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockThread ties the calling goroutine to its thread.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// setProcessGroup makes the child the leader of a group of its own.
func setProcessGroup(cmd *exec.Cmd, parentDeath syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: parentDeath}
}

// awaitExit blocks until the child has ended, without reaping it: until it is
// reaped, its pid, and so its group's number, can't be given to another
// process. It reports whether it could.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
