package main

import (
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/mcp"
)

// usageEvery is how often the supervisor is told: as metering counts, in minutes.
const usageEvery = time.Minute

// countCalls counts the tool calls that ran.
func (s *session) countCalls(o *mcp.Options) {
	next := o.OnCall
	o.OnCall = func(c mcp.CallRecord) {
		s.calls.Add(1)
		if next != nil {
			next(c)
		}
	}
}

// usage is what the session has used up to now.
func (s *session) usage() map[string]any {
	u := map[string]any{"calls": s.calls.Load(), "bytes_in": int64(0), "bytes_out": int64(0), "viewer_ms": int64(0)}
	if s.proxy != nil {
		stats := s.proxy.Stats()
		u["bytes_in"], u["bytes_out"] = stats.BytesDown, stats.BytesUp
	}
	if v := s.live.Load(); v != nil {
		u["viewer_ms"] = v.hub.Watched().Milliseconds()
	}
	return u
}

// tellUsage tells the supervisor each minute, until Chromium is gone. The last
// word is the stopped event's.
func (s *session) tellUsage() {
	if !s.launch.Lifeline {
		return
	}
	s.background.Go(func() {
		tick := time.NewTicker(usageEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.out.event(proto.EventUsage, "", s.usage())
			case <-s.gone:
				return
			}
		}
	})
}
