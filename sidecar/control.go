package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// clockStep is how often the expiry looks at the wall clock: a machine that
// slept, or whose clock was set, must notice within it.
const clockStep = 20 * time.Second

// control listens to the parent and to the clock, and turns both into reasons
// to stop.
type control struct {
	s       *session
	reasons chan<- string

	mu     sync.Mutex
	stopAt *time.Time
	again  chan struct{} // wakes the timer after stopAt changed
	cancel context.CancelFunc
	timer  sync.WaitGroup
}

func newControl(s *session, commands io.Reader, reasons chan<- string) *control {
	c := &control{s: s, reasons: reasons, again: make(chan struct{}, 1)}
	if commands != nil {
		// Reading ends when the parent closes its end, or with the process.
		go c.listen(proto.NewLineReader(commands))
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	c.timer.Go(func() { c.keepTime(ctx) })
	return c
}

func (c *control) close() {
	c.cancel()
	c.timer.Wait()
}

// give hands a reason on; a reason after the first changes nothing.
func (c *control) give(reason string) {
	select {
	case c.reasons <- reason:
	default:
	}
}

// arm sets the end of the session, in epoch milliseconds; nil is none.
func (c *control) arm(stopAt *float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAt = nil
	if stopAt != nil {
		at := instant(*stopAt)
		c.stopAt = &at
	}
	select {
	case c.again <- struct{}{}:
	default:
	}
}

// instant is epoch milliseconds as a time with a monotonic reading, so that the
// end comes no later for a clock that is set back.
func instant(ms float64) time.Time {
	now := time.Now()
	const far = float64(time.Duration(1<<62) / time.Millisecond)
	d := ms - float64(now.UnixMilli())
	return now.Add(time.Duration(min(max(d, -far), far) * float64(time.Millisecond)))
}

func (c *control) keepTime(ctx context.Context) {
	for {
		c.mu.Lock()
		at := c.stopAt
		c.mu.Unlock()
		wait := clockStep
		if at != nil {
			// Whichever clock is further: monotonic time or the wall's.
			left := min(time.Until(*at), at.Round(0).Sub(time.Now().Round(0)))
			if left <= 0 {
				c.give(proto.ReasonExpired)
				return
			}
			wait = min(wait, left)
		}
		select {
		case <-time.After(wait):
		case <-c.again:
		case <-ctx.Done():
			return
		}
	}
}

func (c *control) listen(lines *proto.LineReader) {
	for {
		line, err := lines.Next()
		if errors.Is(err, proto.CodeMessageTooLong) {
			c.reject("", err)
			continue
		}
		if err != nil {
			c.give(proto.ReasonParentGone)
			return
		}
		cmd, err := proto.DecodeCommand(line)
		if err != nil {
			c.reject(cmd.ID, err)
			continue
		}
		c.obey(cmd)
	}
}

func (c *control) reject(id string, err error) {
	e := asError(err)
	c.s.out.event(proto.EventRejected, "", map[string]any{"id": id, "code": string(e.Code), "message": e.Message, "hint": e.Hint})
}

func (c *control) obey(cmd proto.Command) {
	switch cmd.Type {
	case proto.CommandStop:
		c.give(proto.ReasonCommand)
	case proto.CommandPing:
		c.s.out.event(proto.EventPong, "", map[string]any{"id": cmd.ID})
	case proto.CommandExtend:
		c.arm(cmd.StopAt)
		c.s.out.event(proto.EventExtended, "", map[string]any{"id": cmd.ID, "stop_at": *cmd.StopAt})
	case proto.CommandRevoke:
		c.s.out.event(proto.EventRevoked, "", map[string]any{"id": cmd.ID, "user": cmd.User, "viewers": 0})
	}
}
