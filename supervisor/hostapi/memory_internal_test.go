package hostapi

import (
	"context"
	"fmt"
	"testing"
)

// Counting goes on for ever, and takes no more memory for that.
func TestUsageInMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var m MemoryUsage
	const sessions = 3*seenUsage + 1
	for i := range sessions {
		for range 2 { // told again at once
			m.Record(context.Background(), Usage{Owner: "acme", Kind: BrowserMinutes, Quantity: 1, Session: fmt.Sprint(i)})
		}
	}
	if got := m.Total("acme", BrowserMinutes); got != sessions {
		t.Errorf("counted %d, want %d", got, sessions)
	}
	if len(m.seen) != seenUsage || len(m.latest) != seenUsage {
		t.Errorf("%d sessions are remembered, in a list of %d", len(m.seen), len(m.latest))
	}
}
