package janitor

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownerOf is the user that a file belongs to.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// groupOf is the group that a file belongs to.
func groupOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Gid)
	}
	return -1
}

// lockDir takes the lock of a directory of ours, for as long as the file is
// open in this process; it is not inherited. It waits for a sweep that looks at
// the directory just now, finds no record in it and goes on.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fmt.Errorf("lock directory: %w", err)
	}
	return lockFile(f, unix.LOCK_EX)
}

// lockIn takes the lock of an opened directory, unless somebody has it.
func lockIn(root *os.Root) (*os.File, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("lock directory: %w", err)
	}
	return lockFile(f, unix.LOCK_EX|unix.LOCK_NB)
}

func lockFile(f *os.File, how int) (*os.File, error) {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if err == nil {
			return f, nil
		}
		if err != unix.EINTR {
			f.Close()
			return nil, fmt.Errorf("lock directory: %w", err)
		}
	}
}

// bootID names this boot of the machine; process start times mean something
// within it alone.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// apart starts a command in a session of its own, so that no signal to the
// sidecar's group or terminal reaches it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// selfPath is this program, also after its file was replaced.
func selfPath() (string, error) { return "/proc/self/exe", nil }

// nameProcess is what ps and top show: of a program started through a link in
// /proc they would say "exe".
func nameProcess(name string) { os.WriteFile("/proc/self/comm", []byte(name), 0) }
