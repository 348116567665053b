package supervisor

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// Shower is a [Runner] that knows in which modes a browser can start where it
// runs them. One that isn't offers headless alone.
type Shower interface {
	Runner
	Modes() []proto.Mode
}

// Modes lists the modes in which a browser can start here, now. A host offers
// headed only where it is listed: the sidecar would start, and nobody would
// see its window.
func (s *Supervisor) Modes() []proto.Mode {
	if shower, ok := s.runner().(Shower); ok {
		return shower.Modes()
	}
	return []proto.Mode{proto.Headless}
}

// Modes lists headed where there is a display: on macOS and Windows, elsewhere
// where DISPLAY or WAYLAND_DISPLAY is set, for this program or in Env.
func (r *ExecRunner) Modes() []proto.Mode {
	return modesFor(runtime.GOOS, append(os.Environ(), r.Env...))
}

func modesFor(goos string, environ []string) []proto.Mode {
	shown := goos == "darwin" || goos == "windows"
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		shown = shown || value != "" && (name == "DISPLAY" || name == "WAYLAND_DISPLAY")
	}
	if shown {
		return []proto.Mode{proto.Headless, proto.Headed}
	}
	return []proto.Mode{proto.Headless}
}

// Sweeper is a [Runner] that can end what an earlier process of the same host
// left running: containers or pods, where a death of the host may go unseen, and
// sidecars that hang. It leaves alone what this process has started.
type Sweeper interface {
	Runner
	Sweep(ctx context.Context) error
}

// Sweep ends what an earlier process of this host left running, and returns when it
// is gone. A host is known by its runner's Name.
func (s *Supervisor) Sweep(ctx context.Context) error {
	if sweeper, ok := s.runner().(Sweeper); ok {
		return sweeper.Sweep(ctx)
	}
	return nil
}
