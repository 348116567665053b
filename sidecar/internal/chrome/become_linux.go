package chrome

import (
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// briefBytes bounds the helper's brief; a command line has 4 KiB.
const briefBytes = 128 << 10

// HelperMain runs the helper when argv, which is os.Args, asks for it. Main
// functions, and tests that start Chromium, call it before anything else and
// exit with code when it was handled.
func HelperMain(argv []string) (code int, handled bool) {
	if len(argv) != 2 || argv[1] != helperArg {
		return 0, false
	}
	// The parent-death signal belongs to the thread that executes Chromium.
	runtime.LockOSThread()
	return become(), true
}

// become makes the listener, hands it out and executes Chromium. It returns
// only when something failed, which the parent has been told, or when the
// parent gave up.
func become() int {
	// Nobody but the sidecar holds the other end; if it is missing, a person
	// typed the hidden argument.
	if kind, err := unix.GetsockoptInt(controlFD, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || kind != unix.SOCK_SEQPACKET {
		os.Stderr.WriteString("this argument is for the sidecar's own use\n")
		return 2
	}
	proc.Seal(controlFD)
	fd, err := listenLoopback()
	if err != nil {
		unix.Send(controlFD, []byte(err.Error()), unix.MSG_NOSIGNAL)
		return 1
	}
	if err := unix.Sendmsg(controlFD, []byte{0}, unix.UnixRights(fd), nil, unix.MSG_NOSIGNAL); err != nil {
		return 1
	}
	text := make([]byte, briefBytes)
	n, err := unix.Read(controlFD, text)
	if err != nil || n == 0 {
		return 0
	}
	var b brief
	if err := json.Unmarshal(text[:n], &b); err != nil {
		return 1
	}
	err = execute(b)
	number, _ := err.(syscall.Errno)
	unix.Send(controlFD, []byte(strconv.Itoa(int(number))), unix.MSG_NOSIGNAL)
	return 1
}

// execute turns the process into Chromium: without capabilities, tied to the
// sidecar's life.
func execute(b brief) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	// The sidecar may have died before the signal was armed.
	if os.Getppid() != b.Parent {
		return syscall.ESRCH
	}
	if err := unix.Chdir(b.Dir); err != nil {
		return err
	}
	return syscall.Exec(b.Path, b.Args, b.Env)
}
