package record

import (
	"bytes"
	"compress/gzip"
	"time"
)

const (
	// batchWait is how long the first event of a batch waits for more: the
	// original's.
	batchWait = time.Second
	// batchFrame is what a batch has beside its events, with room to spare: the
	// original's.
	batchFrame = 1024
)

// batch is what is posted together.
type batch []item

// bytes of the events, as the limit counts them: a comma each.
func (b batch) bytes() (n int) {
	for _, it := range b {
		n += len(it.json) + 1
	}
	return n
}

// batcher fills batches. It has no goroutine and no clock.
type batcher struct {
	maxEvents, maxBytes int

	waiting batch
	size    int
	since   time.Time // of the first that waits
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
func (b *batcher) add(it item, now time.Time) (full []batch) {
	size := len(it.json) + 1
	if len(b.waiting) >= b.maxEvents || len(b.waiting) > 0 && b.size+size > b.maxBytes {
		full = append(full, b.take())
	}
	if len(b.waiting) == 0 {
		b.since = now
	}
	b.waiting = append(b.waiting, it)
	if b.size += size; len(b.waiting) >= b.maxEvents {
		full = append(full, b.take())
	}
	return full
}

// due is when what waits must go; false when nothing waits.
func (b *batcher) due() (time.Time, bool) { return b.since.Add(batchWait), len(b.waiting) > 0 }

// take gives what waits.
func (b *batcher) take() batch {
	full := b.waiting
	b.waiting, b.size = nil, 0
	return full
}

// body is a batch as it is posted at a moment.
func body(events batch, now time.Time, zip bool) []byte {
	var out bytes.Buffer
	out.Grow(events.bytes() + batchFrame)
	out.WriteString(`{"sent_at":`)
	out.Write(formatTime(float64(now.UnixMilli())))
	out.WriteString(`,"recording_events":[`)
	for i, it := range events {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(it.json)
	}
	out.WriteString(`]}`)
	if !zip {
		return out.Bytes()
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(out.Bytes()) // a buffer takes everything
	_ = z.Close()
	return zipped.Bytes()
}
