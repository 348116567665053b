package main

import (
	"io"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// output is stdout: the ready line, then event lines where there is a lifeline,
// and nothing else ever. A parent that stopped reading must neither block nor
// end the sidecar.
type output struct {
	mu       sync.Mutex
	w        io.Writer
	lifeline bool
	opened   bool // the ready line is out: nothing may come before it
	lines    chan []byte
	done     chan struct{}
	closed   bool
}

// queuedLines is how far a parent may lag behind; a line beyond is lost. Events
// are small facts, and the last one says how it ended.
const queuedLines = 256

// flushTime is how long the last line waits for a slow parent.
const flushTime = 500 * time.Millisecond

func newOutput(w io.Writer, lifeline bool) *output {
	o := &output{w: w, lifeline: lifeline, lines: make(chan []byte, queuedLines), done: make(chan struct{})}
	go o.write()
	return o
}

func (o *output) write() {
	defer close(o.done)
	broken := false
	for line := range o.lines {
		if broken {
			continue
		}
		_, err := o.w.Write(append(line, '\n'))
		broken = err != nil
	}
}

func (o *output) push(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	select {
	case o.lines <- line:
	default:
	}
}

func (o *output) ready(r proto.Ready) error {
	line, err := r.Encode()
	if err != nil {
		return err
	}
	o.push(line)
	o.mu.Lock()
	o.opened = true
	o.mu.Unlock()
	return nil
}

func (o *output) event(typ, reason string, detail map[string]any) {
	o.mu.Lock()
	silent := !o.lifeline || !o.opened
	o.mu.Unlock()
	if silent {
		return
	}
	line, err := proto.Event{Type: typ, At: time.Now().UnixMilli(), Reason: reason, Detail: detail}.Encode()
	if err == nil {
		o.push(line)
	}
}

// close writes what is queued, for a moment. A parent that never reads again
// leaves the writer blocked in its last write; it ends with the process.
func (o *output) close() {
	o.mu.Lock()
	if !o.closed {
		o.closed = true
		close(o.lines)
	}
	o.mu.Unlock()
	select {
	case <-o.done:
	case <-time.After(flushTime):
	}
}
