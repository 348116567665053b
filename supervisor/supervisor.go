package supervisor

import (
	"log/slog"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Defaults of a Supervisor's times.
const (
	// DefaultStartTimeout is long because the first start of a Chromium on a
	// cold, busy machine reads some hundred megabytes from its disk. An idle
	// machine takes about a second.
	DefaultStartTimeout = 60 * time.Second

	// DefaultStopGrace is a little more than the eight seconds that a sidecar
	// gives itself to answer waiting calls and to send the end of a recording.
	DefaultStopGrace = 10 * time.Second
)

// Supervisor starts browsers. Its fields are read by Start and must not be
// changed after the first one; the zero value is ready to use. One Supervisor
// may start many browsers, also at the same time.
type Supervisor struct {
	// Command is the sidecar's file, or a name to look up on PATH. Empty: the
	// file "sidecar" next to this program's own executable, else the one on
	// PATH. Args stand before the arguments that Start adds. Both are for the
	// Runner that is used when Runner is nil.
	Command string
	Args    []string

	// Runner says where sidecars run. nil: as processes of this machine, by an
	// [ExecRunner] with Command and Args.
	Runner Runner

	// StartTimeout bounds a start, from the spawn to Ready.
	// 0 means DefaultStartTimeout.
	StartTimeout time.Duration

	// StopGrace is how long a browser may take to end by itself once it has
	// been asked to, before it is killed. 0 means DefaultStopGrace.
	StopGrace time.Duration

	// ExpectVersion is the version that a sidecar must report. Empty: the
	// version of this library, [proto.Version]. [AnyVersion] accepts all.
	ExpectVersion string

	// Films is a directory to which the films of browsers are fetched whose
	// launch has Recording.Video, each part as soon as it has come to its end.
	// It is made where there is none. When Stop or Wait return, all are there:
	// the browser's end waits for the last ones. Empty: none are fetched.
	// [Browser.Films] tells which film is whose.
	Films string

	// Log receives what happens to browsers: starts and ends at level Info, the
	// sidecars' own log lines at level Debug, secrets masked. nil: silent.
	Log *slog.Logger
}

func (s *Supervisor) runner() Runner {
	if s.Runner != nil {
		return s.Runner
	}
	return &ExecRunner{Command: s.Command, Args: s.Args}
}

func (s *Supervisor) logger() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	return slog.New(slog.DiscardHandler)
}

func (s *Supervisor) expectVersion() string {
	if s.ExpectVersion != "" {
		return s.ExpectVersion
	}
	return proto.Version
}

func or(d, def time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return def
}
