package browser

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// ScriptError is an exception that a script of the caller threw.
type ScriptError struct{ Stack string }

func (e *ScriptError) Error() string { return e.Stack }

// Thrown is the error of an exception that a script of the caller threw. Unlike in
// a console, somebody has caught it.
func Thrown(d *runtime.ExceptionDetails) *ScriptError {
	return &ScriptError{Stack: strings.TrimPrefix(exceptionText(d), "Uncaught ")}
}

// RemoteJSON is a returned value as JSON; nil for undefined.
func RemoteJSON(o *runtime.RemoteObject) json.RawMessage {
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

// titleTimeout bounds the reading of a title: a page that is busy for longer is
// told of without one.
const titleTimeout = time.Second

// ReadTitle asks the page for its title now; when it does not answer in a
// moment, or a dialog is open, the title as the browser last told it.
func (t *Tab) ReadTitle(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, titleTimeout)
	defer cancel()
	p := cdp.Start(t.session, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.title", ReturnByValue: ptr(true)})
	var res runtime.EvaluateResult
	if err := t.await(ctx, p, t.Modal(), &res); err != nil || res.Result == nil {
		return t.Title()
	}
	title := jsonString(res.Result.Value)
	t.HasTitle(title)
	return title
}

// HasTitle says that the page has this title now, for whoever just read it.
func (t *Tab) HasTitle(title string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.title != title {
		t.title = title
		t.b.touch()
	}
}
