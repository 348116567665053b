package main

import (
	"io"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// output is stdout: the ready line, then event lines where there is a lifeline,
// and nothing else ever.
type output struct {
	pump     *pump
	lifeline bool

	mu     sync.Mutex
	opened bool     // the ready line is out
	early  [][]byte // events from before it; they follow it
}

func newOutput(w io.Writer, lifeline bool) *output {
	return &output{pump: newPump(w, nil), lifeline: lifeline}
}

// ready writes the ready line and the events that waited for it.
func (o *output) ready(r proto.Ready) error {
	line, err := r.Encode()
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened = true
	o.push(line)
	for _, line := range o.early {
		o.push(line)
	}
	o.early = nil
	return nil
}

// event writes an event. One from before the ready line waits for it: a parent
// may send commands as soon as it has sent the config, and each gets its answer.
// If no ready line ever comes, the parent reads nothing at all.
func (o *output) event(typ, reason string, detail map[string]any) {
	if !o.lifeline {
		return
	}
	line, err := proto.Event{Type: typ, At: time.Now().UnixMilli(), Reason: reason, Detail: detail}.Encode()
	if err != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.opened:
		o.push(line)
	case len(o.early) < queuedLines:
		o.early = append(o.early, line)
	}
}

func (o *output) push(line []byte) { _, _ = o.pump.Write(append(line, '\n')) }

// close writes what is queued, for a moment.
func (o *output) close() { o.pump.close() }
