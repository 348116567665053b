package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// ExecRunner runs the sidecar as a child process of this one, on this machine.
// The zero value runs the sidecar that belongs to this program: the file
// "sidecar" next to this program's own executable, else the one on PATH.
//
// The child leads a process group of its own, so that a Ctrl-C in the host's
// terminal does not reach it behind the host's back. The config goes through a
// pipe. The environment holds the variables of [ExecRunner.Env] only.
type ExecRunner struct {
	// Command is the sidecar's file, or a name to look up on PATH.
	Command string

	// Args stand before the arguments that the supervisor adds: for a wrapper
	// such as nice or systemd-run with Command naming the wrapper.
	Args []string

	// Env adds variables ("KEY=value") to those that are passed on. Of this
	// process's own environment the child gets, where set: PATH, HOME, USER,
	// LOGNAME, LANG, LANGUAGE, LC_*, TZ, TMPDIR, DISPLAY, WAYLAND_DISPLAY,
	// XAUTHORITY, XDG_RUNTIME_DIR, XDG_CACHE_HOME, XDG_CONFIG_DIRS,
	// XDG_DATA_DIRS, FONTCONFIG_FILE, FONTCONFIG_PATH and
	// PLAYWRIGHT_BROWSERS_PATH (where a browser may be installed); on Windows
	// also what its programs can't start without. Nothing else: not the host's
	// credentials, and not its proxy settings.
	Env []string

	// Dir is the child's working directory; "" means the host's own.
	Dir string

	// ParentDeathSignal, when not 0, is sent to the child by the kernel the
	// moment this process dies, on Linux (elsewhere it has no effect). The
	// lifeline already ends an orphaned sidecar in good order; a SIGKILL here
	// also ends one that hangs, at the price of the recording's last moments.
	ParentDeathSignal syscall.Signal

	// Name tells this host's sidecars from those of others, for Sweep, on Linux. ""
	// marks nothing and sweeps nothing. It is readable in the sidecar's environment.
	Name string
}

var _ Sweeper = (*ExecRunner)(nil)

// Start finds the sidecar and runs it. Its errors are *proto.Error: not found
// (naming the places tried), or found and not executable.
func (r *ExecRunner) Start(ctx context.Context, args []string, config []byte) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, err := locate(r.Command)
	if err != nil {
		return nil, err
	}
	if err := checkDir(r.Dir); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, append(append([]string{}, r.Args...), args...)...)
	cmd.Env = append(append(inherited(os.Environ()), r.Env...), hostMark(r.Name)...)
	cmd.Dir = r.Dir
	p, err := newExecProcess(cmd, config)
	if err != nil {
		return nil, fmt.Errorf("make pipes for %s: %w", path, err)
	}
	started := make(chan error)
	go p.run(r.ParentDeathSignal, started)
	if err := <-started; err != nil {
		p.closeParentEnds()
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOEXEC) {
			return nil, notExecutable(path, err)
		}
		return nil, err
	}
	return p, nil
}

// checkDir exists because the system blames the command for a working
// directory that isn't there.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("enter the working directory: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("enter the working directory: %s is not a directory", dir)
	}
	return nil
}

// ChildAddr returns hostAddr: the child shares this machine's network.
func (r *ExecRunner) ChildAddr(hostAddr string) (string, error) { return hostAddr, nil }

// Diagnose describes the file that was or would have been run.
func (r *ExecRunner) Diagnose(context.Context) string {
	path, err := locate(r.Command)
	if err != nil {
		return ""
	}
	notes := []string{"command: " + strings.Join(append([]string{path}, r.Args...), " ")}
	if info, err := os.Stat(path); err == nil {
		notes = append(notes, fmt.Sprintf("file: %s, %d bytes, changed %s", info.Mode(), info.Size(),
			info.ModTime().UTC().Format("2006-01-02 15:04:05 MST")))
	}
	return strings.Join(notes, "\n")
}

