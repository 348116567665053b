package action

import (
	"context"
	_ "embed"

	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

var (
	//go:embed js/timers.js
	watchTimers string
	//go:embed js/idle.js
	timersIdle string
	//go:embed js/end.js
	timersEnd string
)

// timers watches the short timers that an action's handlers set in one frame.
type timers struct {
	frame   *browser.Frame
	session *cdp.Session
	started *cdp.Pending
}

// trackTimers begins to watch the timers of f, if its document has come so far.
// It does not wait until it does.
func (s *scene) trackTimers(f *browser.Frame) {
	for _, t := range s.timers {
		if t.frame == f {
			return
		}
	}
	world := f.MainWorld()
	if world == 0 {
		return
	}
	session := f.Session()
	s.timers = append(s.timers, &timers{f, session, cdp.Start(session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: watchTimers, ContextID: world, ObjectGroup: objectGroup,
	})})
}

// objectGroup names what we hold in pages, so that it can be let go of at once.
const objectGroup = "pillion-action"

// object is the watcher in the page; "" when there is none (any more).
func (t *timers) object(ctx context.Context) runtime.RemoteObjectID {
	var res runtime.EvaluateResult
	if t.started.Wait(ctx, &res) != nil || res.Result == nil {
		return ""
	}
	return res.Result.ObjectID
}

// idle waits until the timers have run and tells whether there were any. A page
// that is gone has none.
func (t *timers) idle(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, domBound+answerGrace)
	defer cancel()
	id := t.object(ctx)
	if id == "" {
		return false
	}
	var res runtime.CallFunctionOnResult
	err := cdp.Start(t.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: timersIdle, ObjectID: id, AwaitPromise: ptr(true), ReturnByValue: ptr(true),
	}).Wait(ctx, &res)
	return err == nil && res.Result != nil && string(res.Result.Value) == "true"
}

// dropTimers puts the pages' own timer functions back, without waiting.
func (s *scene) dropTimers() {
	for _, t := range s.timers {
		select {
		case <-t.started.Done():
		default:
			// The page does not answer (a dialog is open, a script runs); what it
			// holds passes calls through and forgets nothing.
			continue
		}
		if id := t.object(context.Background()); id != "" {
			cdp.Start(t.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: timersEnd, ObjectID: id})
			cdp.Start(t.session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: objectGroup})
		}
	}
	s.timers = nil
}

func ptr[T any](v T) *T { return &v }
