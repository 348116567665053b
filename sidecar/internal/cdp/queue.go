package cdp

import (
	"sync"

	"github.com/chromedp/cdproto"
)

// queue is a first-in-first-out list of messages with a limit in bytes, for one
// consumer. It stands between the transport and the handlers so that neither
// ever waits for the other.
type queue struct {
	mu     sync.Mutex
	ready  sync.Cond
	items  []*cdproto.Message
	bytes  int
	limit  int
	closed bool
}

func newQueue(limit int) *queue {
	q := &queue{limit: limit}
	q.ready.L = &q.mu
	return q
}

func size(m *cdproto.Message) int { return len(m.Params) + len(m.Result) + 64 }

// push reports false when the queue is over its limit. After close it drops m.
func (q *queue) push(m *cdproto.Message) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return true
	}
	if q.bytes+size(m) > q.limit && len(q.items) > 0 {
		return false
	}
	q.items = append(q.items, m)
	q.bytes += size(m)
	q.ready.Signal()
	return true
}

// pop waits for the next message; false after close.
func (q *queue) pop() (*cdproto.Message, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.ready.Wait()
	}
	if q.closed {
		return nil, false
	}
	m := q.items[0]
	q.items[0] = nil
	q.items = q.items[1:]
	q.bytes -= size(m)
	return m, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.items = nil
	q.ready.Broadcast()
}
