package apptest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// Token is the bearer token of a sidecar under test.
	Token = "aabrw_1234567890abcdefghijkmnopqrstuvwxyzABCD"
	// ReadyLimit is how long a host waits for the ready line.
	ReadyLimit = 60 * time.Second
	// StopLimit is how long a host waits after SIGTERM before it kills. The
	// sidecar's own budget is 8 s.
	StopLimit = 10 * time.Second
	// lastWords is how long the pipes of a dead sidecar are read on, for the
	// case that something still holds them open.
	lastWords = 500 * time.Millisecond
	// stderrKept bounds the tail of the log.
	stderrKept = 256 << 10
)

// Config is a launch config, key by key as on the wire. In what a test passes,
// nil removes a default.
type Config = map[string]any

// Process is a sidecar that runs as a process of its own.
type Process struct {
	Ready   proto.Ready
	MCP     *MCPClient
	Workdir string // the config's workdir, "" when it has none
	PID     int

	t       testing.TB
	grace   time.Duration // of the leak check
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	gone    chan struct{} // closed when the process is dead
	exited  chan struct{} // closed when it is dead and its output read
	first   chan []byte   // the first line of stdout; closed when there is none
	code    int           // valid after gone; -1 for a death by signal
	mu      sync.Mutex
	stdout  []string // whole lines
	stderr  []byte
	events  []proto.Event
	garbage []string // lines of stdout that are no events
}

// Sidecar starts a sidecar and waits for its ready line. The config is a token,
// a fresh workdir, port 0 and a lifeline, plus what the test says; app_url is
// the test's to give. At the end of the test the process is stopped, and the
// test fails when anything of it is left.
func Sidecar(t testing.TB, change ...Config) *Process {
	t.Helper()
	config := Config{"token": Token, "workdir": Workdir(t), "port": 0, "lifeline": true}
	for _, c := range change {
		maps.Copy(config, c)
	}
	maps.DeleteFunc(config, func(_ string, v any) bool { return v == nil })
	b, err := json.Marshal(config)
	if err != nil {
		t.Fatalf("encode config: %v", err)
	}
	p := Spawn(t, b)
	p.Workdir, _ = config["workdir"].(string)
	if lifeline, _ := config["lifeline"].(bool); !lifeline {
		p.CloseStdin()
	}
	token, _ := config["token"].(string)
	p.AwaitReady(token)
	return p
}

// Workdir makes a directory that the sidecar may use: searchable for the
// browser's user, removed with the test.
func Workdir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "work-")
	if err != nil {
		t.Fatalf("make a workdir: %v", err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatalf("open the workdir: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Spawn starts the binary with arguments and writes stdin, which stays open.
// It does not wait for a ready line.
func Spawn(t testing.TB, stdin []byte, args ...string) *Process {
	t.Helper()
	return SpawnCommand(t, exec.Command(Build(t), args...), stdin)
}

// SpawnCommand is Spawn with a command that the test has prepared: its user, its
// environment, its directory (TMPDIR where there is none), and Stdout and Stderr
// where the test reads them itself, or doesn't.
func SpawnCommand(t testing.TB, cmd *exec.Cmd, stdin []byte) *Process {
	t.Helper()
	p := &Process{t: t, grace: LeakGrace, cmd: cmd, gone: make(chan struct{}), exited: make(chan struct{}), first: make(chan []byte, 1)}
	if p.cmd.Dir == "" {
		p.cmd.Dir = os.TempDir()
	}
	ownGroup(p.cmd)
	stdout, outEnd := pipe(t)
	stderr, errEnd := pipe(t)
	if cmd.Stdout == nil {
		cmd.Stdout = outEnd
	}
	if cmd.Stderr == nil {
		cmd.Stderr = errEnd
	}
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatalf("open stdin: %v", err)
	}
	err = p.cmd.Start()
	outEnd.Close()
	errEnd.Close()
	if err != nil {
		t.Fatalf("start the sidecar: %v", err)
	}
	p.PID = p.cmd.Process.Pid
	go p.follow(stdout, stderr)
	t.Cleanup(p.cleanup)
	// A sidecar that dies at once breaks the pipe; its exit tells more.
	p.stdin.Write(append(stdin, '\n'))
	return p
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatalf("make a pipe: %v", err)
	}
	return r, w
}

// follow reads the output, takes the exit code, and ends with the process.
// The pipes are ours and not os/exec's, because a survivor of the sidecar may
// hold their other ends: the process is dead when it is dead.
func (p *Process) follow(stdout, stderr *os.File) {
	defer close(p.exited)
	var readers sync.WaitGroup
	readers.Go(func() { p.readLines(stdout) })
	readers.Go(func() { io.Copy(tail{p}, stderr) })
	p.cmd.Wait()
	p.code = p.cmd.ProcessState.ExitCode()
	close(p.gone)
	// What was written before the death is in the pipes already.
	soon := time.Now().Add(lastWords)
	stdout.SetReadDeadline(soon)
	stderr.SetReadDeadline(soon)
	readers.Wait()
	stdout.Close()
	stderr.Close()
}

// readLines sorts the lines of stdout: the first, events, garbage.
func (p *Process) readLines(stdout io.Reader) {
	defer close(p.first)
	lines := proto.NewLineReader(stdout)
	for n := 0; ; n++ {
		line, err := lines.Next()
		if err != nil {
			io.Copy(io.Discard, stdout) // so that the writer never blocks
			return
		}
		p.mu.Lock()
		p.stdout = append(p.stdout, string(line))
		p.mu.Unlock()
		if n == 0 {
			p.first <- bytes.Clone(line)
			continue
		}
		event, err := proto.DecodeEvent(line)
		p.mu.Lock()
		if err != nil {
			p.garbage = append(p.garbage, string(line))
		} else {
			p.events = append(p.events, event)
		}
		p.mu.Unlock()
	}
}

// AwaitReady waits for the ready line and makes the client for it. Call it once.
func (p *Process) AwaitReady(token string) {
	p.t.Helper()
	limit := time.NewTimer(ReadyLimit)
	defer limit.Stop()
	select {
	case line, ok := <-p.first:
		if !ok {
			<-p.exited
			p.t.Fatalf("the sidecar ended with %d before it was ready:\n%s", p.code, p.Stderr())
		}
		var err error
		if p.Ready, err = proto.DecodeReady(line); err != nil {
			p.t.Fatalf("the first line: %v\n%s", err, p.Stderr())
		}
		p.MCP = NewMCP(p.t, p.Ready.MCPURL, token)
	case <-limit.C:
		p.t.Fatalf("no ready line within %v:\n%s", ReadyLimit, p.Stderr())
	}
}

// Send writes one command line.
func (p *Process) Send(c proto.Command) {
	p.t.Helper()
	b, err := c.Encode()
	if err != nil {
		p.t.Fatalf("encode command: %v", err)
	}
	p.SendLine(string(b))
}

// SendLine writes one line to stdin, whatever it is.
func (p *Process) SendLine(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatalf("write to stdin: %v", err)
	}
}

