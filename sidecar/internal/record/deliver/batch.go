package deliver

import (
	"bytes"
	"compress/gzip"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/record/tree"
)

// Class decides what is given up first when not everything can be kept.
type Class uint8

// The classes.
const (
	Change  Class = iota // of no use without what came before
	Restart              // lets a replay start anew
	Fact                 // markers, console, actions
)

// Item is one event that is ready to be sent.
type Item struct {
	Class Class
	Tab   int // 0: none
	JSON  []byte
}

const (
	// batchWait is how long the first event of a batch waits for more: the
	// original's.
	batchWait = time.Second
	// batchFrame is what a batch has beside its events, with room to spare: the
	// original's.
	batchFrame = 1024
)

// batch is what is posted together.
type batch []Item

// bytes of the events, as the limit counts them: a comma each.
func (b batch) bytes() (n int) {
	for _, it := range b {
		n += len(it.JSON) + 1
	}
	return n
}

// batcher fills batches. It has no goroutine and no clock.
type batcher struct {
	maxEvents, maxBytes int

	waiting batch
	size    int
}

func newBatcher(events, bytes int) *batcher {
	return &batcher{maxEvents: max(events, 1), maxBytes: max(bytes-batchFrame, 1)}
}

// largest is the size of an event that fits into a batch by itself.
func (b *batcher) largest() int { return b.maxBytes - 1 }

// fits says whether events can go in one batch.
func (b *batcher) fits(events batch) bool {
	return len(events) <= b.maxEvents && events.bytes() <= b.maxBytes
}

// add takes an event that fits and gives the batches that are full now.
func (b *batcher) add(it Item) (full []batch) {
	size := len(it.JSON) + 1
	if len(b.waiting) > 0 && b.size+size > b.maxBytes {
		full = append(full, b.take())
	}
	b.waiting = append(b.waiting, it)
	if b.size += size; len(b.waiting) >= b.maxEvents {
		full = append(full, b.take())
	}
	return full
}

// take gives what waits.
func (b *batcher) take() batch {
	full := b.waiting
	b.waiting, b.size = nil, 0
	return full
}

// body is a batch as it is posted at a moment.
func body(events batch, now time.Time, zip bool) []byte {
	plain := make([]byte, 0, events.bytes()+batchFrame)
	plain = append(plain, `{"sent_at":`...)
	plain = tree.AppendNumber(plain, float64(now.UnixMilli()))
	plain = append(plain, `,"recording_events":[`...)
	for i, it := range events {
		if i > 0 {
			plain = append(plain, ',')
		}
		plain = append(plain, it.JSON...)
	}
	plain = append(plain, "]}"...)
	if !zip {
		return plain
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(plain) // a buffer takes everything
	_ = z.Close()
	return zipped.Bytes()
}
