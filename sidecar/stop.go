package main

import (
	"context"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// The stop has one budget, below the 10 s after which parents kill. Each step
// gets what is left, at most its own share.
const (
	stopBudget  = 8 * time.Second
	answerShare = 2 * time.Second // waiting calls get their answers, running ones end
	closeShare  = 3 * time.Second // Chromium closes its pages and exits
	killShare   = 2 * time.Second // Chromium's processes are killed and waited for
)

// stop undoes the start in the order that keeps every promise: answers before
// connections are cut, the pages' last events before the browser closes, the
// directories after every process is gone. It reports whether something had to
// be forced.
func (s *session) stop(sig *signals, reason string) (forced bool) {
	s.stopping.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), stopBudget)
	defer cancel()
	s.out.event(proto.EventStopping, reason, map[string]any{"budget_ms": stopBudget.Milliseconds()})
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

	if s.server != nil {
		step, done := context.WithTimeout(fast, answerShare)
		if err := s.server.Stop(step); err != nil {
			s.log.Warn("some calls were cut", "error", err)
			forced = true
		}
		done()
	}
	if s.browser != nil {
		step, done := context.WithTimeout(fast, closeShare)
		if err := s.browser.Close(step); err != nil {
			s.log.Warn("Chromium did not close by itself", "error", err)
		}
		done()
	}
	if s.process != nil {
		step, done := context.WithTimeout(ctx, killShare)
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
