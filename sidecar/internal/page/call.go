package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Error is a constant error of this package.
type Error string

func (e Error) Error() string { return string(e) }

// ErrNavigated says that the document a call was made in is gone: the frame
// navigated or was removed.
const ErrNavigated Error = "the page navigated"

// ScriptError is an exception that our own script threw in the page.
type ScriptError struct {
	Function string
	Message  string
}

func (e *ScriptError) Error() string { return fmt.Sprintf("%s in the page: %s", e.Function, e.Message) }

// IsGone says whether err means that what was asked about is no longer there:
// its element, its document or its frame.
func IsGone(err error) bool {
	var gone *GoneError
	return errors.As(err, &gone) || errors.Is(err, ErrNavigated)
}

// Call runs the function fn of our script in f's current document, with args as
// JSON values, and decodes what it returns into result (nil: thrown away). It
// waits for a promise. Errors: ErrNavigated, browser.ErrCrashed,
// browser.ErrTabClosed, *ScriptError, or the cause of the context's end.
func Call(ctx context.Context, f *browser.Frame, fn string, result any, args ...any) error {
	lost, err := call(ctx, f, fn, "", result, args)
	if lost != nil {
		err = errors.Join(err, &GoneError{Why: lost.why()})
	}
	return err
}

// lost is why an element was not found in the page.
type lost struct {
	Unknown, Gone, Navigated bool
	Now                      string // its new ref
}

func call(ctx context.Context, f *browser.Frame, fn, name string, result any, args []any) (*lost, error) {
	values, objects := []any{}, []*runtime.CallArgument{nil}
	for _, a := range args {
		if id, ok := a.(runtime.RemoteObjectID); ok {
			objects = append(objects, &runtime.CallArgument{ObjectID: id})
		} else {
			values = append(values, a)
		}
	}
	// As one text: an argument that is empty would be left out by the protocol.
	text, err := json.Marshal([]any{fn, name, values})
	if err == nil {
		text, err = json.Marshal(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("encode the arguments of %s: %w", fn, err)
	}
	objects[0] = &runtime.CallArgument{Value: text}
	world, err := f.World(ctx)
	if err != nil {
		return nil, because(f, err)
	}
	p := runtime.CallFunctionOnParams{
		FunctionDeclaration: entryScript, ExecutionContextID: world, Arguments: objects,
		ReturnByValue: ptr(true), AwaitPromise: ptr(true), Silent: ptr(true),
	}
	s := f.Session()
	raw, err := run(ctx, f, cdp.Start(s, runtime.CallFunctionOn, p), fn)
	if err == nil && raw == "" {
		// The bundle goes ahead of the second try on the same wire.
		load := cdp.Start(s, runtime.Evaluate, runtime.EvaluateParams{Expression: bundle, ContextID: world, Silent: ptr(true)})
		again := cdp.Start(s, runtime.CallFunctionOn, p)
		if err := loaded(ctx, f, load); err != nil {
			return nil, err
		}
		raw, err = run(ctx, f, again, fn)
	}
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage
		Error *string
		Lost  *lost
	}
	if err := json.Unmarshal([]byte(raw), &answer); err != nil {
		return nil, fmt.Errorf("decode the answer of %s: %w", fn, err)
	}
	switch {
	case answer.Lost != nil:
		return answer.Lost, nil
	case answer.Error != nil:
		return nil, &ScriptError{fn, *answer.Error}
	case result == nil:
		return nil, nil
	}
	if err := json.Unmarshal(answer.Value, result); err != nil {
		return nil, fmt.Errorf("decode the result of %s: %w", fn, err)
	}
	return nil, nil
}

// run waits for a call's answer, the JSON text that the script made.
func run(ctx context.Context, f *browser.Frame, p *cdp.Pending, fn string) (string, error) {
	var res runtime.CallFunctionOnResult
	if err := await(ctx, f, p, &res); err != nil {
		return "", err
	}
	if res.ExceptionDetails != nil || res.Result == nil {
		return "", &ScriptError{fn, exception(res.ExceptionDetails)}
	}
	var raw string
	if err := json.Unmarshal(res.Result.Value, &raw); err != nil {
		return "", fmt.Errorf("decode the answer of %s: %w", fn, err)
	}
	return raw, nil
}

func loaded(ctx context.Context, f *browser.Frame, p *cdp.Pending) error {
	var res runtime.EvaluateResult
	if err := await(ctx, f, p, &res); err != nil {
		return err
	}
	if res.ExceptionDetails != nil {
		return &ScriptError{"the bundle", exception(res.ExceptionDetails)}
	}
	return nil
}

func exception(d *runtime.ExceptionDetails) string {
	switch {
	case d == nil:
		return "no answer"
	case d.Exception != nil && d.Exception.Description != "":
		return d.Exception.Description
	}
	return d.Text
}

// await waits for an answer for as long as there can be one: a page that crashes
// leaves its calls open.
func await(ctx context.Context, f *browser.Frame, p *cdp.Pending, result any) error {
	tab := f.Tab()
	ctx, give := context.WithCancelCause(ctx)
	defer give(nil)
	select {
	case <-p.Done():
	case <-ctx.Done():
	case <-tab.Crashed():
		give(browser.ErrCrashed)
	case <-tab.Closed():
		give(browser.ErrTabClosed)
	}
	return because(f, p.Wait(ctx, result))
}

// because gives the errors of the protocol the names of this package.
func because(f *browser.Frame, err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-f.Tab().Closed():
		return browser.ErrTabClosed
	case <-f.Tab().Crashed():
		return browser.ErrCrashed
	default:
	}
	if errors.Is(err, cdp.ErrDetached) {
		return fmt.Errorf("%w: %w", ErrNavigated, err)
	}
	if refused := cdp.Refused(err); refused != nil {
		for _, words := range goneWords {
			if strings.Contains(refused.Message, words) {
				return fmt.Errorf("%w: %w", ErrNavigated, err)
			}
		}
	}
	return err
}

// goneWords are what Chromium says of a call whose document went away.
var goneWords = []string{
	"Cannot find context", "context was destroyed", "navigated or closed", "Session with given id", "not attached",
	"Frame with the given id", "No frame for given id", "No frame with given id", "Argument should belong to the same JavaScript world",
}

func ptr[T any](v T) *T { return &v }

// newGroup names a group of the protocol's objects that a step needs; they are
// let go of when the step is done. Other steps run beside it.
func newGroup() string { return "pillion-page-" + rand.Text() }

func release(s *cdp.Session, group string) {
	cdp.Start(s, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group})
}
