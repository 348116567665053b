package hostapi

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

const (
	// expiryLead is how long before its sandbox a browser stops, so that the
	// last events reach a recording that takes them only while the sandbox
	// lives. No browser starts for a sandbox that expires within it.
	expiryLead = 30 * time.Second

	// reapEvery is how often Run looks after what has expired: twice within
	// the lead, so that a browser's end is never later than its sandbox's by
	// much where the browser failed to stop itself.
	reapEvery = 15 * time.Second

	// stopTimeout bounds a stop: the sidecar's own eight seconds, then its
	// supervisor's force.
	stopTimeout = 20 * time.Second
)

// Options say what a [Host] works with. Each field has a default; see the
// types for what it is.
type Options struct {
	// Supervisor starts the browsers, on the backend that its Runner is.
	Supervisor *supervisor.Supervisor

	// Launch is what every browser starts with: viewport, snapshots, which
	// Chromium. The host fills in the app, mode, token, times, recording, live
	// view and sign-in.
	Launch proto.Launch

	Sandboxes     Sandboxes
	Authenticator Authenticator
	Permissions   Permissions
	Quota         Quota
	Usage         UsageRecorder
	Recordings    Recordings
	Journal       Journal
	Clock         Clock

	// SignIns keeps saved sign-ins, sealed with SignInKey: 32 random bytes that
	// the host keeps elsewhere. Without a key nothing is saved or given.
	SignIns   SignIns
	SignInKey proto.Secret

	// ExecutionEnabled is the operator's switch: where it says no, no browser
	// starts and nobody takes one over. nil: always on.
	ExecutionEnabled func(ctx context.Context, owner string) bool

	// PublicURL is where people open the host, such as
	// "https://dashboard.example", where a proxy hides that from requests: the
	// live view takes connections from pages of this origin. "": what the
	// request that starts a browser was sent to.
	PublicURL string

	// LiveOrigins are further origins whose pages may open the live view.
	LiveOrigins []string

	// OnEvent, when set, is told what browsers report. It must not block.
	OnEvent func(sandbox Sandbox, session string, e proto.Event)

	// Tracer makes spans of starts, stops, tickets and agents' calls. nil: none.
	Tracer Tracer

	// Log receives what happens, with sandbox and session. nil: silent.
	Log *slog.Logger
}

// Host gives sandboxes browsers. It is an [http.Handler]; its methods do the
// same for a program that has no use for HTTP.
type Host struct {
	o      Options
	log    *slog.Logger
	vault  *vault // nil without a key
	mux    *http.ServeMux
	public string // the origin of PublicURL, "" without one

	toBrowsers *http.Transport
	metrics    *metrics

	recovering sync.RWMutex // held for writing by Recover, for reading by who begins a start

	mu         sync.Mutex
	closing    bool
	bySandbox  map[sandboxKey]*session // the newest of each
	bySession  map[string]*session     // those that start or run
	deleting   map[sandboxKey]int      // how many requests delete it at this moment
	unsettled  map[string]Entry        // stopped, and not all is done that the stop asks for
	background sync.WaitGroup          // one for each session, until it is settled
}

type sandboxKey struct{ owner, id string }

func (s Sandbox) key() sandboxKey { return sandboxKey{s.Owner, s.ID} }

// New makes a host. It starts nothing: call [Host.Run] beside your server.
func New(o Options) (*Host, error) {
	o = o.withDefaults()
	h := &Host{
		o:   o,
		log: o.Log,

		toBrowsers: newTransport(),
		metrics:    newMetrics(),
		bySandbox:  map[sandboxKey]*session{},
		bySession:  map[string]*session{},
		deleting:   map[sandboxKey]int{},
		unsettled:  map[string]Entry{},
	}
	if !o.SignInKey.IsZero() {
		var err error
		if h.vault, err = newVault(o.SignInKey); err != nil {
			return nil, err
		}
	}
	if err := h.routes(); err != nil {
		return nil, err
	}
	return h, nil
}

func (o Options) withDefaults() Options {
	if o.Supervisor == nil {
		o.Supervisor = &supervisor.Supervisor{}
	}
	if o.Sandboxes == nil {
		o.Sandboxes = &MemorySandboxes{}
	}
	if o.Authenticator == nil {
		o.Authenticator = LoopbackUser{}
	}
	if o.Permissions == nil {
		o.Permissions = PermissionFunc(func(context.Context, Identity, Action, Sandbox) (bool, error) { return true, nil })
	}
	if o.Quota == nil {
		o.Quota = QuotaFunc(func(context.Context, string, string) (any, error) { return nil, nil })
	}
	if o.Usage == nil {
		o.Usage = &MemoryUsage{}
	}
	if o.Recordings == nil {
		o.Recordings = noRecordings{}
	}
	if o.Journal == nil {
		o.Journal = &MemoryJournal{}
	}
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	if o.SignIns == nil {
		o.SignIns = &MemorySignIns{}
	}
	if o.ExecutionEnabled == nil {
		o.ExecutionEnabled = func(context.Context, string) bool { return true }
	}
	if o.Tracer == nil {
		o.Tracer = noTracer{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

type noRecordings struct{}

func (noRecordings) Open(context.Context, Sandbox, string) (*proto.Recording, error) {
	return nil, nil
}
func (noRecordings) Complete(context.Context, Sandbox, string) error { return nil }

// Run ends and settles what an earlier host left ([Host.Recover]), then reaps
// until ctx ends, and then stops every browser. It returns when nothing is left.
func (h *Host) Run(ctx context.Context) error {
	if err := h.Recover(ctx); err != nil {
		h.log.Error("what an earlier host left could not all be settled", "error", err)
	}
	tick := time.NewTicker(reapEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := h.Reap(ctx); err != nil {
				h.log.Warn("reaping", "error", err)
			}
		case <-ctx.Done():
			return h.Close()
		}
	}
}

// Close refuses further starts, stops every browser, and returns when each is
// settled. The error says which minutes the usage recorder did not take; they
// stay in the journal.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closing = true
	var running []*session
	for _, s := range h.bySession {
		running = append(running, s)
	}
	h.mu.Unlock()
	for _, s := range running {
		s.askToStop()
	}
	h.background.Wait()
	h.toBrowsers.CloseIdleConnections()
	return h.settleAll(context.Background())
}
