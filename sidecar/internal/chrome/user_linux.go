package chrome

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// reserveUser takes uid for this sidecar: a socket bound to a name outside the
// file system, which the kernel frees when the last holder is gone, however it
// dies. There is no file to leave behind.
func reserveUser(uid int) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve user %d: %w", uid, err)
	}
	name := "@pillion-browser-user/" + strconv.Itoa(uid)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: name}); err != nil {
		unix.Close(fd)
		if err == unix.EADDRINUSE {
			return nil, errReserved
		}
		return nil, fmt.Errorf("reserve user %d: %w", uid, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// mappedUsers says which ids exist in the sidecar's user namespace, as users
// and as groups.
func mappedUsers() (func(int) bool, error) {
	var known []func(int) bool
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read id map: %w", err)
		}
		in, err := parseIDMap(string(text))
		if err != nil {
			return nil, err
		}
		known = append(known, in)
	}
	return func(id int) bool { return known[0](id) && known[1](id) }, nil
}
