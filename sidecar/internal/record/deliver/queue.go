package deliver

import (
	"context"
	"slices"
	"sync"
)

// Bounds of what waits for the ingest in memory.
const (
	maxBatches    = 50       // the original's; the one being posted does not count
	maxQueueBytes = 32 << 20 // half of what fifty full batches are
)

// queue is the batches between the batcher and the uploader. When it is full,
// changes are given up before snapshots, the oldest first: without the changes a
// replay jumps, without the snapshot it shows nothing.
type queue struct {
	spool *spool           // nil: memory alone
	fits  func(batch) bool // into one post
	lose  func(reason Reason, lost ...Item)

	mu      sync.Mutex
	waiting []entry
	inUse   int // entries that hold their batch in memory
	bytes   int // of them
	closed  bool
	ready   chan struct{} // has a token when something may be there
}

// entry is a batch in its place in the line, in memory or in the spool.
type entry struct {
	batch batch
	kept  *spooled
}

func newQueue(s *spool, fits func(batch) bool, lose func(Reason, ...Item)) *queue {
	return &queue{spool: s, fits: fits, lose: lose, ready: make(chan struct{}, 1)}
}

// push never waits. It may give up older events for newer ones.
func (q *queue) push(b batch) {
	if len(b) == 0 {
		return
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		q.lose(LostAtStop, b...)
		return
	}
	e := entry{batch: b}
	// Only the first few stay in memory, so that a long wait costs none.
	if q.spool != nil && q.inUse >= maxUnspooled {
		e.kept = q.spool.store(b)
	}
	if e.kept != nil {
		e.batch = nil
	} else {
		q.inUse++
		q.bytes += b.bytes()
	}
	q.waiting = append(q.waiting, e)
	lost := q.shed()
	q.mu.Unlock()
	q.lose(LostInQueue, lost...)
	q.wake()
}

// shed makes room: first the changes of the oldest batches, then whole ones.
func (q *queue) shed() (lost []Item) {
	full := func() bool { return q.inUse > maxBatches || q.bytes > maxQueueBytes }
	for _, keep := range []func(Item) bool{
		func(it Item) bool { return it.Class != Change },
		func(Item) bool { return false },
	} {
		for i := 0; full() && i < len(q.waiting)-1; {
			e := &q.waiting[i]
			if e.kept != nil {
				i++
				continue
			}
			before := e.batch.bytes()
			var rest batch
			for _, it := range e.batch {
				if keep(it) {
					rest = append(rest, it)
				} else {
					lost = append(lost, it)
				}
			}
			e.batch = rest
			q.bytes -= before - rest.bytes()
			i += q.merge(i)
		}
	}
	return lost
}

// merge takes an entry that is empty out of the line, or joins it with the one
// before it, of which nothing but snapshots and facts is left either. It returns
// how far to go on.
func (q *queue) merge(i int) (next int) {
	e := q.waiting[i]
	switch {
	case len(e.batch) == 0:
	case i > 0 && q.waiting[i-1].kept == nil:
		joined := slices.Concat(q.waiting[i-1].batch, e.batch)
		if !q.fits(joined) {
			return 1
		}
		q.waiting[i-1].batch = joined
	default:
		return 1
	}
	q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
	q.inUse--
	return 0
}

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// next waits for the oldest batch and takes it out; false when ctx has ended or
// the queue is closed and empty.
func (q *queue) next(ctx context.Context) (batch, bool) {
	for {
		q.mu.Lock()
		if len(q.waiting) > 0 {
			e := q.waiting[0]
			q.waiting[0] = entry{}
			q.waiting = q.waiting[1:]
			if e.kept == nil {
				q.inUse--
				q.bytes -= e.batch.bytes()
			}
			q.mu.Unlock()
			if e.kept == nil {
				return e.batch, true
			}
			b, err := q.spool.load(e.kept)
			if err == nil {
				return b, true
			}
			q.lose(LostInSpool, e.kept.shadows()...)
			continue
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return nil, false
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// close lets nothing more in; what is there can still be taken.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake()
}

// drop gives up everything that waits.
func (q *queue) drop(reason Reason) {
	q.mu.Lock()
	entries := q.waiting
	q.waiting, q.inUse, q.bytes = nil, 0, 0
	q.mu.Unlock()
	for _, e := range entries {
		if e.kept == nil {
			q.lose(reason, e.batch...)
			continue
		}
		q.lose(reason, e.kept.shadows()...)
		q.spool.forget(e.kept)
	}
}

// length is how many batches wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