// CloseStdin ends the sidecar's stdin; under a lifeline that stops it.
func (p *Process) CloseStdin() { p.stdin.Close() }

// Signal sends a signal to the process alone.
func (p *Process) Signal(sig os.Signal) { p.cmd.Process.Signal(sig) }

// Stop sends SIGTERM to the process group, as hosts do, waits, and returns the
// exit code. It fails the test when that takes longer than StopLimit.
func (p *Process) Stop() int {
	p.t.Helper()
	signalGroup(p.cmd, syscall.SIGTERM)
	return p.Wait()
}

// Wait waits for the process to end, at most StopLimit, and returns its exit
// code.
func (p *Process) Wait() int {
	p.t.Helper()
	limit := time.NewTimer(StopLimit)
	defer limit.Stop()
	select {
	case <-p.exited:
		return p.code
	case <-limit.C:
		p.Kill()
		p.t.Fatalf("the sidecar did not end within %v:\n%s", StopLimit, p.Stderr())
		return -1
	}
}

// Kill kills the process alone, without a warning, and waits until it is gone.
// What it started is the janitor's affair.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.gone
}

// Gone is closed when the process is dead.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Running says whether the process is there.
func (p *Process) Running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// Events returns the event lines so far.
func (p *Process) Events() []proto.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// AwaitEvent waits for an event of a type and returns the first.
func (p *Process) AwaitEvent(kind string) (found proto.Event) {
	p.t.Helper()
	Await(p.t, "the event "+kind, func() bool {
		for _, e := range p.Events() {
			if e.Type == kind {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// Stdout returns the lines of stdout so far.
func (p *Process) Stdout() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.stdout)
}

// Stderr returns the end of the log.
func (p *Process) Stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.stderr)
}

// cleanup ends the process if the test did not, and looks at what is left.
func (p *Process) cleanup() {
	if p.Running() {
		p.Stop()
	}
	<-p.exited
	p.stdin.Close()
	if p.t.Failed() {
		p.t.Logf("the sidecar's log:\n%s", p.Stderr())
	}
	if len(p.garbage) > 0 {
		p.t.Errorf("stdout holds lines that are no events: %q", p.garbage)
	}
	if p.Workdir != "" {
		leakCheck(p.t, p.Workdir, p.grace)
	}
}

// tail keeps the end of what is written to it as the process's log.
type tail struct{ p *Process }

func (w tail) Write(b []byte) (int, error) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.stderr = append(w.p.stderr, b...)
	if over := len(w.p.stderr) - stderrKept; over > 0 {
		w.p.stderr = slices.Delete(w.p.stderr, 0, over)
	}
	return len(b), nil
}
