package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// signals hands the stop signals on. SIGPIPE is taken as well and dropped: a
// parent that closes its end of stdout must not end us.
type signals struct {
	stops chan os.Signal
	pipes chan os.Signal
}

func watchSignals() *signals {
	s := &signals{stops: make(chan os.Signal, 4), pipes: make(chan os.Signal, 1)}
	signal.Notify(s.stops, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	signal.Notify(s.pipes, syscall.SIGPIPE)
	return s
}

func (s *signals) stop() {
	signal.Stop(s.stops)
	signal.Stop(s.pipes)
}

// errStopRequested cancels a start that is not wanted any more.
var errStopRequested = errors.New("the start was stopped")

// run is the whole life of a session; it returns the exit code.
func (s *session) run(sig *signals, commands io.Reader) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	reasons := make(chan string, 8)
	control := newControl(s, commands, reasons)

	type started struct {
		ready proto.Ready
		err   error
	}
	up := make(chan started, 1)
	go func() {
		ready, err := s.start(ctx)
		up <- started{ready, err}
	}()
	var result started
	reason := ""
	select {
	case result = <-up:
	case <-sig.stops:
		reason = proto.ReasonSignal
	case reason = <-reasons:
	}
	if reason != "" {
		cancel(errStopRequested)
		result = <-up
		s.log.Info("stopping during the start", "reason", reason)
		forced := s.stop(sig, reason)
		return s.end(reason, exitOK, forced)
	}
	if result.err != nil {
		forced := s.stop(sig, proto.ReasonFailed)
		code := s.end(proto.ReasonFailed, exitFailed, forced)
		complain(s.stderr, result.err)
		return code
	}

	s.openApp()
	if err := s.out.ready(result.ready); err != nil {
		s.log.Error("could not write the ready line", "error", err)
	}
	s.relayEvents()
	control.arm(s.launch.StopAt)
	code := exitOK
	select {
	case <-sig.stops:
		reason = proto.ReasonSignal
	case reason = <-reasons:
	case <-s.gone:
		reason, code = proto.ReasonBrowserExited, exitFailed
	}
	s.log.Info("stopping", "reason", reason)
	forced := s.stop(sig, reason)
	control.close()
	return s.end(reason, code, forced)
}

// end writes the last line.
func (s *session) end(reason string, code int, forced bool) int {
	s.out.event(proto.EventStopped, reason, map[string]any{"exit": code, "forced": forced})
	s.out.close()
	return code
}

// openApp begins to load the app in the first tab, as a person would find it.
// Nobody waits for it here; tool calls do, for a moment.
func (s *session) openApp() {
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), firstPageTimeout)
		defer cancel()
		if err := s.tools.OpenApp(ctx, s.launch.AppURL+"/"); err != nil && !s.stopping.Load() {
			s.log.Warn("the app could not be opened", "error", err)
		}
	})
}

// firstPageTimeout is as long as any other navigation gets.
const firstPageTimeout = 50 * time.Second

// relayEvents tells the supervisor what it may act on.
func (s *session) relayEvents() {
	s.events.Listen(func(e event.Event) {
		switch e.Kind {
		case event.Refused:
			s.out.event(proto.EventRefused, "", map[string]any{"kind": e.Detail["kind"], "target": e.Detail["target"], "reason": e.Detail["rule"], "code": string(proto.CodeBlocked)})
		case event.Crashed:
			s.out.event(proto.EventCrashed, "", map[string]any{"what": "renderer", "tab": e.Tab, "code": string(proto.CodePageCrashed)})
		case event.Navigated:
			s.out.event(proto.EventPage, "", map[string]any{"url": e.URL, "tab": e.Tab})
		}
	})
}
