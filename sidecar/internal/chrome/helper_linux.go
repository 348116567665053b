package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helperArg is the hidden first argument that makes this program the helper of
// another sidecar: a process that the kernel starts in new user and network
// namespaces, that listens there, hands the listener out, and becomes Chromium.
// A program with threads can't enter a user namespace itself, which is the only
// way for an ordinary user to a network of one's own.
const helperArg = "__chromium"

// helperWithin bounds each answer of the helper, which needs 10 to 20 ms.
const helperWithin = 5 * time.Second

// controlFD is the helper's end of the socket pair: the first descriptor after
// Chromium's two pipes.
const controlFD = 5

// helper is the place that a helper process makes.
type helper struct {
	user    *User
	cmd     *exec.Cmd
	control *net.UnixConn
}

// brief is what the helper is told.
type brief struct {
	Parent int
	Path   string
	Args   []string
	Env    []string
	Dir    string
}

func (h *helper) open(ctx context.Context, p *pipes) (net.Listener, error) {
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	h.control = ours

	h.cmd = exec.Command("/proc/self/exe", helperArg)
	h.cmd.Args[0] = "sidecar"
	h.cmd.Dir = "/"
	h.cmd.Env = []string{}
	wire(h.cmd, p)
	h.cmd.ExtraFiles = append(h.cmd.ExtraFiles, theirs)
	h.cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true,
		Pdeathsig:  syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		// The user is the same inside and outside, so files keep their owner.
		UidMappings: []syscall.SysProcIDMap{{ContainerID: h.user.UID, HostID: h.user.UID, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: h.user.GID, HostID: h.user.GID, Size: 1}},
		// To bring the loopback interface up; gone before Chromium runs.
		AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
	}
	if h.user.Dedicated {
		h.cmd.SysProcAttr.GidMappingsEnableSetgroups = true
		h.cmd.SysProcAttr.Credential = &syscall.Credential{
			Uid: uint32(h.user.UID), Gid: uint32(h.user.GID), Groups: []uint32{},
		}
	}
	if err := h.cmd.Start(); err != nil {
		h.control.Close()
		return nil, fmt.Errorf("start a process in a user namespace: %w", err)
	}
	l, err := h.receive(ctx)
	if err != nil {
		h.close()
		return nil, err
	}
	return l, nil
}

// receive waits for the listener.
func (h *helper) receive(ctx context.Context) (net.Listener, error) {
	stop := context.AfterFunc(ctx, func() { h.control.SetReadDeadline(time.Now()) })
	defer stop()
	h.control.SetReadDeadline(time.Now().Add(helperWithin))
	text := make([]byte, 1024)
	rights := make([]byte, unix.CmsgSpace(4))
	n, rn, _, _, err := h.control.ReadMsgUnix(text, rights)
	if err != nil {
		return nil, fmt.Errorf("hear from the process in a user namespace: %w", err)
	}
	if rn == 0 {
		return nil, fmt.Errorf("make a network in a user namespace: %s", text[:n])
	}
	messages, err := unix.ParseSocketControlMessage(rights[:rn])
	if err != nil || len(messages) != 1 {
		return nil, fmt.Errorf("receive listener: %v", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, fmt.Errorf("receive listener: %v", err)
	}
	unix.CloseOnExec(fds[0])
	return listenerOf(fds[0])
}

func (h *helper) start(o order, _ *pipes) (*os.Process, error) {
	err := h.exec(o)
	if err != nil {
		h.close()
		return nil, err
	}
	h.control.Close()
	return h.cmd.Process, nil
}

// exec tells the helper what to become and waits until it has: success closes
// the helper's end of the socket, failure is a message.
func (h *helper) exec(o order) error {
	text, err := json.Marshal(brief{
		Parent: os.Getpid(), Path: o.path, Args: append([]string{o.path}, o.args...), Env: o.env, Dir: o.dir,
	})
	if err != nil {
		return fmt.Errorf("write helper's brief: %w", err)
	}
	h.control.SetDeadline(time.Now().Add(helperWithin))
	if _, err := h.control.Write(text); err != nil {
		return fmt.Errorf("brief the helper: %w", err)
	}
	answer := make([]byte, 16)
	n, err := h.control.Read(answer)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("hear from the helper: %w", err)
	}
	var number int
	if err := json.Unmarshal(answer[:n], &number); err != nil {
		return fmt.Errorf("hear from the helper: %w", err)
	}
	return &os.PathError{Op: "exec", Path: o.path, Err: syscall.Errno(number)}
}

// close ends a helper that will not become Chromium.
func (h *helper) close() {
	h.control.Close()
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

// controlPair makes the socket pair between sidecar and helper. Its messages
// keep their bounds.
func controlPair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make socket pair: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "helper's control")
	f := os.NewFile(uintptr(fds[0]), "control")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("make socket pair: %w", err)
	}
	return conn.(*net.UnixConn), theirs, nil
}
