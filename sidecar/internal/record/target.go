package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
)

// target is a page, or a frame with a process of its own, as it is hooked. Its
// fields are of the conversation's dispatcher alone.
type target struct {
	tab     *browser.Tab
	session *cdp.Session
	outer   string // the binding in pages' own worlds
	inner   string // the binding in our world
	worlds  map[runtime.ExecutionContextID]*world
	names   map[string]runtime.ExecutionContextID // what a context is called when it ends
}

// world is one execution context with a recorder in it.
type world struct {
	target  *target
	context runtime.ExecutionContextID
	frame   *browser.Frame
	main    bool                   // the page's own and not ours
	handle  runtime.RemoteObjectID // of the recorder; "" while it is not known
}

// Attach hooks a target before its first byte; it is for browser.Options.OnTarget.
func (r *Recorder) Attach(t *browser.Tab, s *cdp.Session) {
	tg := &target{tab: t, session: s, outer: newName(), inner: newName(),
		worlds: map[runtime.ExecutionContextID]*world{}, names: map[string]runtime.ExecutionContextID{}}
	cdp.On(s, runtime.BindingCalled, func(ev runtime.EventBindingCalled) { r.called(tg, ev) })
	cdp.On(s, runtime.ConsoleAPICalled, func(ev runtime.EventConsoleAPICalled) {
		if r.Private(ev.Args) {
			r.announced(tg, ev.ExecutionContextID, ev.Args[1].ObjectID)
		}
	})
	cdp.On(s, runtime.ExecutionContextCreated, func(ev runtime.EventExecutionContextCreated) {
		if ev.Context != nil {
			tg.names[ev.Context.UniqueID] = ev.Context.ID
		}
	})
	cdp.On(s, runtime.ExecutionContextDestroyed, func(ev runtime.EventExecutionContextDestroyed) {
		id := tg.names[ev.ExecutionContextUniqueID]
		delete(tg.names, ev.ExecutionContextUniqueID)
		r.left(tg, func(w *world) bool { return w.context == id })
	})
	cdp.On(s, runtime.ExecutionContextsCleared, func(runtime.EventExecutionContextsCleared) {
		clear(tg.names)
		r.left(tg, func(*world) bool { return true })
	})
	cdp.On(s, page.FrameNavigated, func(ev page.EventFrameNavigated) { tg.navigated(ev) })

	run := true
	cdp.Start(s, runtime.AddBinding, runtime.AddBindingParams{Name: tg.outer})
	cdp.Start(s, runtime.AddBinding, runtime.AddBindingParams{Name: tg.inner, ExecutionContextName: browser.WorldName})
	cdp.Start(s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: recorderScript(tg.outer, r.mark), RunImmediately: &run,
	})
	r.spawn(func() {
		select {
		case <-s.Done():
			r.inbox.push(0, func() { r.pages.leave(func(w *world) bool { return w.target == tg }) })
		case <-r.ctx.Done():
		}
	})
}

// Private says whether a console message is one of our own; it is for
// browser.Options.Private.
func (r *Recorder) Private(args []*runtime.RemoteObject) bool {
	var mark string
	return len(args) == 3 && args[0] != nil && args[1] != nil &&
		json.Unmarshal(args[0].Value, &mark) == nil && mark == r.mark
}

// world is what is known of a context; it is made at the context's first word,
// when the browser knows its frame.
func (tg *target) world(id runtime.ExecutionContextID) *world {
	if w := tg.worlds[id]; w != nil {
		return w
	}
	f := tg.tab.Browser().FrameIn(tg.session, id)
	if f == nil {
		return nil
	}
	w := &world{target: tg, context: id, frame: f, main: f.MainWorld() == id}
	tg.worlds[id] = w
	return w
}

func (r *Recorder) left(tg *target, which func(*world) bool) {
	gone := map[*world]bool{}
	for id, w := range tg.worlds {
		if which(w) {
			gone[w] = true
			delete(tg.worlds, id)
		}
	}
	if len(gone) > 0 {
		r.inbox.push(0, func() { r.pages.leave(func(w *world) bool { return gone[w] }) })
	}
}

// objectGroup holds our handles; what a page does on its console does not let go
// of them.
const objectGroup = "pillion-record"

// announced takes the handle of a recorder out of a console message, which the page
// may clear.
func (r *Recorder) announced(tg *target, context runtime.ExecutionContextID, object runtime.RemoteObjectID) {
	w := tg.world(context)
	if w == nil || object == "" {
		return
	}
	cdp.Then(tg.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: selfScript, ObjectID: object, ObjectGroup: objectGroup, Silent: ptr(true),
	}, func(res runtime.CallFunctionOnResult, err error) {
		if err != nil || res.Result == nil {
			return
		}
		id := res.Result.ObjectID
		w.handle = id
		r.inbox.push(0, func() { r.greet(w, id) })
	})
}

// navigated pokes the recorder of a window that outlived its document: no script
// of ours runs again there.
func (tg *target) navigated(ev page.EventFrameNavigated) {
	if ev.Frame == nil {
		return
	}
	for _, w := range tg.worlds {
		if w.frame.ID() == ev.Frame.ID && w.handle != "" {
			cdp.Start(tg.session, runtime.CallFunctionOn, command(w.handle, commandLook, false))
		}
	}
}

// command asks a recorder for something.
func command(handle runtime.RemoteObjectID, name string, byValue bool) runtime.CallFunctionOnParams {
	arg, _ := json.Marshal(name) // a plain word
	return runtime.CallFunctionOnParams{
		FunctionDeclaration: commandScript, ObjectID: handle, ObjectGroup: objectGroup, Silent: ptr(true), ReturnByValue: ptr(byValue),
		Arguments: []*runtime.CallArgument{{Value: arg}},
	}
}

// called takes a text of a page. The page can't call the binding, but whoever
// runs in its process could, so the text proves nothing.
func (r *Recorder) called(tg *target, ev runtime.EventBindingCalled) {
	if ev.Name != tg.outer && ev.Name != tg.inner {
		return
	}
	w := tg.world(ev.ExecutionContextID)
	if w == nil {
		r.out.Invalid(1)
		return
	}
	r.deliver(w, ev.Payload)
}

// deliver queues a text of a recorder: a letter, the number of its run, and what
// the letter says.
func (r *Recorder) deliver(w *world, payload string) {
	head, rest, ok := strings.Cut(payload, ":")
	if !ok || len(head) < 2 {
		r.out.Invalid(1)
		return
	}
	run, err := strconv.Atoi(head[1:])
	if err != nil {
		r.out.Invalid(1)
		return
	}
	at := time.Now()
	taken := true
	switch head[0] {
	case 'e':
		taken = r.inbox.push(len(rest), func() { r.pageEvents(w, run, rest, at) })
	case 'd':
		r.inbox.push(0, func() { r.pageLost(w) })
	case 'x':
		document := w.frame.Document()
		r.inbox.push(0, func() { r.pageBroken(w, document, rest) })
	default:
		r.out.Invalid(1)
	}
	if !taken {
		n := max(strings.Count(rest, `"timestamp":`), 1)
		r.out.Lost(deliver.LostInHaste, slices.Repeat([]deliver.Item{{Tab: w.target.tab.ID()}}, n)...)
	}
}

func ptr[T any](v T) *T { return &v }
