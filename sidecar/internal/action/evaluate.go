package action

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

//go:embed js/evaluate.js
var evaluateScript string

// evaluateGroup holds the objects of one evaluation.
const evaluateGroup = "pillion-evaluate"

// Evaluate runs source, a function or an expression, in the page's own world and
// returns what it gives as JSON; nil means undefined. A function is called with
// the element that target names, if any. Promises are awaited for as long as ctx
// lasts. What the page throws is a *browser.ScriptError.
func (a *Actor) Evaluate(ctx context.Context, target, source string) (value json.RawMessage, err error) {
	err = a.perform(ctx, "evaluate", true, func(s *scene) error {
		f := s.tab.MainFrame()
		var el *page.Element
		if target != "" {
			var err error
			if el, err = s.view.Locate(s.ctx, target); err != nil {
				return err
			}
			f = el.Frame()
		}
		if err := s.dispatch(el); err != nil {
			return err
		}
		var err error
		if value, err = s.evaluate(f, el, source); err != nil {
			return err
		}
		return s.settleScript()
	})
	return value, err
}

// settleScript is settle for a script: its answer is its value and shows no
// page, so it waits only where the script set requests or a navigation going.
func (s *scene) settleScript() error {
	if !s.watch.Asked() && len(s.caused()) == 0 && !s.navigating() {
		return nil
	}
	return s.settle()
}

func (s *scene) evaluate(f *browser.Frame, el *page.Element, source string) (json.RawMessage, error) {
	session := f.Session()
	defer cdp.Start(session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: evaluateGroup})
	// The newline ends a comment that the source may end with.
	subject, err := pcdp.Call(s.ctx, session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(" + source + "\n)", ContextID: f.MainWorld(), ObjectGroup: evaluateGroup, AwaitPromise: ptr(true),
		UserGesture: ptr(true), AllowUnsafeEvalBlockedByCSP: ptr(true),
	})
	if err := s.outcome(err, subject.ExceptionDetails); err != nil {
		return nil, err
	}
	if subject.Result == nil {
		return nil, nil
	}
	if subject.Result.ObjectID == "" {
		return browser.RemoteJSON(subject.Result), nil // a primitive needs no second step
	}
	call := runtime.CallFunctionOnParams{
		FunctionDeclaration: evaluateScript, ObjectID: subject.Result.ObjectID, ObjectGroup: evaluateGroup,
		ReturnByValue: ptr(true), AwaitPromise: ptr(true), UserGesture: ptr(true),
	}
	if el != nil {
		object, err := el.InMainWorld(s.ctx, evaluateGroup)
		if err != nil {
			return nil, err
		}
		call.Arguments = []*runtime.CallArgument{{ObjectID: object}}
	}
	res, err := pcdp.Call(s.ctx, session, runtime.CallFunctionOn, call)
	if err := s.outcome(err, res.ExceptionDetails); err != nil {
		return nil, err
	}
	if res.Result == nil || res.Result.Type != runtime.RemoteObjectTypeString {
		return nil, nil
	}
	var text string
	if err := json.Unmarshal(res.Result.Value, &text); err != nil {
		return nil, fmt.Errorf("decode the value: %w", err)
	}
	return json.RawMessage(text), nil
}

// outcome sorts what a step of an evaluation failed with.
func (s *scene) outcome(err error, thrown *runtime.ExceptionDetails) error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case cdp.IsGone(err):
		return fmt.Errorf("the page navigated while the script ran: %w", err)
	case err != nil:
		return err
	case thrown != nil:
		return browser.Thrown(thrown)
	}
	return nil
}
