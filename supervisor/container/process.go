package container

import (
	"context"
	"crypto/rand"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-browser/pillion/supervisor"
)

// container is a sidecar in its container: the engine's client as a child
// process, and what the engine must be told beside it.
type container struct {
	supervisor.Process // the client
	runner             *Runner
	engine, name, dir  string
	port               int
}

func newName() string { return "pillion-" + strings.ToLower(rand.Text()[:12]) }

// ID implements [supervisor.Process].
func (c *container) ID() string { return c.name }

// Wait implements [supervisor.Process]. The client may end before its
// container does, when it is killed or its engine is; removing what is gone
// already is no work.
func (c *container) Wait() error {
	err := c.Process.Wait()
	c.remove()
	c.forget()
	return err
}

// Kill implements [supervisor.Process]: the container first, since a client
// that is killed leaves it running.
func (c *container) Kill() error {
	c.remove()
	return c.Process.Kill()
}

func (c *container) remove() {
	// The error of an engine that has no such container is the usual answer.
	_, _ = c.runner.ask(context.Background(), "rm", "--force", c.name)
}

// forget gives back what the start took on this machine.
func (c *container) forget() {
	if c.dir != "" {
		os.RemoveAll(c.dir)
	}
	if c.port != 0 {
		c.runner.ports.give(c.port)
	}
	c.runner.mu.Lock()
	defer c.runner.mu.Unlock()
	delete(c.runner.own, c.name)
}

// ports are those that this runner's containers have, or are about to.
type ports struct {
	mu    sync.Mutex
	taken []int
}

// take finds a port that is free on loopback. Between here and the engine's
// own listening somebody else may take it; the start then fails and says so.
func (p *ports) take() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		if !slices.Contains(p.taken, port) {
			p.taken = append(p.taken, port)
			return port, nil
		}
	}
}

func (p *ports) give(port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = slices.DeleteFunc(p.taken, func(t int) bool { return t == port })
}

// throughHost rewrites a loopback address of this machine to what name stands
// for in a container. "" is for a container that shares this machine's.
func throughHost(addr, name string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port = addr, ""
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	if name == "" || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return addr
	}
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}

// engineEnv are the variables that tell a client where its engine is. The
// container gets none of them.
func engineEnv(environ []string) (kept []string) {
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		for _, prefix := range []string{"DOCKER_", "CONTAINER_", "CONTAINERS_", "CONTAINERD_", "PODMAN_", "NERDCTL_"} {
			if strings.HasPrefix(name, prefix) {
				kept = append(kept, entry)
			}
		}
	}
	return kept
}
