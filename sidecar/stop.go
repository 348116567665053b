package main

import (
	"context"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// The stop has one budget, below the 10 s after which parents kill. Each step
// gets what is left, at most its own share.
const (
	stopBudget  = 8 * time.Second
	answerShare = 2 * time.Second // waiting calls get their answers, running ones end
	closeShare  = 2 * time.Second // Chromium closes its pages and exits: 1.6 s at most where it works
	killShare   = 2 * time.Second // Chromium's processes are asked once more, killed and waited for
	wordsShare  = flushTime       // the last lines
)

// finish ends a session within its budget and returns the exit code. first, when
// it is not nil, is called at the beginning and counts against the budget.
func (s *session) finish(sig *signals, e ending, first func()) int {
	s.stopping.Store(true)
	// What hangs in spite of its own bounds is left to the survivor, which kills
	// and removes whatever a sidecar leaves that ends.
	watchdog := time.AfterFunc(stopBudget, func() {
		s.log.Error("the stop ran out of its time", "reason", e.reason)
		s.exit(s.lastWords(e, true, nil)) // what is used may be in the hands of what hangs
	})
	defer watchdog.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), stopBudget-wordsShare)
	defer cancel()
	switch {
	case first != nil:
		first()
	case e.reason != proto.ReasonFailed: // which has its own words
		s.log.Info("stopping", "reason", e.reason)
	}
	forced := s.stop(ctx, sig, e.reason)
	return s.lastWords(e, forced, s.usage())
}

// lastWords writes the last event and why something failed. Stderr's last line
// is the one that a supervisor reads.
func (s *session) lastWords(e ending, forced bool, usage map[string]any) int {
	detail := map[string]any{"exit": e.code, "forced": forced}
	if usage != nil {
		detail["usage"] = usage
	}
	s.out.event(proto.EventStopped, e.reason, detail)
	s.out.close()
	if e.err != nil {
		complain(s.stderr, e.err)
	}
	return e.code
}

// stop undoes the start in the order that keeps every promise: answers before
// connections are cut, the pages' last events before the browser closes, the
// directories after every process is gone. It reports whether something had to
// be forced.
func (s *session) stop(ctx context.Context, sig *signals, reason string) (forced bool) {
	s.out.event(proto.EventStopping, reason, map[string]any{"budget_ms": stopBudget.Milliseconds()})
	s.events.Publish(event.Event{Kind: event.Stopping, Detail: map[string]string{"reason": reason}})
	over := make(chan struct{})
	defer close(over)
	fast, hurry := context.WithCancel(ctx)
	defer hurry()
	go func() {
		select {
		case <-sig.stops:
			s.log.Warn("stopping fast after a second signal")
			hurry()
		case <-over:
		}
	}()

	if s.browser != nil {
		s.browser.Halt()
	}
	viewersGone := s.closeLive()
	hands := s.handsOver(reason)
	if s.server != nil {
		end := s.server.Stop
		if hands {
			end = s.server.HandOver
		}
		step, done := context.WithTimeout(fast, answerShare)
		if err := end(step); err != nil {
			s.log.Warn("some calls were cut", "error", err)
			forced = true
		}
		done()
	}
	<-viewersGone // it has bounds of its own
	if s.browser != nil {
		s.flushRecording(fast)
		step, done := context.WithTimeout(fast, closeShare)
		if err := s.browser.Close(step); err != nil {
			s.log.Warn("Chromium did not close by itself", "error", err)
		}
		done()
	}
	if s.process != nil {
		step, done := context.WithTimeout(fast, killShare)
		if err := s.process.Stop(step); err != nil {
			s.log.Warn("Chromium was killed", "error", err)
			forced = true
		}
		done()
	}
	if s.conn != nil {
		s.conn.Close()
	}
	if s.proxy != nil {
		s.proxy.Close()
	}
	if s.seat != nil {
		if err := s.seat.Close(); err != nil {
			s.log.Warn("could not give up Chromium's network", "error", err)
		}
	}
	s.background.Wait()
	s.closeRecording(fast)
	if hands {
		s.handOver(fast)
	}
	s.serving.Wait()
	if s.dirs != nil {
		if err := s.dirs.Remove(ctx); err != nil {
			s.log.Error("could not remove the session's directories", "error", err)
			forced = true
		}
	}
	if s.user != nil {
		if err := s.user.Close(); err != nil {
			s.log.Warn("could not give back Chromium's user", "error", err)
		}
	}
	return forced || fast.Err() != nil
}
