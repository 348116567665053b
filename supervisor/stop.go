package supervisor

import "context"

// Stop ends the browser and returns when nothing of it is left. It asks with
// the stop command; a sidecar that doesn't answer is terminated, one that
// doesn't end within StopGrace is killed with its whole process group.
//
// The end of ctx ends the politeness, not the stop: the sidecar is then killed
// at once. So don't pass a context that has ended already, such as the one that
// told your program to stop.
//
// Stop may be called any number of times, also at the same time and after the
// end: all calls return the same, nil for an end in good order. A browser that
// has ended by itself long ago is no failure to stop, and also gives what
// [Browser.Wait] says about it.
func (b *Browser) Stop(ctx context.Context) error {
	b.askToStop(stopPlan{polite: true, grace: b.grace})
	select {
	case <-b.ended:
	case <-ctx.Done():
		b.killOnce.Do(func() { close(b.killNow) })
		<-b.ended
	}
	return b.err
}

// Wait returns when the browser has ended: nil when that was in good order, on
// Stop or at the launch's stop_at, else a [*proto.Error] with the reason, or
// ctx's error when that ended first.
func (b *Browser) Wait(ctx context.Context) error {
	select {
	case <-b.ended:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Browser) askToStop(plan stopPlan) {
	select {
	case b.stopAsked <- plan:
	default: // asked before
	}
}
