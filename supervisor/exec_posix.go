//go:build unix && !linux

package supervisor

import (
	"os/exec"
	"syscall"
)

func lockThread() (unlock func()) { return func() {} }

// setProcessGroup makes the child the leader of a group of its own. These
// systems have no parent death signal; the lifeline does its work.
func setProcessGroup(cmd *exec.Cmd, _ syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// awaitExit can't be had here without reaping the child: waitid also returns
// when the child is merely stopped. The group is then signalled just after the
// child was reaped.
func awaitExit(int) bool { return false }
