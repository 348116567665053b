package live

import (
	"context"
	"time"
)

// A person moves the pointer once a frame, and types and turns the wheel at the
// same time. Whoever sends more is slowed down to this.
const (
	messagesASecond = 300
	messageBurst    = 600
)

// bucket slows a sender down. The zero value is full. It belongs to one goroutine.
type bucket struct {
	level float64 // messages that are owed
	last  time.Time
}

// take counts one message, and waits while there were too many.
func (b *bucket) take(ctx context.Context) {
	now := time.Now()
	b.level = max(b.level-now.Sub(b.last).Seconds()*messagesASecond, 0) + 1
	b.last = now
	if b.level <= messageBurst {
		return
	}
	t := time.NewTimer(time.Duration((b.level - messageBurst) / messagesASecond * float64(time.Second)))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
