package hostapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// sweepTimeout bounds the end of what an earlier host left: two of its stops, one in
// good order and one by force. Starts wait for it.
const sweepTimeout = 30 * time.Second

// settle does what a browser's end asks for: its recording is completed and
// its minutes are told, each once. What can't be done now stays written down,
// in the journal and here, for [Host.Reap].
func (h *Host) settle(ctx context.Context, e Entry) error {
	var failed error
	if !e.Completed {
		sandbox := Sandbox{ID: e.Sandbox, Owner: e.Owner}
		if err := h.o.Recordings.Complete(ctx, sandbox, e.Session); err != nil {
			failed = fmt.Errorf("complete the recording: %w", err)
		} else {
			e.Completed = true
		}
	}
	if !e.Metered && e.Minutes() > 0 {
		u := Usage{Owner: e.Owner, Kind: BrowserMinutes, Quantity: e.Minutes(), Sandbox: e.Sandbox, Session: e.Session}
		if err := h.o.Usage.Record(ctx, u); err != nil {
			failed = errors.Join(failed, fmt.Errorf("record %d minutes: %w", u.Quantity, err))
		} else {
			e.Metered = true
			h.metrics.minutes.Add(float64(u.Quantity))
		}
	}
	if failed == nil {
		failed = h.o.Journal.Remove(ctx, e.Session)
	}
	if failed != nil {
		h.note(ctx, e)
		h.mu.Lock()
		h.unsettled[e.Session] = e
		h.mu.Unlock()
	}
	return failed
}

// settleAll tries again what could not be settled.
func (h *Host) settleAll(ctx context.Context) (failed error) {
	h.recovering.RLock() // or what is being settled here would look like another host's
	defer h.recovering.RUnlock()
	h.mu.Lock()
	due := h.unsettled
	h.unsettled = map[string]Entry{} // so that nobody else takes an entry as well
	h.mu.Unlock()
	for _, e := range due {
		if err := h.settle(ctx, e); err != nil {
			failed = errors.Join(failed, fmt.Errorf("session %s: %w", e.Session, err))
		}
	}
	return failed
}

// Reap stops the browsers whose sandbox has expired or is gone, moves the end
// of those whose sandbox's expiry has moved, and tells the minutes that could
// not be told before. [Host.Run] calls it every quarter of a minute; without
// Run, call it yourself.
func (h *Host) Reap(ctx context.Context) error {
	h.mu.Lock()
	var running []*session
	for _, s := range h.bySession {
		running = append(running, s)
	}
	h.mu.Unlock()
	failed := make([]error, len(running))
	var stops sync.WaitGroup
	for i, s := range running {
		stops.Go(func() { failed[i] = h.reap(ctx, s) })
	}
	stops.Wait()
	return errors.Join(append(failed, h.forgetGone(ctx), h.settleAll(ctx))...)
}

// reap looks after one browser.
func (h *Host) reap(ctx context.Context, s *session) error {
	now := h.o.Clock.Now()
	sandbox, err := h.sandbox(ctx, s.sandbox.Owner, s.sandbox.ID)
	switch {
	case errors.Is(err, proto.CodeSandboxUnknown):
		return s.stop(ctx)
	case err != nil:
		return fmt.Errorf("look up sandbox %s: %w", s.sandbox.ID, err)
	case !sandbox.ExpiresAt.IsZero() && !now.Before(sandbox.ExpiresAt):
		return s.stop(ctx)
	}
	browser := s.running()
	if browser == nil {
		return nil
	}
	if sandbox.ExpiresAt.IsZero() {
		return nil
	}
	if stopAt := sandbox.ExpiresAt.Add(-expiryLead); !stopAt.Equal(s.entry(now).StopAt) {
		return h.moveEnd(ctx, s, browser, stopAt)
	}
	return nil
}

// moveEnd has a browser end earlier or later. One that can't be told ends at its own
// time, or by our hand where it should have ended before.
func (h *Host) moveEnd(ctx context.Context, s *session, browser *supervisor.Browser, stopAt time.Time) error {
	err := browser.Extend(ctx, stopAt)
	if errors.Is(err, proto.CodeUnsupported) {
		if !h.o.Clock.Now().Before(stopAt) {
			return s.stop(ctx)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("extend session %s: %w", s.id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopAt = stopAt
	return nil
}

// forgetGone drops what is shown and saved of browsers whose sandbox is gone.
func (h *Host) forgetGone(ctx context.Context) (failed error) {
	h.mu.Lock()
	var ended []Sandbox
	for _, s := range h.bySandbox {
		if !s.occupies() {
			ended = append(ended, s.sandbox)
		}
	}
	h.mu.Unlock()
	for _, sandbox := range ended {
		if _, err := h.sandbox(ctx, sandbox.Owner, sandbox.ID); !errors.Is(err, proto.CodeSandboxUnknown) {
			continue
		}
		if err := h.forgetOwnSignIn(ctx, sandbox); err != nil { // and again at the next look
			failed = errors.Join(failed, fmt.Errorf("sandbox %s: %w", sandbox.ID, err))
			continue
		}
		h.forget(sandbox.key())
	}
	return failed
}

// Recover settles the browsers of an earlier host of the same journal. That
// host's death ended them, by their lifeline; what a backend still has of them
// is ended here. Their minutes count until they were last known to run and one
// look more, and never beyond the time at which they stopped by themselves. A start
// waits until it has returned: its sandbox may have had a browser.
func (h *Host) Recover(ctx context.Context) error {
	h.recovering.Lock()
	defer h.recovering.Unlock()
	sweeping, cancel := context.WithTimeout(ctx, sweepTimeout)
	failed := h.o.Supervisor.Sweep(sweeping)
	cancel()
	mine := h.entries() // and no others come, while this goes on
	entries, err := h.o.Journal.List(ctx)
	if err != nil {
		failed = errors.Join(failed, err) // and go on with those that could be read
	}
	for _, e := range entries {
		if mine[e.Session] {
			continue
		}
		if e.StoppedAt.IsZero() {
			e.StoppedAt = lastAlive(e, h.o.Clock.Now())
		}
		if err := h.settle(ctx, e); err != nil {
			failed = errors.Join(failed, fmt.Errorf("session %s: %w", e.Session, err))
		}
	}
	return failed
}

// entries are the sessions in the journal that this host looks after.
func (h *Host) entries() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	mine := map[string]bool{}
	for id := range h.bySession {
		mine[id] = true
	}
	for id := range h.unsettled {
		mine[id] = true
	}
	return mine
}

// lastAlive is when a browser whose host died stopped being one.
func lastAlive(e Entry, now time.Time) time.Time {
	at := e.AliveAt.Add(reapEvery)
	if now.Before(at) {
		at = now
	}
	if !e.StopAt.IsZero() && e.StopAt.Before(at) {
		at = e.StopAt
	}
	return at
}
