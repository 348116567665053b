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
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
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

var (
	// errStopRequested cancels a start that is not wanted any more.
	errStopRequested = errors.New("the start was stopped")
	// errConnectionEnded is what is known of a browser that closed its pipe and
	// did not exit.
	errConnectionEnded = &proto.Error{
		Code: proto.CodeBrowserExited, Message: "Chromium closed its connection",
		Hint: "Start another session; what Chromium wrote about it is in its log, if anywhere",
	}
)

// errBrowserEnded is what agents read whose browser is gone.
var errBrowserEnded = &proto.Error{
	Code: proto.CodeBrowserExited, Message: "The browser ended unexpectedly, so this session is over", Hint: "Start another one.",
}

// run is the whole life of a session; it returns the exit code.
func (s *session) run(sig *signals, commands io.Reader) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	reasons := make(chan string, 8)
	control := newControl(s.out, s.launch.StopAt, commands, reasons, s.revoke)

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
	select {
	case result = <-up:
	case <-sig.stops:
		return s.abandon(sig, proto.ReasonSignal, func() { cancel(errStopRequested); <-up })
	case reason := <-reasons:
		return s.abandon(sig, reason, func() { cancel(errStopRequested); <-up })
	}
	if result.err != nil {
		return s.finish(sig, ending{proto.ReasonFailed, exitFailed, result.err}, nil)
	}

	s.relayEvents()
	if err := s.out.ready(result.ready); err != nil {
		s.log.Error("could not write the ready line", "error", err)
	}
	s.openApp()
	s.tellUsage()
	control.keepTime()
	defer control.close()
	end := ending{code: exitOK}
	select {
	case <-sig.stops:
		end.reason = proto.ReasonSignal
	case end.reason = <-reasons:
	case <-s.gone:
		end = s.browserGone(sig)
	}
	return s.finish(sig, end, nil)
}

// abandon ends a session whose start is still under way; cancel ends the start
// and returns when it has ended.
func (s *session) abandon(sig *signals, reason string, cancel func()) int {
	s.log.Info("stopping during the start", "reason", reason)
	return s.finish(sig, ending{reason: reason, code: exitOK}, cancel)
}

// browserGone judges the end of Chromium that nobody here asked for. A service
// manager that stops everything at once may have reached Chromium first: then
// its signal, and not Chromium's end, is the reason.
func (s *session) browserGone(sig *signals) ending {
	err := asError(s.process.Explain(errConnectionEnded))
	select {
	case <-sig.stops:
		return ending{reason: proto.ReasonSignal, code: exitOK}
	default:
	}
	s.log.Error("the browser is gone", "error", err)
	s.out.event(proto.EventCrashed, "", map[string]any{"what": "browser", "code": string(err.Code)})
	return ending{proto.ReasonBrowserExited, exitFailed, err}
}

// ending is why and how a session ends.
type ending struct {
	reason string // a proto.Reason… constant
	code   int    // the process's exit code
	err    error  // nil unless something failed
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
		proc.Trim() // the start is over
	})
}

// firstPageTimeout is as long as any other navigation gets.
const firstPageTimeout = 50 * time.Second

// relayEvents tells the supervisor what it may act on.
func (s *session) relayEvents() {
	s.events.Listen(func(e event.Event) {
		switch e.Kind {
		case event.Refused:
			r := e.Refusal()
			code := proto.CodeBlocked
			if r.Kind == event.RefusedNavigation {
				code = proto.CodeOffApp
			}
			s.out.event(proto.EventRefused, "", map[string]any{
				"kind": r.Kind, "target": r.Target, "rule": r.Rule, "reason": r.Reason, "setting": r.Setting, "code": string(code),
			})
		case event.Crashed:
			s.out.event(proto.EventCrashed, "", map[string]any{"what": "renderer", "tab": e.Tab, "code": string(proto.CodePageCrashed)})
		case event.Navigated:
			s.out.event(proto.EventPage, "", map[string]any{"url": e.URL, "tab": e.Tab})
		}
	})
}
