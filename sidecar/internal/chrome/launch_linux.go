package chrome

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lacking is what this system can't do for Chromium's isolation.
const lacking = ""

// places are the ways to a private network on Linux, cheapest first.
func places(user *User) []place {
	return []place{&ownThread{}, &helper{user: user}}
}

// sharedNetwork is the sidecar's own network.
type sharedNetwork struct{}

func (sharedNetwork) open(context.Context, *pipes) (net.Listener, error) {
	return net.Listen("tcp4", "127.0.0.1:0")
}

func (sharedNetwork) start(o order, p *pipes) (*os.Process, error) { return fork(o, p) }

func (sharedNetwork) close() {}

// ownThread takes the keeper's thread, and so the children that it makes, into
// a new network namespace. It needs CAP_SYS_ADMIN.
type ownThread struct{}

func (*ownThread) open(context.Context, *pipes) (net.Listener, error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("unshare the network: %w", err)
	}
	fd, err := listenLoopback()
	if err != nil {
		return nil, err
	}
	return listenerOf(fd)
}

func (*ownThread) start(o order, p *pipes) (*os.Process, error) { return fork(o, p) }

func (*ownThread) close() {}

// fork starts Chromium as a child of the calling thread.
func fork(o order, p *pipes) (*os.Process, error) {
	cmd := exec.Command(o.path, o.args...)
	cmd.Dir = o.dir
	cmd.Env = o.env
	wire(cmd, p)
	asUser(cmd, o.user)
	cmd.SysProcAttr.Setsid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Process, nil
}

// wire gives a child its ends of the pipes: 3 to read commands, 4 to write
// events, 1 and 2 for what it has to say to people.
func wire(cmd *exec.Cmd, p *pipes) {
	cmd.Stdout, cmd.Stderr = p.output.w, p.output.w
	cmd.ExtraFiles = []*os.File{p.commands.r, p.events.w}
}

// asUser makes cmd run as a dedicated user without any groups.
func asUser(cmd *exec.Cmd, user *User) {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if user != nil && user.Dedicated {
		cmd.SysProcAttr.Credential = &syscall.Credential{
			Uid: uint32(user.UID), Gid: uint32(user.GID), Groups: []uint32{},
		}
	}
}

// outlive waits for the browser's end, ends what it left, and reaps it. The
// dead child keeps its id until it is reaped, so until then the id names its
// group and session and nobody else's.
func (p *Process) outlive(child *os.Process) (*os.ProcessState, error) {
	awaitExit(child)
	killGroup(child)
	p.mop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
	return child.Wait()
}

// mopWithin bounds the hunt for what a dead browser left behind, mostly crash
// handlers, which end by themselves within a second.
const mopWithin = time.Second

// mop ends what a dead browser left behind.
func (p *Process) mop() {
	ctx, cancel := context.WithTimeout(context.Background(), mopWithin)
	defer cancel()
	left, err := p.claim.Hunt(ctx)
	if err != nil || left != nil {
		p.log.Warn("processes of Chromium may be left", "count", len(left), "error", err)
	}
}

// awaitExit returns when the child is dead, and leaves it to be reaped.
func awaitExit(child *os.Process) {
	for {
		err := unix.Waitid(unix.P_PID, child.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// killGroup kills every process of the group that child leads.
func killGroup(child *os.Process) { unix.Kill(-child.Pid, unix.SIGKILL) }

// shmEnough is what Chromium's shared memory may need; containers come with
// 64 MB unless told otherwise, and a page then dies in mid-work.
const shmEnough = 512 << 20

// smallShm reports whether /dev/shm is missing or too small.
func smallShm() bool {
	var fs unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &fs); err != nil {
		return true
	}
	return uint64(fs.Bsize)*fs.Blocks < shmEnough
}
