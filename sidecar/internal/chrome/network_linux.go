package chrome

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// listenLoopback brings up the loopback interface of the calling thread's
// network namespace and listens on a free port of 127.0.0.1. It uses bare
// system calls: package net probes, once for the whole process, what the
// network can do, and would judge by a namespace that has nothing.
func listenLoopback() (fd int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open socket: %w", err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return -1, err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return -1, fmt.Errorf("read loopback: %w", err)
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return -1, fmt.Errorf("bring loopback up: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return -1, fmt.Errorf("bind to loopback: %w", err)
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return -1, fmt.Errorf("listen on loopback: %w", err)
	}
	return fd, nil
}

// listenerOf makes a listener of a socket and takes it over. It can be used
// from any thread: the namespace is the socket's.
func listenerOf(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "egress listener")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("take over listener: %w", err)
	}
	return l, nil
}
