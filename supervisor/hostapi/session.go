package hostapi

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/viewer"
)

// Status is how a sandbox's browser is.
type Status string

// The statuses.
const (
	Starting Status = "starting"
	Running  Status = "running"
	Stopped  Status = "stopped" // in good order: by request, or by itself at its time
	Failed   Status = "failed"  // it did not start, or ended unasked
)

// session is one browser of one sandbox, from the request for it until its
// minutes are told. One goroutine, [Host.tend], takes it through its life; the
// others look at it and may ask it to stop.
type session struct {
	id      string
	sandbox Sandbox
	mode    proto.Mode
	signIn  bool

	// mayWatch is the host's word on who may have which ticket.
	mayWatch func(ctx context.Context, who Identity, sandbox Sandbox, mode proto.TicketMode) error

	wanted    context.Context // ends when somebody asks for the stop
	askToStop context.CancelFunc
	ready     chan struct{} // closed when the start has come to its end, either way
	ended     chan struct{} // closed when everything about it is settled

	mu        sync.Mutex
	status    Status
	browser   *supervisor.Browser // nil until it runs
	viewer    http.Handler        // its live view's page; nil until it runs and has one
	err       error               // why it failed
	reason    string              // why it was stopped
	startedAt time.Time
	stoppedAt time.Time
	stopAt    time.Time // when it stops by itself; zero: never
}

// newSession makes one whose work is traced as a part of ctx's.
func newSession(ctx context.Context, sandbox Sandbox, o StartOptions) *session {
	s := &session{
		id:      strings.ToLower(rand.Text()),
		sandbox: sandbox,
		mode:    o.Mode,
		signIn:  o.SignIn,
		status:  Starting,
		ready:   make(chan struct{}),
		ended:   make(chan struct{}),
	}
	s.wanted, s.askToStop = context.WithCancel(context.WithoutCancel(ctx))
	if !sandbox.ExpiresAt.IsZero() {
		s.stopAt = sandbox.ExpiresAt.Add(-expiryLead)
	}
	return s
}

// stop has the session's goroutine give the start up, or end the browser, and
// returns when that is settled, or with ctx.
func (s *session) stop(ctx context.Context) error {
	s.askToStop()
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// started notes that the browser runs.
func (s *session) started(b *supervisor.Browser, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browser, s.startedAt, s.status = b, now, Running
	if b.LiveURL() != "" {
		s.viewer = viewer.New(b, s.whoWatches)
	}
}

// over notes the end. A browser was none from the moment at which it stops by
// itself, however late anybody looked.
func (s *session) over(now time.Time, reason string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stoppedAt = now
	if !s.stopAt.IsZero() && s.stopAt.Before(now) {
		s.stoppedAt = s.stopAt
	}
	s.status, s.reason = Stopped, reason
	if err != nil && s.wanted.Err() == nil {
		s.status, s.err = Failed, err
	}
}

// running returns the browser while it runs, else nil.
func (s *session) running() *supervisor.Browser {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status != Running {
		return nil
	}
	return s.browser
}

// occupies says whether the sandbox can't have another browser beside this one.
// It ends with the browser's last process, not with its minutes.
func (s *session) occupies() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status == Starting || s.status == Running
}

// entry is the session as the journal has it.
func (s *session) entry(now time.Time) Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Entry{
		Session: s.id, Sandbox: s.sandbox.ID, Owner: s.sandbox.Owner, Mode: s.mode,
		StartedAt: s.startedAt, AliveAt: now, StopAt: s.stopAt, StoppedAt: s.stoppedAt,
	}
}

// Browser is a sandbox's browser as the API shows it. It holds no way to drive
// it: neither its MCP endpoint nor its token is ever a part of an answer.
type Browser struct {
	Mode      proto.Mode `json:"mode"`
	Status    Status     `json:"status"`
	StartedAt *time.Time `json:"started_at"` // null until it runs
	ServerKey *string    `json:"server_key"` // "browser:" and its session, while it runs, else null
	LiveURL   *string    `json:"live_url"`   // the live view's WebSocket, while it runs and has one, else null

	Sidecar   *Sidecar     `json:"sidecar,omitempty"` // what runs, while it does
	StoppedAt *time.Time   `json:"stopped_at,omitempty"`
	Reason    string       `json:"reason,omitempty"` // why it stopped, such as "expired"
	Error     *proto.Error `json:"error,omitempty"`  // why it failed
}

// Sidecar is what a running browser is, and which walls stand around it.
type Sidecar struct {
	Version  string         `json:"version"`
	Chromium string         `json:"chromium"` // its version
	Flavour  string         `json:"flavour"`
	Features proto.Features `json:"features"`
}

// serverKeyPrefix makes a session's name among an agent's MCP servers.
const serverKeyPrefix = "browser:"

func (s *session) show() *Browser {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := &Browser{Mode: s.mode, Status: s.status, Reason: s.reason}
	if !s.startedAt.IsZero() {
		at := s.startedAt.UTC()
		shown.StartedAt = &at
	}
	if !s.stoppedAt.IsZero() {
		at := s.stoppedAt.UTC()
		shown.StoppedAt = &at
	}
	if s.status == Running {
		key := serverKeyPrefix + s.id
		shown.ServerKey = &key
		ready := s.browser.Ready()
		shown.Sidecar = &Sidecar{ready.Version, ready.Chromium.Version, ready.Chromium.Flavour, ready.Features}
		if url := s.browser.LiveURL(); url != "" {
			shown.LiveURL = &url
		}
	}
	if s.err != nil {
		shown.Error = asError(s.err)
	}
	return shown
}
