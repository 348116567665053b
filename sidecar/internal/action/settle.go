package action

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// Bounds of settling; the package documentation has the rules and reasons.
const (
	// domReadyBound is for a navigation that the action caused to bring its DOM.
	domReadyBound = 10 * time.Second
	// loadBound is what it then gets to load.
	loadBound = 2 * time.Second
	// requestBound is for requests that the action caused, all together.
	requestBound = 5 * time.Second
	// domBound is for the DOM to come to rest.
	domBound = 500 * time.Millisecond
	// arriveBound is for a document to come to rest after it has loaded.
	arriveBound = 250 * time.Millisecond
	// askedBound is how long a navigation that the page asked for may take to begin.
	askedBound = 300 * time.Millisecond
	// settleBound ends the alternation of requests, timers and rendering on a
	// page that always has more to do.
	settleBound = 8 * time.Second
)

// settle waits until the page has shown what it makes of the action.
func (s *scene) settle() error {
	var seen tally
	for {
		timed, err := s.rest()
		if err != nil {
			return err
		}
		if err := s.awaitBegin(); err != nil {
			return err
		}
		if err := s.awaitNavigation(); err != nil {
			return err
		}
		if err := s.awaitRequests(); err != nil {
			return err
		}
		if err := s.awaitReply(); err != nil {
			return err
		}
		// Whatever came in may have rendered after the rest: look once more.
		now := s.tally()
		if !timed && now == seen || time.Since(s.began) > settleBound {
			return nil
		}
		seen = now
	}
}

// tally counts what an action has brought about so far.
type tally struct{ navigations, requests, over, replies int }

func (s *scene) tally() tally {
	t := tally{navigations: s.watch.Navigations(), replies: s.sockets.received()}
	for _, r := range s.caused() {
		t.requests++
		if r.Done() {
			t.over++
		}
	}
	return t
}

// rest waits until the DOM is quiet and the timers that were caused have run,
// side by side. It tells whether there were timers.
func (s *scene) rest() (timed bool, err error) {
	waits := make(chan bool, len(s.timers))
	var wg sync.WaitGroup
	for _, t := range s.timers {
		wg.Go(func() { waits <- t.idle(s.ctx) })
	}
	err = s.restFrames()
	wg.Wait()
	close(waits)
	for t := range waits {
		timed = timed || t
	}
	if timed {
		// They had their half second, or have nothing left to wait for.
		s.dropTimers()
	}
	return timed, err
}

// restFrames waits for the frame that was acted on and the main frame. A press
// has waited for its own frame once already.
func (s *scene) restFrames() error {
	frames := []*browser.Frame{s.tab.MainFrame()}
	if s.el != nil && s.el.Frame() != frames[0] {
		frames = append(frames, s.el.Frame())
	}
	rested := s.rested
	s.rested = nil
	var wg sync.WaitGroup
	errs := make([]error, len(frames))
	for i, f := range frames {
		if f == rested {
			continue
		}
		again := s.heard[f]
		s.heard[f] = true
		wg.Go(func() {
			errs[i] = s.quiet(func(ctx context.Context) error {
				return page.Call(ctx, f, "settle", nil, domBound.Milliseconds(), again)
			})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Arrive waits until a document that has just loaded stands still: what its
// scripts render in their first frames is what an agent wants to see. It costs a
// document without scripts nothing, any other a quarter of a second at most.
// Errors: the cause of the context's end, or what ended the page.
func (a *Actor) Arrive(ctx context.Context) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	s := a.newScene(ctx, "load")
	defer s.end()
	return s.quiet(func(ctx context.Context) error {
		return page.Call(ctx, s.tab.MainFrame(), "arrive", nil, arriveBound.Milliseconds())
	})
}

// quiet runs a wait of the page for its own rest. A page that navigates away
// under it, or is too busy to say, has not failed.
func (s *scene) quiet(wait func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(s.ctx, domBound+answerGrace)
	defer cancel()
	err := wait(ctx)
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case page.IsGone(err), errors.Is(err, context.DeadlineExceeded):
		return nil
	}
	return err
}

// awaitBegin waits for the navigation that the page asked for to begin, or to be
// refused.
func (s *scene) awaitBegin() error {
	if !s.watch.Asked() {
		return nil
	}
	_, err := s.until(s.began.Add(askedBound), func() bool {
		return s.navigating() || s.watch.Navigations() > 0 || len(s.tab.Browser().EscapesSince(s.before, s.tab)) > 0
	})
	return err
}

// awaitNavigation waits for the main frame's navigation, if the action began
// one: its DOM, then its load event.
func (s *scene) awaitNavigation() error {
	if !s.navigating() && s.watch.Navigations() == s.arrived {
		return nil
	}
	ready, err := s.until(time.Now().Add(domReadyBound), func() bool {
		return !s.navigating() && (s.watch.Navigations() == 0 || s.watch.DOMReady())
	})
	if err != nil || !ready || s.watch.Navigations() == 0 {
		return err
	}
	// Once a document: one that does not load now will not do so for asking.
	s.arrived = s.watch.Navigations()
	_, err = s.until(time.Now().Add(loadBound), func() bool { return s.watch.Loaded() || s.navigating() })
	return err
}

// navigating tells whether a document for the main frame is on its way: begun or
// asked for, and neither committed nor over. One that turns out to be a
// download, or is refused, ends without being committed.
func (s *scene) navigating() bool {
	if s.watch.Loading() && !s.loading && s.watch.Navigations() == 0 {
		return true
	}
	documents := 0
	for _, r := range s.watch.Requests() {
		if !r.Navigation || !r.Main || r.Status/100 == 3 {
			continue
		}
		documents++
		if !r.Answered() {
			return true
		}
		if r.Failure != "" || r.Done() {
			documents--
		}
	}
	// Answered and not over: the commit comes next.
	return documents > s.watch.Navigations()
}

// awaitRequests waits for the requests that the action caused.
func (s *scene) awaitRequests() error {
	_, err := s.until(s.began.Add(requestBound), func() bool {
		for _, r := range s.caused() {
			if !r.Done() {
				return false
			}
		}
		return true
	})
	return err
}

// until waits until cond holds; false when the bound came first.
func (s *scene) until(bound time.Time, cond func() bool) (bool, error) {
	timer := time.NewTimer(max(time.Until(bound), 0))
	defer timer.Stop()
	for {
		changed := s.watch.Changed()
		if cond() {
			return true, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return false, nil
		case <-s.ctx.Done():
			return false, context.Cause(s.ctx)
		}
	}
}
