package janitor

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// plan is what the survivor has to clean up.
type plan struct {
	Root      string
	OwnRoot   bool // Root is to go too
	Profile   string
	Uploads   string
	Output    string
	UID       int // whom Chromium runs as
	Dedicated bool
}

// sane reports whether the plan names a session's directories and nothing
// else. Only a sidecar writes plans, but what removes whole trees checks twice.
func (p plan) sane() bool {
	in := func(dir, prefix string) bool {
		return filepath.IsAbs(dir) && filepath.Dir(dir) == p.Root && isName(filepath.Base(dir), prefix)
	}
	return in(p.Profile, profilePrefix) && in(p.Uploads, uploadsPrefix) && in(p.Output, outputPrefix) &&
		(!p.OwnRoot || isName(filepath.Base(p.Root), rootPrefix))
}

// message is one line to the survivor; one field is set.
type message struct {
	Plan    *plan       `json:",omitempty"`
	Browser *browserRow `json:",omitempty"`
	Done    bool        `json:",omitempty"`
}

// browserRow names a browser process.
type browserRow struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"`
}

// dismissWithin bounds the wait for a survivor that has nothing to do any
// more; it ends in a millisecond or two.
const dismissWithin = time.Second

// survivor is the sidecar's side of the process that outlives it. A nil
// survivor does nothing.
type survivor struct {
	log  *slog.Logger
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended

	mu        sync.Mutex
	pipe      *os.File
	dismissed bool
}

// startSurvivor starts the process and tells it the plan, which the pipe holds
// until it reads: from then on it does its work even if it has not begun yet.
func startSurvivor(p plan, hold *os.File, log *slog.Logger) (*survivor, error) {
	self, err := selfPath()
	if err != nil {
		return nil, fmt.Errorf("start survivor: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start survivor: %w", err)
	}
	defer r.Close()
	// A descriptor that we inherited by somebody's mistake may be a lock or a
	// pipe that somebody waits on: the survivor must not keep it.
	proc.Seal(firstForeign)
	cmd := exec.Command(self, helperArg)
	cmd.Args[0] = "sidecar"
	cmd.Env = []string{}
	cmd.Dir = string(os.PathSeparator)
	cmd.Stdin = r
	if hold != nil {
		cmd.ExtraFiles = []*os.File{hold}
	}
	apart(cmd)
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("start survivor: %w", err)
	}
	s := &survivor{log: log, cmd: cmd, over: make(chan struct{}), pipe: w}
	go s.attend()
	s.tell(message{Plan: &p})
	return s, nil
}

// firstForeign is the first descriptor after the standard ones.
const firstForeign = 3

// attend waits for the survivor's end; dismiss waits for attend.
func (s *survivor) attend() {
	defer close(s.over)
	err := s.cmd.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dismissed {
		s.log.Warn("the survivor ended: nobody will clean up if the sidecar is killed by force", "error", err)
	}
}

// tell writes one message. A survivor that is gone has been reported.
func (s *survivor) tell(m message) {
	if s == nil {
		return
	}
	text, err := json.Marshal(m)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dismissed {
		s.pipe.Write(append(text, '\n'))
	}
}

func (s *survivor) lives() bool {
	if s == nil {
		return false
	}
	select {
	case <-s.over:
		return false
	default:
		return true
	}
}

// dismiss ends the survivor. Unless all is done it goes to work, as if the
// sidecar were dead, and is not waited for.
func (s *survivor) dismiss(done bool) {
	if s == nil {
		return
	}
	if done {
		s.tell(message{Done: true})
	}
	s.mu.Lock()
	first := !s.dismissed
	s.dismissed = true
	s.mu.Unlock()
	if first {
		s.pipe.Close()
	}
	if !done {
		return
	}
	select {
	case <-s.over:
	case <-time.After(dismissWithin):
		s.cmd.Process.Kill()
		<-s.over
	}
}
