package browser

import (
	"context"
	"time"
)

// Bounds of the wait for tabs that an action opened.
const (
	// openedTimeout is how long a new tab gets to request its first document. A
	// window that a page opened to write into never does.
	openedTimeout = 500 * time.Millisecond
	// expectTimeout is how long the windows that a page asked for get to appear,
	// and an action that should open a tab to do so: a ctrl-click whose event the
	// page prevented never does.
	expectTimeout = 200 * time.Millisecond
)

// Mark is a moment in the browser's life, to ask afterwards what came since.
type Mark struct {
	escapes uint64
	tabs    int
	windows int
}

// Mark is now.
func (b *Browser) Mark() Mark {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Mark{escapes: b.guard.count, tabs: b.nextTab, windows: b.windows}
}

// AwaitOpened waits until the tabs that were opened since have shown where they
// go: to a document of the app, or off it, which closes them. With expect it
// first waits for a moment for a tab to open at all. It waits for as long as it
// must and reports nothing: what happened is in the model.
func (b *Browser) AwaitOpened(ctx context.Context, since Mark, expect bool) {
	least := 0
	if expect {
		least = 1
	}
	first, cancel := context.WithTimeout(ctx, expectTimeout)
	// Nothing opened is an answer, too.
	_ = b.wait(first, func() bool {
		want := max(least, b.windows-since.windows)
		return b.nextTab-since.tabs >= want || b.guard.count-since.escapes >= uint64(want)
	})
	cancel()
	short, cancel := context.WithTimeout(ctx, openedTimeout)
	defer cancel()
	// A tab that is blank after that time is shown as it is.
	_ = b.wait(short, func() bool {
		for _, t := range b.tabs {
			if t.id > since.tabs && t.committed == 0 && !b.escapedSince(since, t) {
				return false
			}
		}
		return true
	})
}

func (b *Browser) escapedSince(since Mark, t *Tab) bool {
	for _, e := range b.guard.escapes {
		if e.N > since.escapes && e.Tab == t {
			return true
		}
	}
	return false
}
