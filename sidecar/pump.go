package main

import (
	"io"
	"sync"
	"time"
)

// pump carries whole lines to a stream whose reader may be slow, stuck or gone.
// Writing to it neither blocks nor fails: a parent that stops reading must not
// stop the sidecar, nor change how it ends.
type pump struct {
	lines chan []byte
	done  chan struct{} // closed when everything queued is written, or given up

	mu     sync.Mutex
	closed bool
	lost   int
	notice func(lost int) []byte // nil: losses are not told
}

const (
	// queuedLines is how far a reader may lag behind; lines beyond are lost. The
	// system's pipe holds some hundreds more.
	queuedLines = 256
	// flushTime is how long the last lines wait for a slow reader.
	flushTime = 500 * time.Millisecond
)

// newPump starts the goroutine that writes; close waits for it. notice, where it
// is not nil, words how many lines were lost, for the reader who is back.
func newPump(w io.Writer, notice func(lost int) []byte) *pump {
	p := &pump{lines: make(chan []byte, queuedLines), done: make(chan struct{}), notice: notice}
	go p.drain(w)
	return p
}

// drain writes until the queue is closed. A stream that failed once has lost its
// reader, and takes nothing more.
func (p *pump) drain(w io.Writer) {
	defer close(p.done)
	broken := false
	for line := range p.lines {
		if !broken {
			_, err := w.Write(line)
			broken = err != nil
		}
	}
}

// Write queues b, which is one or more whole lines.
func (p *pump) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return len(b), nil
	}
	line := append([]byte(nil), b...)
	if p.lost > 0 && p.notice != nil {
		line = append(p.notice(p.lost), line...)
	}
	select {
	case p.lines <- line:
		p.lost = 0
	default:
		p.lost++
	}
	return len(b), nil
}

// close writes what is queued, for a moment. A reader that never reads again
// leaves the goroutine in its last write; it ends with the process.
func (p *pump) close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.lines)
	}
	p.mu.Unlock()
	select {
	case <-p.done:
	case <-time.After(flushTime):
	}
}
