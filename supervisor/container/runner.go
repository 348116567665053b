package container

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

//go:embed seccomp.json
var seccompProfile []byte

// Limits of a container where a Runner has none of its own.
const (
	DefaultMemory = "2g"   // a browser with a heavy page, and the files in its /tmp
	DefaultPIDs   = 1024   // threads count; a browser with one page has some 90
	DefaultSHM    = "256m" // what pages share with the browser; engines give 64 MB
)

const (
	// label marks the containers of this package; its value is Runner.Name.
	label = "pillion.host"

	// engineTimeout bounds a question to the engine; one that is up answers at
	// once.
	engineTimeout = 10 * time.Second
)

// Runner starts sidecars as containers. Its fields must not be changed after
// the first start.
type Runner struct {
	// Image is the sidecar's image, as built from the Dockerfile. Required.
	Image string

	// Engine is the engine's client: docker, podman, nerdctl, or a path to one.
	// "" is the first of these that is installed. EngineArgs stand before "run",
	// such as --runtime runc.
	Engine     string
	EngineArgs []string

	// Network is the container's: "" is the engine's default with one published
	// port, "host" this machine's own, anything else a network of the engine by
	// its name.
	Network string

	// HostName is how a container reaches this machine. "" is the engine's own
	// name for it, host.docker.internal or host.containers.internal.
	HostName string

	// Limits, in the engine's words; "" and 0 are the defaults above.
	Memory string
	SHM    string
	PIDs   int

	// Seccomp is a filter of system calls: a file, or "unconfined". "" is the
	// one that comes with this package.
	Seccomp string

	// RunArgs are further options of "run".
	RunArgs []string

	// Name tells this host's containers from those of others, for Sweep. ""
	// sweeps nothing.
	Name string

	ports ports

	mu  sync.Mutex
	own map[string]bool // the containers that this process has, by name
}

var (
	_ supervisor.Placer   = (*Runner)(nil)
	_ supervisor.Sweeper  = (*Runner)(nil)
	_ supervisor.Examiner = (*Runner)(nil)
)

