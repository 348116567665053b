package action

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// waitSlice is how long one look at the frames lasts; frames that came
// meanwhile take part in the next.
const waitSlice = 500 * time.Millisecond

// WaitText waits until text can be seen in some frame of the tab, or with gone
// until it can't be seen in any. It needs no lock: it only reads.
func (a *Actor) WaitText(ctx context.Context, text string, gone bool) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	deadline := time.Now().Add(a.timeout)
	for {
		slice := min(time.Until(deadline), waitSlice)
		met, err := a.lookFor(ctx, text, gone, max(slice, 0))
		if err != nil || met {
			return err
		}
		if time.Until(deadline) <= 0 {
			what := "to appear"
			if gone {
				what = "to go away"
			}
			return fmt.Errorf("TimeoutError: wait for text: Timeout %dms exceeded.\nCall log:\n  - waiting for the text %q %s", a.timeout.Milliseconds(), text, what)
		}
	}
}

// lookFor watches all frames at once. The text must be seen in one, or gone from
// all.
func (a *Actor) lookFor(ctx context.Context, text string, gone bool, slice time.Duration) (bool, error) {
	frames := a.tab.Frames()
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, slice+answerGrace)
	defer cancel()
	var wg sync.WaitGroup
	met := make([]bool, len(frames))
	for i, f := range frames {
		wg.Go(func() {
			err := page.Call(ctx, f, "awaitText", &met[i], text, gone, slice.Milliseconds())
			if page.IsGone(err) {
				met[i] = gone
			}
			if err == nil && met[i] && !gone {
				cancel() // one is enough
			}
		})
	}
	wg.Wait()
	all, any := true, false
	for _, m := range met {
		all, any = all && m, any || m
	}
	if gone && all || !gone && any {
		return true, nil
	}
	return false, context.Cause(parent)
}
