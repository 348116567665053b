package hostapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// StartOptions are what a start may ask for.
type StartOptions struct {
	Mode         proto.Mode // "" is headless
	Capabilities []string   // optional groups of tools, of [proto.Capabilities]

	// LiveOrigins are the origins whose pages may open the live view, besides
	// the host's own. NoLive starts without one.
	LiveOrigins []string
	NoLive      bool

	// SignIn starts the browser with the project's saved sign-in, and saves
	// what it has of one when it stops.
	SignIn bool
}

// Start starts a sandbox's browser and returns when it runs, or why it does
// not. Where ctx ends first, the start goes on.
//
// Each refusal is a [*proto.Error] with a code of its own, and nothing has been
// started then: unknown mode or capability, sandbox unknown, not ready or about
// to expire, execution disabled, a mode that the backend lacks, another browser
// of this sandbox, the quota ([*QuotaDenied]).
func (h *Host) Start(ctx context.Context, who Identity, id string, o StartOptions) (*Browser, error) {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return nil, err
	}
	if o.Mode == "" {
		o.Mode = proto.Headless
	}
	if err := h.mayStart(ctx, sandbox, o); err != nil {
		return nil, err
	}
	s := newSession(ctx, sandbox, o)
	s.mayWatch = h.mayWatch
	if err := h.reserve(s); err != nil {
		return nil, err
	}
	go h.tend(s, o) // counted by reserve
	select {
	case <-s.ready:
	case <-ctx.Done():
		return s.show(), nil
	}
	shown := s.show()
	s.mu.Lock()
	err = s.err
	s.mu.Unlock()
	if err == nil && shown.Status == Stopped {
		err = &proto.Error{Code: proto.CodeCancelled, Message: "the browser was stopped while it started"}
	}
	return shown, err
}

// sandbox looks one up for its owner. A store that answers with somebody
// else's has a fault that must not become ours.
func (h *Host) sandbox(ctx context.Context, owner, id string) (Sandbox, error) {
	sandbox, err := h.o.Sandboxes.Sandbox(ctx, owner, id)
	if err != nil {
		return Sandbox{}, err
	}
	if sandbox.Owner != owner || sandbox.ID != id {
		return Sandbox{}, UnknownSandbox(id)
	}
	return sandbox, nil
}

// mayStart goes through the rules that need no reservation.
func (h *Host) mayStart(ctx context.Context, sandbox Sandbox, o StartOptions) error {
	modes := h.o.Supervisor.Modes()
	now := h.o.Clock.Now()
	switch unknown := slices.IndexFunc(o.Capabilities, unknownCapability); {
	case o.Mode != proto.Headless && o.Mode != proto.Headed:
		return refuse(proto.CodeModeUnknown, "mode must be headless or headed")
	case unknown >= 0:
		return refuse(proto.CodeCapabilityUnknown, fmt.Sprintf("there is no capability %.40q; there are %s",
			o.Capabilities[unknown], strings.Join(proto.Capabilities(), ", ")))
	case !h.o.ExecutionEnabled(ctx, sandbox.Owner):
		return executionDisabled()
	case !sandbox.ExpiresAt.IsZero() && !now.Before(sandbox.ExpiresAt):
		return refuse(proto.CodeSandboxNotReady, "the sandbox has expired")
	case !sandbox.Ready:
		return refuse(proto.CodeSandboxNotReady, "the sandbox is not ready, and a browser opens only an app that runs")
	case !sandbox.ExpiresAt.IsZero() && sandbox.ExpiresAt.Sub(now) <= expiryLead:
		return refuse(proto.CodeSandboxExpiring, fmt.Sprintf("the sandbox expires within %d seconds, at which its browser would stop at once",
			expiryLead/time.Second))
	case len(modes) == 0:
		return refuse(proto.CodeBackendUnavailable, "this host's backend can't run a browser")
	case !slices.Contains(modes, o.Mode):
		return &proto.Error{
			Code:    proto.CodeModeUnavailable,
			Message: fmt.Sprintf("this host's backend can't start a %s browser", o.Mode),
			Hint:    "A window needs a display where the browser runs; start it headless and use the live view",
		}
	case o.SignIn && h.vault == nil:
		return refuse(proto.CodeSignInUnavailable, "this host keeps no sign-ins: it has no key for them")
	case h.occupied(sandbox):
		return browserExists()
	}
	denial, err := h.o.Quota.Check(ctx, sandbox.Owner, BrowserMinutes)
	if err != nil {
		return fmt.Errorf("check the quota: %w", err)
	}
	if denial != nil {
		return &QuotaDenied{Payload: denial}
	}
	return nil
}

func unknownCapability(name string) bool { return !slices.Contains(proto.Capabilities(), name) }

func (h *Host) occupied(sandbox Sandbox) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	newest := h.bySandbox[sandbox.key()]
	return newest != nil && newest.occupies()
}

// reserve makes s the sandbox's browser, unless it has one. The lock is what
// makes it the only one.
func (h *Host) reserve(s *session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return refuse(proto.CodeStopping, "the host is stopping and starts no browsers")
	}
	if h.deleting[s.sandbox.key()] > 0 {
		return UnknownSandbox(s.sandbox.ID)
	}
	if newest := h.bySandbox[s.sandbox.key()]; newest != nil && newest.occupies() {
		return browserExists()
	}
	h.bySandbox[s.sandbox.key()] = s
	h.bySession[s.id] = s
	h.background.Add(1)
	return nil
}

// Browser shows a sandbox's browser: the one that starts or runs, else the last
// one that did; nil when there was none.
func (h *Host) Browser(ctx context.Context, who Identity, id string) (*Browser, error) {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return nil, err
	}
	if s := h.newest(sandbox); s != nil {
		return s.show(), nil
	}
	return nil, nil
}

func (h *Host) newest(sandbox Sandbox) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bySandbox[sandbox.key()]
}

// Stop stops a sandbox's browser, gives up its start where it still starts, and
// returns when its minutes have been told. Where none runs it changes nothing.
func (h *Host) Stop(ctx context.Context, who Identity, id string) (*Browser, error) {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return nil, err
	}
	s := h.newest(sandbox)
	if s == nil {
		return nil, nil
	}
	if err := s.stop(ctx); err != nil {
		return nil, err
	}
	return s.show(), nil
}

// DeleteSandbox stops the sandbox's browser, so that the last events reach its
// recording, and then deletes the sandbox. A saved sign-in goes with it, unless
// it is a project's.
func (h *Host) DeleteSandbox(ctx context.Context, who Identity, id string) error {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return err
	}
	h.markDeleting(sandbox, 1) // or a browser could start between its end and the sandbox's
	defer h.markDeleting(sandbox, -1)
	if s := h.newest(sandbox); s != nil {
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	if err := h.forgetOwnSignIn(ctx, sandbox); err != nil { // first: afterwards nobody could try again
		return err
	}
	if err := h.o.Sandboxes.Delete(ctx, sandbox.Owner, sandbox.ID); err != nil {
		return err
	}
	h.forget(sandbox.key())
	return nil
}

func (h *Host) markDeleting(sandbox Sandbox, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := sandbox.key()
	if h.deleting[key] += by; h.deleting[key] == 0 {
		delete(h.deleting, key)
	}
}

// forget drops what is shown of a sandbox's last browser.
func (h *Host) forget(key sandboxKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.bySandbox[key]; s != nil && !s.occupies() {
		delete(h.bySandbox, key)
	}
}
