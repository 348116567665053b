package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// root is where Linux shows its processes.
const root = "/proc"

// pids are the ids in the process table.
func pids() ([]int, error) {
	dir, err := os.Open(root)
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	list := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			list = append(list, pid)
		}
	}
	return list, nil
}

// List returns the process table. Processes that end while it is read are left
// out.
func List() ([]Process, error) {
	list, err := pids()
	if err != nil {
		return nil, err
	}
	table := make([]Process, 0, len(list))
	for _, pid := range list {
		if p, err := Read(pid); err == nil {
			table = append(table, p)
		}
	}
	return table, nil
}

// Users returns the effective users of the running processes. It costs a third
// of List.
func Users() (map[int]bool, error) {
	list, err := pids()
	if err != nil {
		return nil, err
	}
	users := make(map[int]bool)
	for _, pid := range list {
		users[userOf(filepath.Join(root, strconv.Itoa(pid)))] = true
	}
	return users, nil
}

// userOf is the effective user of the process with this directory, -1 when it
// is gone. The directory belongs to the user even when the files in it are
// root's because the process is not dumpable.
func userOf(dir string) int {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return -1
	}
	return int(st.Uid)
}

// Read returns the row of one process.
func Read(pid int) (Process, error) {
	dir := filepath.Join(root, strconv.Itoa(pid))
	row, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	p, err := parseStat(row)
	if err != nil {
		return Process{}, fmt.Errorf("read process %d: %w", pid, err)
	}
	p.UID = userOf(dir)
	return p, nil
}

// Args returns the command line of a process, nil when it is gone or may not
// be read.
func Args(pid int) []string {
	line, err := os.ReadFile(filepath.Join(root, strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return nil
	}
	return splitArgs(line)
}

// Status returns the fields of /proc/<pid>/status, such as "Seccomp".
func Status(pid int) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, strconv.Itoa(pid), "status"))
	if err != nil {
		return nil, fmt.Errorf("read process %d: %w", pid, err)
	}
	fields := make(map[string]string)
	for line := range bytes.Lines(text) {
		if key, value, ok := strings.Cut(string(line), ":"); ok {
			fields[key] = strings.TrimSpace(value)
		}
	}
	return fields, nil
}

// Namespace returns the identity of a process's namespace ("user", "pid",
// "net"), "" when it may not be read.
func Namespace(pid int, kind string) string {
	link, err := os.Readlink(filepath.Join(root, strconv.Itoa(pid), "ns", kind))
	if err != nil {
		return ""
	}
	return link
}

// kill ends one process by force, if it is still the one that was seen. A
// process descriptor pins the process between the second look and the signal.
func kill(p Process) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil {
		// No descriptors on kernels before 5.3, nor under some filters.
		if err == unix.ENOSYS || err == unix.EPERM {
			unix.Kill(p.PID, unix.SIGKILL)
		}
		return
	}
	defer unix.Close(fd)
	if now, err := Read(p.PID); err != nil || now.Start != p.Start {
		return
	}
	unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
}
