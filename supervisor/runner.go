package supervisor

import (
	"context"
	"io"

	"github.com/pillion-browser/pillion/proto"
)

// Runner starts sidecars somewhere: as a process of this machine
// ([ExecRunner]), in a container, in a pod. It carries the bytes and knows
// nothing of what they mean.
//
// A Runner must be safe for concurrent use: one Supervisor starts many
// browsers with it.
type Runner interface {
	// Start runs the sidecar with the arguments args ("serve", "doctor") and
	// returns once it runs, not once it is ready. config is what the sidecar
	// reads first on its standard input, or from a file of the runner's making;
	// nil means an input that is empty and closed. config holds secrets: it may
	// not end up in arguments, in the environment or in a log.
	//
	// ctx bounds Start alone: a process that Start has returned lives on.
	// A failed Start leaves nothing running.
	Start(ctx context.Context, args []string, config []byte) (Process, error)

	// ChildAddr translates a "host:port" that this process can reach into what
	// the child must dial for the same place. Used for the app's URL and the
	// recording's before the start.
	ChildAddr(hostAddr string) (string, error)

	// Diagnose tells what a person should know about the place where the
	// sidecar was to run, as one or more lines for the end of an error message:
	// the binary, its owner and mode, the image, the node. Empty when there is
	// nothing to tell.
	Diagnose(ctx context.Context) string
}

// Process is one sidecar that a [Runner] started.
type Process interface {
	// ID names the process for people and logs: a pid, a container's name.
	ID() string

	// Stdin carries commands after the config, one line each. Closing it is
	// the lifeline's end: the sidecar takes it for the death of its host.
	// Close unblocks a Write that waits for a sidecar which doesn't read.
	Stdin() io.WriteCloser

	// Stdout and Stderr are read to their end by the supervisor, for as long as
	// the process lives. Close unblocks a Read.
	Stdout() io.ReadCloser
	Stderr() io.ReadCloser

	// Wait blocks until the process has ended and everything that it left in
	// its process group (container, pod) is gone too. It returns nil for exit
	// status 0, else an error that says how it ended ("exit status 1"). It is
	// called exactly once, and does not wait for Stdout and Stderr.
	Wait() error

	// Terminate asks the process and its group to end, Kill ends them. Both
	// return at once, and do nothing after the end.
	Terminate() error
	Kill() error

	// HostAddr translates a "host:port" on which the child listens into what
	// this process must dial to reach it.
	HostAddr(childAddr string) (string, error)
}

// Mute is a [Process] that commands don't reach, for want of a standard input. Extend
// and Revoke fail with [proto.CodeUnsupported] then, and a stop terminates it at once.
type Mute interface {
	Process
	// Mute says why, as a clause: "a pod has no standard input".
	Mute() string
}

// Placer is a [Runner] where a sidecar can't pick its port by itself: the way
// to it has to be laid before it starts.
type Placer interface {
	Runner
	// Place says where the sidecar of this launch is to listen (Host, Port and
	// AllowedHosts of the result), and returns the runner for this one start.
	// ctx ends with the start, whether it came to Runner.Start or not.
	Place(ctx context.Context, launch proto.Launch) (proto.Launch, Runner, error)
}
