//go:build unix

package apptest

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, as hosts do.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to the whole group that cmd leads.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) error {
	return syscall.Kill(-cmd.Process.Pid, sig)
}
