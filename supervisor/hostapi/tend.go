package hostapi

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

const (
	// signInLead is how long before it stops by itself a browser is asked for
	// its sign-in: afterwards there is nobody to ask.
	signInLead = 10 * time.Second

	// signInTimeout bounds that question; the sidecar answers from its browser.
	signInTimeout = 10 * time.Second

	// never is longer than any browser lives.
	never = 100 * 365 * 24 * time.Hour
)

// tend takes a session through its life, on its own goroutine.
func (h *Host) tend(s *session, o StartOptions) {
	defer h.background.Done()
	log := h.log.With("sandbox", s.sandbox.ID, "session", s.id)
	attrs := []slog.Attr{slog.String("sandbox", s.sandbox.ID), slog.String("session", s.id), slog.String("mode", string(s.mode))}
	began := time.Now()
	ctx, span := h.o.Tracer.Start(s.wanted, "browser.start", attrs...)
	browser, err := h.begin(ctx, s, o)
	span.End(err)
	h.metrics.starts.Add(1, resultOf(err, s))
	if err != nil {
		s.over(h.o.Clock.Now(), "", err)
		log.Info("browser did not start", "error", err)
		close(s.ready)
	} else {
		h.metrics.startTook.Observe(time.Since(began))
		s.started(browser, h.o.Clock.Now())
		h.note(context.Background(), s.entry(h.o.Clock.Now()))
		close(s.ready)
		h.attend(s, browser)
		ended := browser.Wait(context.Background()) // near, if not past
		s.over(h.o.Clock.Now(), browser.Usage().Reason, ended)
		h.metrics.ends.Add(1, string(s.show().Status))
	}
	s.askToStop() // whoever waits for the end need not wait for what follows
	if err := h.settle(context.Background(), s.entry(h.o.Clock.Now())); err != nil {
		log.Error("browser's end is not settled and will be tried again", "error", err)
	}
	h.mu.Lock()
	delete(h.bySession, s.id) // not before: until then its entry is this host's to settle
	h.mu.Unlock()
	close(s.ended)
}

// resultOf words how a start ended.
func resultOf(err error, s *session) string {
	switch {
	case err == nil:
		return "running"
	case s.wanted.Err() != nil:
		return "given up"
	default:
		return "failed"
	}
}

// begin makes what a browser needs and starts it. What it wrote down before an
// error is settled by the caller, as for a browser that ran for no time.
func (h *Host) begin(ctx context.Context, s *session, o StartOptions) (*supervisor.Browser, error) {
	h.awaitRecovery()
	// Whoever deleted the sandbox before it was reserved did not find this session.
	if _, err := h.sandbox(ctx, s.sandbox.Owner, s.sandbox.ID); err != nil {
		return nil, err
	}
	if err := h.o.Journal.Put(ctx, s.entry(h.o.Clock.Now())); err != nil {
		return nil, internal("write the browser down", err)
	}
	launch, err := h.launch(ctx, s, o)
	if err != nil {
		return nil, err
	}
	starter := *h.o.Supervisor
	if starter.Log == nil {
		starter.Log = h.log
	}
	starter.Log = starter.Log.With("sandbox", s.sandbox.ID, "session", s.id)
	if films, ok := h.o.Recordings.(FilmKeeper); ok && launch.Recording != nil && launch.Recording.Video {
		starter.Films = films.FilmsDir(s.sandbox, s.id)
	}
	return starter.Start(ctx, launch)
}

// awaitRecovery returns when no [Host.Recover] is under way.
func (h *Host) awaitRecovery() {
	h.recovering.RLock()
	defer h.recovering.RUnlock()
}

// launch is what the browser starts with.
func (h *Host) launch(ctx context.Context, s *session, o StartOptions) (proto.Launch, error) {
	launch := h.o.Launch
	launch.AppURL, launch.Mode, launch.Capabilities = s.sandbox.AppURL, s.mode, o.Capabilities
	launch.Token = proto.Secret{} // a new one for each start
	if !s.stopAt.IsZero() {
		ms := float64(s.stopAt.UnixMilli())
		launch.StopAt = &ms
	}
	if o.NoLive {
		launch.Live = nil
	} else {
		live := proto.Live{}
		if launch.Live != nil {
			live = *launch.Live
		}
		live.SessionID = s.id
		live.Origins = append(append([]string{}, h.o.LiveOrigins...), o.LiveOrigins...)
		launch.Live = &live
	}
	var err error
	if launch.Recording, err = h.o.Recordings.Open(ctx, s.sandbox, s.id); err != nil {
		return launch, internal("open the recording", err)
	}
	if s.signIn {
		if launch.StorageState, err = h.loadSignIn(ctx, s.sandbox); err != nil {
			return launch, err
		}
	}
	return launch, nil
}

// attend watches the browser until it has ended, and ends it when asked to.
func (h *Host) attend(s *session, browser *supervisor.Browser) {
	alive := time.NewTicker(reapEvery)
	defer alive.Stop()
	save := time.NewTimer(h.untilSave(s))
	defer save.Stop()
	for {
		select {
		case e, more := <-browser.Events():
			if !more {
				return
			}
			h.event(s, e)
		case <-alive.C:
			h.note(context.Background(), s.entry(h.o.Clock.Now()))
		case <-save.C:
			if left := h.untilSave(s); left > 0 { // its end was moved
				save.Reset(left)
				continue
			}
			h.keepSignIn(s, browser)
			save.Reset(signInLead) // it has stopped by then, or its end was moved
		case <-s.wanted.Done():
			h.end(s, browser)
			return
		}
	}
}

// untilSave is how long until a browser that stops by itself is asked for its
// sign-in.
func (h *Host) untilSave(s *session) time.Duration {
	now := h.o.Clock.Now()
	if e := s.entry(now); s.signIn && !e.StopAt.IsZero() {
		return e.StopAt.Sub(now) - signInLead
	}
	return never
}

// end stops the browser because somebody asked for that.
func (h *Host) end(s *session, browser *supervisor.Browser) {
	if s.signIn {
		h.keepSignIn(s, browser)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.wanted), stopTimeout)
	defer cancel()
	ctx, span := h.o.Tracer.Start(ctx, "browser.stop", slog.String("sandbox", s.sandbox.ID), slog.String("session", s.id))
	err := browser.Stop(ctx)
	span.End(err)
	if errors.Is(err, proto.CodeStopForced) {
		h.log.Warn("browser had to be killed", "sandbox", s.sandbox.ID, "session", s.id, "error", err)
	}
	for e := range browser.Events() {
		h.event(s, e)
	}
}

func (h *Host) event(s *session, e proto.Event) {
	h.metrics.event(e)
	if h.o.OnEvent != nil {
		h.o.OnEvent(s.sandbox, s.id, e)
	}
}

// note writes an entry down; that it failed must not end a browser that runs.
func (h *Host) note(ctx context.Context, e Entry) {
	if err := h.o.Journal.Put(ctx, e); err != nil {
		h.log.Error("the journal can't be written", "session", e.Session, "error", err)
	}
}
