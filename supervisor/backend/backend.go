package backend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/container"
)

// Config says where browsers run.
type Config struct {
	// Kind is "local" (the default), "container", or one that the host adds.
	Kind string `json:"kind"`
	// Options are the kind's own: [Local], [Container].
	Options json.RawMessage `json:"options"`
}

// Local are the options of "local": processes of this machine.
type Local struct {
	// Command is the sidecar's file, or a name to look up on PATH. Default: the
	// one beside the host's program, else the one on PATH.
	Command string `json:"command"`
	// Args stand before those of the sidecar, for a wrapper.
	Args []string `json:"args"`
	// Env are variables ("KEY=value") to pass on besides the usual ones.
	Env []string `json:"env"`
	// Dir is the sidecars' working directory. Default: the host's.
	Dir string `json:"dir"`
	// Name tells this host's sidecars from those of others, so that what an
	// earlier process of it left can be ended. Default: nothing is.
	Name string `json:"name"`
}

// Container are the options of "container": a container for each browser, by
// Docker, Podman or nerdctl.
type Container struct {
	// Image is the sidecar's image. Required.
	Image string `json:"image"`
	// Engine is the engine's client. Default: the first of docker, podman and
	// nerdctl that is installed.
	Engine string `json:"engine"`
	// EngineArgs stand before "run", such as --runtime runc.
	EngineArgs []string `json:"engine_args"`
	// Network is "host", or a network of the engine by its name. Default: the
	// engine's own, with one port published on loopback.
	Network string `json:"network"`
	// HostName is how a container reaches this machine. Default: the engine's
	// own name for it.
	HostName string `json:"host_name"`
	// Memory is a container's limit. Default: 2g.
	Memory string `json:"memory"`
	// SHM is the size of its /dev/shm. Default: 256m.
	SHM string `json:"shm"`
	// PIDs is its limit of processes and threads. Default: 1024.
	PIDs int `json:"pids"`
	// Seccomp is a profile's file, or "unconfined". Default: the one that comes
	// with Pillion, which lets Chromium's sandbox work.
	Seccomp string `json:"seccomp"`
	// RunArgs are further options of "run".
	RunArgs []string `json:"run_args"`
	// Name tells this host's containers from those of others, so that what an
	// earlier process of it left can be removed. Default: nothing is removed.
	Name string `json:"name"`
}

// Opener makes a runner of a kind's options; they are nil where there are none.
type Opener func(options json.RawMessage) (supervisor.Runner, error)

// Open makes the runner that c asks for. more adds kinds, or replaces ours. An
// error is a [*proto.Error] with [proto.CodeConfigInvalid].
func Open(c Config, more map[string]Opener) (supervisor.Runner, error) {
	kinds := map[string]Opener{"local": openLocal, "container": openContainer}
	maps.Copy(kinds, more)
	if c.Kind == "" {
		c.Kind = "local"
	}
	open, known := kinds[c.Kind]
	if !known {
		return nil, invalid(fmt.Sprintf("there is no backend %.40q; there are %s", c.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")))
	}
	return open(c.Options)
}

// Decode reads a kind's options into v and refuses what v has no place for.
func Decode(options json.RawMessage, v any) error {
	if len(options) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(options))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return invalid("the backend's options: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func openLocal(options json.RawMessage) (supervisor.Runner, error) {
	var o Local
	if err := Decode(options, &o); err != nil {
		return nil, err
	}
	return &supervisor.ExecRunner{Command: o.Command, Args: o.Args, Env: o.Env, Dir: o.Dir, Name: o.Name}, nil
}

func openContainer(options json.RawMessage) (supervisor.Runner, error) {
	var o Container
	if err := Decode(options, &o); err != nil {
		return nil, err
	}
	if o.Image == "" {
		return nil, invalid("the backend's options: image is required")
	}
	return &container.Runner{
		Image: o.Image, Engine: o.Engine, EngineArgs: o.EngineArgs, Network: o.Network, HostName: o.HostName,
		Memory: o.Memory, SHM: o.SHM, PIDs: o.PIDs, Seccomp: o.Seccomp, RunArgs: o.RunArgs, Name: o.Name,
	}, nil
}

func invalid(message string) error {
	return &proto.Error{Code: proto.CodeConfigInvalid, Message: message}
}
