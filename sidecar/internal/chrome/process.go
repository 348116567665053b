package chrome

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

const (
	// termGrace is how long a browser may take after SIGTERM: the shell needs
	// 75 ms, full Chromium up to 1.6 s when it writes a profile that nobody
	// will read.
	termGrace = time.Second
	// killWithin bounds the wait for a browser that was killed: 1.5 s at worst
	// on a loaded machine, the rest is for a disk that hangs.
	killWithin = 3 * time.Second
	// explainWithin is how long a broken conversation waits for the browser's
	// exit status, which follows the end of the pipe at once.
	explainWithin = time.Second
)

// Process is one running Chromium with all its children.
type Process struct {
	log       *slog.Logger
	meant     []string // the command line that was asked for
	noSandbox bool
	trusted   string // key
	claim     proc.Claim
	output    tail
	finish    func()
	transport *chromedp.PipeConn
	private   bool

	done   chan struct{}
	exit   *proto.Error // set before done is closed
	ending atomic.Bool  // somebody asked for the end

	mu     sync.Mutex
	child  *os.Process
	reaped bool // the id may belong to somebody else
}

func newProcess(o Options, meant []string) *Process {
	return &Process{
		log:       o.Log,
		meant:     meant,
		noSandbox: o.DangerouslyNoSandbox,
		trusted:   o.TrustedKey,
		claim:     proc.Claim{UID: o.User.UID, Dedicated: o.User.Dedicated, Profile: o.Profile},
		done:      make(chan struct{}),
	}
}

// begin takes over a child that executes. The keeper calls it.
func (p *Process) begin(child *os.Process, pipes *pipes) {
	p.mu.Lock()
	p.child = child
	p.mu.Unlock()
	p.claim.Leader = child.Pid
	if row, err := proc.Read(child.Pid); err == nil {
		p.claim.LeaderStart = row.Start
	}
	p.transport = chromedp.NewPipeConn(newSieve(pipes.events.r, p.log), pipes.commands.w)
	p.finish = p.output.follow(pipes.output.r)
}

// attend waits for the browser's end and clears up after it. The keeper calls
// it, on the thread that started the child.
func (p *Process) attend(child *os.Process) {
	defer close(p.done)
	state, err := p.outlive(child)
	p.finish()
	if p.ending.Load() {
		return
	}
	how := "unknown"
	if err == nil {
		how = state.String()
	}
	p.exit = exitError(how, p.output.String(), filesLimit())
}

// Transport is the conversation with the browser, made for package cdp. Its
// user closes it; closing it ends the browser.
func (p *Process) Transport() chromedp.Transport { return p.transport }

// PID is the browser process, which leads a session and a process group.
func (p *Process) PID() int { return p.claim.Leader }

// PrivateNetwork reports whether this Chromium has a network namespace of its
// own.
func (p *Process) PrivateNetwork() bool { return p.private }

// Done is closed when the browser and everything that it started are gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitError says why the browser ended: nil while it runs and when Stop or
// Kill ended it, else a *proto.Error with code browser_exited or
// sandbox_unavailable.
func (p *Process) ExitError() error {
	select {
	case <-p.done:
		if p.exit != nil {
			return p.exit
		}
	default:
	}
	return nil
}

// Explain turns the failure of a conversation into its reason: the exit of the
// browser when it ends within a moment, err itself when it does not.
func (p *Process) Explain(err error) error {
	select {
	case <-p.done:
		if exit := p.ExitError(); exit != nil {
			return exit
		}
	case <-time.After(explainWithin):
	}
	return err
}

// Output is the end of what the browser wrote to stdout and stderr. It is
// text of a program that loads foreign pages: for people's eyes only.
func (p *Process) Output() string { return p.output.String() }

// Kill ends the browser and everything that it started by force and waits, at
// most killWithin, until they are gone.
func (p *Process) Kill() {
	p.ending.Store(true)
	p.signal(os.Kill, killGroup)
	select {
	case <-p.done:
	case <-time.After(killWithin):
		p.log.Error("Chromium does not die", "pid", p.PID())
	}
}

// Stop ends the browser: politely at first, by force after termGrace or when
// ctx ends. The error says that something is left even so.
func (p *Process) Stop(ctx context.Context) error {
	p.ending.Store(true)
	p.signal(syscall.SIGTERM, nil)
	select {
	case <-p.done:
		return nil
	case <-time.After(termGrace):
	case <-ctx.Done():
	}
	p.Kill()
	select {
	case <-p.done:
		return nil
	default:
		return fmt.Errorf("stop Chromium: process %d does not die", p.PID())
	}
}

// signal sends sig to the browser, or lets group act on it, unless it has been
// waited for.
func (p *Process) signal(sig os.Signal, group func(*os.Process)) {
	// The lock is held elsewhere only while a child is waited for that is dead,
	// so nobody waits here for long.
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return
	}
	if group != nil {
		group(p.child)
		return
	}
	p.child.Signal(sig)
}

// CheckCommandLine compares what runs with what was meant: on the browser
// process every wall's switch must stand once with our value, and no process
// of the tree may carry a switch that takes a wall away. The error is a
// *proto.Error with code browser_unguarded. Where the system shows no command
// lines it checks nothing.
func (p *Process) CheckCommandLine() error {
	all, err := proc.List()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return unguarded(fmt.Errorf("the process table can't be read: %w", err))
	}
	running := proc.Args(p.PID())
	if running == nil {
		// It may just have ended, which says more.
		return p.Explain(unguarded(errors.New("the browser process can't be read")))
	}
	if err := judgeBrowser(running, p.meant); err != nil {
		return unguarded(err)
	}
	for _, child := range proc.Tree(all, p.PID()) {
		if err := judgeAny(proc.Args(child.PID), p.noSandbox, p.trusted); err != nil {
			return unguarded(fmt.Errorf("process %d: %w", child.PID, err))
		}
	}
	return nil
}

func unguarded(err error) error {
	return &proto.Error{
		Code:    proto.CodeBrowserUnguarded,
		Message: "Chromium does not run with the command line that it was given: " + err.Error(),
		Hint:    "Name the browser's real executable in chromium_path; a launcher script may add switches",
	}
}
