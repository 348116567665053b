package tools

import (
	"context"
	"errors"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Times of a page's pulse, which is felt during calls that take long.
const (
	// pulseAfter is when it is first felt, and how often: quick calls pay nothing.
	pulseAfter = 3 * time.Second
	// pulseLimit is how long a page may be busy with one thing. Heavy pages start
	// up in less, and callers give up after 60 s.
	pulseLimit = 10 * time.Second
)

// errBusy is why a call to a page came to nothing.
var errBusy = errors.New("TimeoutError: the page does not respond: a script on it keeps it busy")

const busyHint = "Other tabs go on; browser_navigate leaves the page."

// attend gives the context of work on a tab's page, which ends with errBusy when
// the page does not respond any more, and with modal also with browser.ErrModal
// when a dialog or file chooser opens.
func attend(parent context.Context, t *browser.Tab, modal bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	var opens <-chan struct{}
	if modal {
		opens = t.Modal()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(pulseAfter)
		defer timer.Stop()
		for {
			select {
			case <-opens:
				cancel(browser.ErrModal)
				return
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			if !alive(ctx, t, opens) {
				cancel(errBusy)
				return
			}
			timer.Reset(pulseAfter)
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// untilModal ends with browser.ErrModal when a dialog or file chooser opens.
func untilModal(parent context.Context, t *browser.Tab) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	opens, done := t.Modal(), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-opens:
			cancel(browser.ErrModal)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// alive feels the page's pulse. A page that a dialog holds is no busy one, nor is
// one that is gone.
func alive(ctx context.Context, t *browser.Tab, opens <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, pulseLimit)
	defer cancel()
	held := opens
	if held == nil {
		held = t.Modal()
	}
	felt := make(chan error, 1)
	go func() { felt <- t.Pulse(ctx) }()
	select {
	case err := <-felt:
		return !errors.Is(err, context.DeadlineExceeded)
	case <-held:
		cancel()
		<-felt
		return true
	}
}