// engine finds the client.
func (r *Runner) engine() (string, error) {
	names := []string{r.Engine}
	if r.Engine == "" {
		names = []string{"docker", "podman", "nerdctl"}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &proto.Error{
		Code:    proto.CodeBinaryMissing,
		Message: "no container engine was found; tried " + strings.Join(names, ", "),
		Hint:    "Install Docker or Podman, or give the path of its client in Engine",
	}
}

// Place implements [supervisor.Placer].
func (r *Runner) Place(ctx context.Context, launch proto.Launch) (proto.Launch, supervisor.Runner, error) {
	if r.Network == "host" {
		return launch, r, nil // it picks its port on this machine
	}
	port, err := r.ports.take()
	if err != nil {
		return launch, nil, fmt.Errorf("find a free port: %w", err)
	}
	launch.Host, launch.Port = "0.0.0.0", port
	p := &placed{Runner: r, port: port}
	context.AfterFunc(ctx, func() { // the end of the start, which may have failed before p's
		if !p.started.Load() {
			r.ports.give(port)
		}
	})
	return launch, p, nil
}

// placed is the runner of one start, whose port is known.
type placed struct {
	*Runner
	port    int
	started atomic.Bool // the port is the container's to give back
}

// Start implements [supervisor.Runner].
func (p *placed) Start(ctx context.Context, args []string, config []byte) (supervisor.Process, error) {
	process, err := p.start(ctx, args, config, p.port)
	p.started.Store(err == nil)
	return process, err
}

// Start implements [supervisor.Runner], for a sidecar that publishes nothing,
// such as a doctor.
func (r *Runner) Start(ctx context.Context, args []string, config []byte) (supervisor.Process, error) {
	return r.start(ctx, args, config, 0)
}

func (r *Runner) start(ctx context.Context, args []string, config []byte, port int) (supervisor.Process, error) {
	engine, err := r.engine()
	if err != nil {
		return nil, err
	}
	c := &container{runner: r, engine: engine, name: newName(), port: port}
	r.mu.Lock()
	if r.own == nil {
		r.own = map[string]bool{}
	}
	r.own[c.name] = true
	r.mu.Unlock()
	seccomp := r.Seccomp
	if seccomp == "" {
		if c.dir, err = os.MkdirTemp("", "pillion-container-"); err != nil {
			c.forget()
			return nil, fmt.Errorf("make a directory for the seccomp profile: %w", err)
		}
		seccomp = filepath.Join(c.dir, "seccomp.json")
		if err := os.WriteFile(seccomp, seccompProfile, 0o600); err != nil {
			c.forget()
			return nil, fmt.Errorf("write the seccomp profile: %w", err)
		}
	}
	client := &supervisor.ExecRunner{Command: engine, Args: r.runArgs(c.name, port, seccomp), Env: engineEnv(os.Environ())}
	if c.Process, err = client.Start(ctx, args, config); err != nil {
		c.forget()
		return nil, err
	}
	return c, nil
}

// runArgs are the client's arguments up to the image.
func (r *Runner) runArgs(name string, port int, seccomp string) []string {
	args := append([]string{}, r.EngineArgs...)
	args = append(args, "run", "--interactive", "--rm", "--pull=never", "--name="+name, "--label="+label+"="+r.Name,
		"--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--security-opt=seccomp="+seccomp,
		"--memory="+or(r.Memory, DefaultMemory), "--pids-limit="+strconv.Itoa(or(r.PIDs, DefaultPIDs)), "--shm-size="+or(r.SHM, DefaultSHM))
	if r.Network != "" {
		args = append(args, "--network="+r.Network)
	}
	if port != 0 {
		args = append(args, fmt.Sprintf("--publish=127.0.0.1:%d:%d", port, port))
	}
	if name, native := r.hostName(); !native {
		args = append(args, "--add-host="+name+":host-gateway")
	}
	return append(append(args, r.RunArgs...), r.Image)
}

// hostName is how a container names this machine, and whether its engine makes
// that name known by itself.
func (r *Runner) hostName() (name string, native bool) {
	engine, _ := r.engine()
	podman := strings.HasPrefix(filepath.Base(engine), "podman")
	switch {
	case r.Network == "host":
		return "", true
	case r.HostName != "":
		return r.HostName, true
	case podman:
		return "host.containers.internal", true
	default:
		return "host.docker.internal", false // Docker knows it on desktops alone
	}
}

// ChildAddr implements [supervisor.Runner].
func (r *Runner) ChildAddr(hostAddr string) (string, error) {
	name, _ := r.hostName()
	return throughHost(hostAddr, name), nil
}

// Examine implements [supervisor.Examiner]: does the engine answer, and has it
// the image?
func (r *Runner) Examine(ctx context.Context) []supervisor.Check {
	const ok, missing = "ok", "missing"
	engine, err := r.engine()
	if err == nil {
		_, err = r.ask(ctx, "info")
	}
	if err != nil {
		return []supervisor.Check{{Name: "container engine", State: missing,
			Text: err.Error() + ". Install Docker or Podman, start it, and let this user use it"}}
	}
	checks := []supervisor.Check{{Name: "container engine", State: ok, Text: engine}}
	if _, err := r.ask(ctx, "image", "inspect", "--format={{.Id}}", r.Image); err != nil {
		return append(checks, supervisor.Check{Name: "container image", State: missing,
			Text: fmt.Sprintf("%s is not there. Build it with make image, or load it into the engine", r.Image)})
	}
	return append(checks, supervisor.Check{Name: "container image", State: ok, Text: r.Image})
}

// Diagnose implements [supervisor.Runner].
func (r *Runner) Diagnose(ctx context.Context) string {
	engine, err := r.engine()
	if err != nil {
		return err.Error()
	}
	notes := "engine: " + strings.Join(append([]string{engine}, r.EngineArgs...), " ")
	if _, err := r.ask(ctx, "image", "inspect", "--format={{.Id}}", r.Image); err != nil {
		return notes + "\nimage: " + r.Image + " can't be inspected: build or load it first (" + err.Error() + ")"
	}
	return notes + "\nimage: " + r.Image
}

// Sweep removes the containers that an earlier process of this host left. A
// container ends by itself when its client does; this is for an engine that
// was stopped in between. Those of this process stay.
func (r *Runner) Sweep(ctx context.Context) error {
	if r.Name == "" {
		return nil
	}
	out, err := r.ask(ctx, "ps", "--all", "--format={{.Names}}", "--filter=label="+label+"="+r.Name)
	if err != nil {
		return fmt.Errorf("list this host's containers: %w", err)
	}
	r.mu.Lock()
	left := slices.DeleteFunc(strings.Fields(out), func(name string) bool { return r.own[name] })
	r.mu.Unlock()
	if len(left) > 0 {
		if _, err := r.ask(ctx, append([]string{"rm", "--force"}, left...)...); err != nil {
			return fmt.Errorf("remove %d containers: %w", len(left), err)
		}
	}
	return nil
}

// ask runs a command of the engine and returns what it prints.
func (r *Runner) ask(ctx context.Context, args ...string) (string, error) {
	engine, err := r.engine()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, engine, append(append([]string{}, r.EngineArgs...), args...)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(engine), args[0], err, firstLine(problems.String()))
	}
	return string(out), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