// execProcess is a child process. One goroutine, run, starts it, waits for it
// and owns the goroutine that writes the config.
type execProcess struct {
	cmd    *exec.Cmd
	stdin  *configThenCommands
	stdout *os.File
	stderr *os.File
	child  []*os.File // the child's ends of the pipes

	ended chan struct{} // closed when the child is reaped
	err   error         // how it ended; read after ended

	mu     sync.Mutex // held while a signal is sent, so that none goes to a reaped pid
	reaped bool
}

func newExecProcess(cmd *exec.Cmd, config []byte) (p *execProcess, err error) {
	p = &execProcess{cmd: cmd, ended: make(chan struct{})}
	// Pipes of our own rather than cmd.StdoutPipe: its Wait closes them, and the
	// last lines of a child that has just ended would be lost.
	var files []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, err
		}
		files = append(files, r, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[3], files[5]
	p.child = []*os.File{files[0], files[3], files[5]}
	p.stdin = &configThenCommands{file: files[1], config: config, written: make(chan struct{})}
	p.stdout, p.stderr = files[2], files[4]
	return p, nil
}

// run starts the child, reports that on started, and waits for its end.
// With a parent death signal it must stay on one thread from the fork to the
// wait: the kernel sends that signal when the forking thread ends.
func (p *execProcess) run(parentDeath syscall.Signal, started chan<- error) {
	defer close(p.ended)
	if parentDeath != 0 {
		unlock := lockThread()
		defer unlock()
	}
	setProcessGroup(p.cmd, parentDeath)
	err := p.cmd.Start()
	for _, f := range p.child {
		f.Close()
	}
	if err != nil {
		p.reaped = true
		started <- err
		return
	}
	var writer sync.WaitGroup
	writer.Go(p.stdin.writeConfig)
	started <- nil

	unreaped := awaitExit(p.cmd.Process.Pid)
	if !unreaped {
		p.err = p.cmd.Wait()
	}
	p.mu.Lock()
	killGroup(p.cmd.Process) // whatever it left in its group
	p.reaped = true
	p.mu.Unlock()
	if unreaped {
		p.err = p.cmd.Wait()
	}
	p.stdin.Close()
	writer.Wait()
}

func (p *execProcess) ID() string            { return strconv.Itoa(p.cmd.Process.Pid) }
func (p *execProcess) Stdin() io.WriteCloser { return p.stdin }
func (p *execProcess) Stdout() io.ReadCloser { return p.stdout }
func (p *execProcess) Stderr() io.ReadCloser { return p.stderr }

func (p *execProcess) Wait() error {
	<-p.ended
	return p.err
}

func (p *execProcess) Terminate() error { return p.signal(terminateGroup) }
func (p *execProcess) Kill() error      { return p.signal(killGroup) }

func (p *execProcess) signal(send func(*os.Process) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	if err := send(p.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal process group %d: %w", p.cmd.Process.Pid, err)
	}
	return nil
}

func (p *execProcess) HostAddr(childAddr string) (string, error) { return childAddr, nil }

func (p *execProcess) closeParentEnds() {
	<-p.ended
	p.stdin.Close()
	p.stdout.Close()
	p.stderr.Close()
}

// configThenCommands is the child's standard input: the config first, whatever
// else is written after it.
type configThenCommands struct {
	file    *os.File
	config  []byte
	written chan struct{} // closed when the config is out, or can't be
	close   sync.Once
}

// writeConfig feeds the config; a child that doesn't read keeps it waiting
// until Close. Without a config the input is closed at once.
func (c *configThenCommands) writeConfig() {
	defer close(c.written)
	if c.config == nil {
		c.Close()
		return
	}
	// A failure is not reported: the child has closed its input or has ended,
	// and says more about it by its exit than EPIPE does.
	c.file.Write(append(c.config, '\n'))
}

func (c *configThenCommands) Write(line []byte) (int, error) {
	<-c.written
	return c.file.Write(line)
}

func (c *configThenCommands) Close() (err error) {
	c.close.Do(func() { err = c.file.Close() })
	return err
}
