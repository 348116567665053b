package chrome

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// Renderer says how one renderer, the process that runs a page's code, is shut
// in.
type Renderer struct {
	PID     int
	Seccomp bool // its system calls are filtered
	OwnPID  bool // it sees no other processes
	// OwnUser and OwnNet compare its user and network namespaces with the
	// browser's. They mean something only when Readable: an ordinary user may
	// not always look at them.
	OwnUser, OwnNet bool
	Readable        bool
}

// sandboxed returns what is missing, nil when nothing is. Under the setuid
// helper renderers share the browser's user namespace, which is no weakness.
func (r Renderer) sandboxed() error {
	switch {
	case !r.Seccomp:
		return fmt.Errorf("renderer %d has no system call filter", r.PID)
	case !r.OwnPID:
		return fmt.Errorf("renderer %d sees other processes", r.PID)
	case r.Readable && !r.OwnNet:
		return fmt.Errorf("renderer %d is in the browser's network", r.PID)
	}
	return nil
}

// errNoRenderer says that no page's process runs yet.
var errNoRenderer = errors.New("no renderer runs yet")

// Sandboxed looks at the renderers of the browser with process id pid. It
// returns an error when there is none or one is not shut in, and
// [errors.ErrUnsupported] where the system does not show it.
func Sandboxed(pid int) ([]Renderer, error) {
	all, err := proc.List()
	if err != nil {
		return nil, err
	}
	browser, err := proc.Status(pid)
	if err != nil {
		return nil, err
	}
	var list []Renderer
	for _, p := range proc.Tree(all, pid) {
		if !isRenderer(proc.Args(p.PID)) {
			continue
		}
		status, err := proc.Status(p.PID)
		if err != nil {
			continue // it ended meanwhile
		}
		r := Renderer{
			PID:      p.PID,
			Seccomp:  status["Seccomp"] == "2",
			OwnPID:   len(strings.Fields(status["NSpid"])) > len(strings.Fields(browser["NSpid"])),
			Readable: proc.Namespace(p.PID, "net") != "" && proc.Namespace(pid, "net") != "",
		}
		if r.Readable {
			r.OwnUser = proc.Namespace(p.PID, "user") != proc.Namespace(pid, "user")
			r.OwnNet = proc.Namespace(p.PID, "net") != proc.Namespace(pid, "net")
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, errNoRenderer
	}
	for _, r := range list {
		err = errors.Join(err, r.sandboxed())
	}
	return list, err
}

// isRenderer reports whether a command line is a renderer's. Renderers write
// theirs with spaces.
func isRenderer(args []string) bool {
	for _, arg := range args {
		if slices.Contains(strings.Fields(arg), "--type=renderer") {
			return true
		}
	}
	return false
}
