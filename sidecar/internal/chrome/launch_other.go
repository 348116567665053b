//go:build !linux

package chrome

import (
	"context"
	"net"
	"os"
	"os/exec"
)

// lacking is what this system can't do for Chromium's isolation.
const lacking = "network namespaces, parent-death signals and users of the browser's own exist on Linux only"

func places(*User) []place { return nil }

// sharedNetwork is the sidecar's own network.
type sharedNetwork struct{}

func (sharedNetwork) open(context.Context, *pipes) (net.Listener, error) {
	return net.Listen("tcp4", "127.0.0.1:0")
}

// start relies on the end of the pipe to end a browser whose sidecar died. On
// Windows it fails, as children get no further files there.
func (sharedNetwork) start(o order, p *pipes) (*os.Process, error) {
	cmd := exec.Command(o.path, o.args...)
	cmd.Dir = o.dir
	cmd.Env = o.env
	cmd.Stdout, cmd.Stderr = p.output.w, p.output.w
	cmd.ExtraFiles = []*os.File{p.commands.r, p.events.w}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Process, nil
}

func (sharedNetwork) close() {}

func asUser(*exec.Cmd, *User) {}

// outlive waits for the browser's end. Its children end by themselves when
// their connection to it breaks.
func (p *Process) outlive(child *os.Process) (*os.ProcessState, error) {
	state, err := child.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
	return state, err
}

func killGroup(child *os.Process) { child.Kill() }

func smallShm() bool { return false }
