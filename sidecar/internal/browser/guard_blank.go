package browser

import (
	"context"
	"errors"
	"strings"
	"time"
)

// A window without a document of its own (about:blank, the result of a script)
// belongs to the origin that opened it: what it shows is written by that one. So
// the address alone does not say whether the tab is the app's.

// Bounds of the wait for a window that another site has opened to become a page
// of the app, while it shows what that site writes into it.
const (
	// blankTimeout is how long it gets to ask for a document: less than an action
	// waits for its tabs, so that the action tells of it.
	blankTimeout = 300 * time.Millisecond
	// requestTimeout is how long the app may take to answer then.
	requestTimeout = 3 * time.Second
)

// foreign is a document's origin or address when it is another site's; "" for the
// app's, and for nobody's. Called with the lock held.
func (b *Browser) foreign(origin string) string {
	if !isWeb(origin) || b.pin.MayNavigate(origin) {
		return ""
	}
	return origin
}

func isWeb(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// foreignFrame is the other site that a frame's document is of, or was made by: a
// sandboxed one is of nobody's origin, and one without an address is of the frame
// around it. Called with the lock held.
func (b *Browser) foreignFrame(f *Frame) string {
	for ; f != nil; f = f.parent {
		for _, of := range []string{f.origin, f.url} {
			if isWeb(of) {
				return b.foreign(of)
			}
		}
	}
	return ""
}

// holder is the other site that has a tab's blank document in its hands; "" for
// none. Called with the lock held.
func (b *Browser) holder(t *Tab) string {
	if isWeb(t.main.origin) {
		return b.foreign(t.main.origin)
	}
	return t.openedFor
}

// watchBlank closes a window that another site opened, and that does not become a
// page of the app. The wait for that ends with its bounds, the tab or the browser.
func (b *Browser) watchBlank(t *Tab) {
	b.chore(func() {
		if b.becomes(t, blankTimeout, func() bool { return t.requested }) && b.becomes(t, requestTimeout, func() bool { return false }) {
			return
		}
		b.mu.Lock()
		holder, blank := b.holder(t), t.committed == 0 && !t.gone
		b.mu.Unlock()
		if blank && holder != "" {
			b.left(t, holder)
		}
	})
}

// becomes waits until the tab has a document, or is gone, or enough holds; false
// if none of it came.
func (b *Browser) becomes(t *Tab, limit time.Duration, enough func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := b.wait(ctx, func() bool { return t.committed > 0 || t.gone || enough() })
	return err == nil || errors.Is(err, errGone)
}

// blankLanded looks at whose a document is that has no address of its own.
func (b *Browser) blankLanded(t *Tab) {
	b.mu.Lock()
	holder, known := b.holder(t), t.gone || t.left
	b.mu.Unlock()
	if holder != "" && !known {
		b.left(t, holder)
	}
}
