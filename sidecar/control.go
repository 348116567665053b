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
	out     *output
	reasons chan<- string
	revoke  func(user string) (viewers int, err error)
	clocks  clocks

	mu     sync.Mutex
	end    *expiry       // nil: none
	again  chan struct{} // wakes the timer after end changed
	cancel context.CancelFunc
	timer  sync.WaitGroup
}

// newControl listens to commands from now on: the parent may go, or want a stop,
// during the start already. The end of the session, which a command may replace
// meanwhile, is kept from keepTime on.
func newControl(out *output, stopAt *float64, commands io.Reader, reasons chan<- string, revoke func(string) (int, error)) *control {
	c := &control{out: out, reasons: reasons, revoke: revoke, clocks: systemClocks(), again: make(chan struct{}, 1)}
	if stopAt != nil {
		c.setEnd(*stopAt)
	}
	if commands != nil {
		// Reading ends when the parent closes its end, or with the process.
		go c.listen(proto.NewLineReader(commands))
	}
	return c
}

// keepTime begins to watch the clock, until close.
func (c *control) keepTime() {
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	c.timer.Go(func() { c.tick(ctx) })
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

// setEnd sets the end of the session, in epoch milliseconds.
func (c *control) setEnd(ms float64) {
	end := c.clocks.expiryAt(ms)
	c.mu.Lock()
	c.end = &end
	c.mu.Unlock()
	select {
	case c.again <- struct{}{}:
	default:
	}
}

func (c *control) tick(ctx context.Context) {
	for {
		c.mu.Lock()
		end := c.end
		c.mu.Unlock()
		wait := clockStep
		if end != nil {
			left := c.clocks.left(*end)
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
	c.out.event(proto.EventRejected, "", map[string]any{"id": id, "code": string(e.Code), "message": e.Message, "hint": e.Hint})
}

func (c *control) obey(cmd proto.Command) {
	switch cmd.Type {
	case proto.CommandStop:
		c.give(proto.ReasonCommand)
	case proto.CommandPing:
		c.out.event(proto.EventPong, "", map[string]any{"id": cmd.ID})
	case proto.CommandExtend:
		// The answer first: a new end may have come already.
		c.out.event(proto.EventExtended, "", map[string]any{"id": cmd.ID, "stop_at": *cmd.StopAt})
		c.setEnd(*cmd.StopAt)
	case proto.CommandRevoke:
		viewers, err := c.revoke(cmd.User)
		if err != nil {
			c.reject(cmd.ID, err)
			return
		}
		c.out.event(proto.EventRevoked, "", map[string]any{"id": cmd.ID, "user": cmd.User, "viewers": viewers})
	}
}
