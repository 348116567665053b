package supervisor

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

func lockThread() (unlock func()) { return func() {} }

// setProcessGroup keeps the host's console Ctrl-C from the child. Windows has
// neither Unix process groups nor a parent death signal: Kill ends the sidecar
// alone, and Chromium ends by itself when its pipe closes.
func setProcessGroup(cmd *exec.Cmd, _ syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func awaitExit(int) bool { return false }

// terminateGroup sends Ctrl-Break, which Go programs receive as an interrupt.
func terminateGroup(p *os.Process) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid))
}

func killGroup(p *os.Process) error { return p.Kill() }
