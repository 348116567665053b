//go:build !unix

package apptest

import (
	"os/exec"
	"syscall"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// signalGroup signals the process alone.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) error { return cmd.Process.Signal(sig) }
