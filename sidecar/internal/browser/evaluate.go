package browser

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	pcdp "github.com/chromedp/cdproto/cdp"
)

// ScriptError is an exception that a script of the caller threw.
type ScriptError struct{ Stack string }

func (e *ScriptError) Error() string { return e.Stack }

// Script runs an expression in the page's own world of f and returns the value
// as JSON; nil means undefined. Promises are awaited.
func (f *Frame) Script(ctx context.Context, expression string) (json.RawMessage, error) {
	p := runtime.EvaluateParams{
		Expression: expression, ReturnByValue: ptr(true), AwaitPromise: ptr(true), UserGesture: ptr(true),
		AllowUnsafeEvalBlockedByCSP: ptr(true),
	}
	res, err := pcdp.Call(ctx, f.Session(), runtime.Evaluate, p)
	if err != nil {
		return nil, err
	}
	if res.ExceptionDetails != nil {
		return nil, &ScriptError{Stack: exceptionText(res.ExceptionDetails)}
	}
	return remoteJSON(res.Result), nil
}

// remoteJSON is a returned value as JSON; nil for undefined.
func remoteJSON(o *runtime.RemoteObject) json.RawMessage {
	switch {
	case o == nil || o.Type == runtime.RemoteObjectTypeUndefined:
		return nil
	case len(o.Value) > 0:
		return json.RawMessage(o.Value)
	case o.UnserializableValue != "":
		b, _ := json.Marshal(string(o.UnserializableValue))
		return b
	default:
		return json.RawMessage("null")
	}
}

func jsonString(v jsonv2.Value) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	return s
}
