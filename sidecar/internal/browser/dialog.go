package browser

import (
	"context"
	_ "embed"
	"fmt"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
)

// Dialog is an open alert, confirm, prompt or beforeunload.
type Dialog struct {
	Type    string
	Message string
	Default string // a prompt's proposed text
}

// Chooser is an open file chooser.
type Chooser struct {
	Multiple bool
	frame    *Frame // that it was opened from; nil when unknown
	node     pcdp.BackendNodeID
	session  *cdp.Session
}

// ErrNoDialog and ErrNoChooser say that there is nothing to answer.
const (
	ErrNoDialog  Error = "no dialog is open"
	ErrNoChooser Error = "no file chooser is open"
	ErrOneFile   Error = "the page takes one file here, not several"
)

func (t *Tab) listen(s *cdp.Session) {
	cdp.On(s, page.JavascriptDialogOpening, func(ev page.EventJavascriptDialogOpening) {
		t.b.mu.Lock()
		held := t.b.held
		if held {
			t.dialog = &Dialog{Type: string(ev.Type), Message: ev.Message, Default: ev.DefaultPrompt}
			t.modalChanged()
		}
		t.b.mu.Unlock()
		if !held {
			// Leaving is what an unattended page wants; all else is declined.
			cdp.Start(s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: ev.Type == page.DialogTypeBeforeunload})
		}
		t.b.events.Publish(event.Event{Kind: event.Dialog, Tab: t.id, Detail: map[string]string{"type": string(ev.Type)}})
	})
	cdp.On(s, page.JavascriptDialogClosed, func(page.EventJavascriptDialogClosed) {
		t.b.mu.Lock()
		defer t.b.mu.Unlock()
		t.dialog = nil
		t.modalChanged()
	})
	cdp.On(s, page.FileChooserOpened, func(ev page.EventFileChooserOpened) {
		t.b.mu.Lock()
		defer t.b.mu.Unlock()
		t.chooser = &Chooser{
			Multiple: ev.Mode == page.FileChooserOpenedModeSelectMultiple,
			frame:    t.b.frames[ev.FrameID], node: ev.BackendNodeID, session: s,
		}
		t.modalChanged()
	})
}

// loseChooser forgets the file chooser of a document that is gone: there is
// nothing left that its answer could reach. Called with the lock held.
func (t *Tab) loseChooser(f *Frame) {
	if t.chooser != nil && t.chooser.frame == f {
		t.chooser = nil
		t.modalChanged()
	}
}

// modalChanged keeps the modal channel in step with dialog and chooser. Called
// with the lock held.
func (t *Tab) modalChanged() {
	open := t.dialog != nil || t.chooser != nil
	select {
	case <-t.modal:
		if !open {
			t.modal = make(chan struct{})
		}
	default:
		if open {
			close(t.modal)
		}
	}
	t.b.touch()
}

// Modal is closed while a dialog or a file chooser waits for an answer; after
// the answer Modal returns another channel.
func (t *Tab) Modal() <-chan struct{} {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.modal
}

// Dialog is the open dialog, or nil.
func (t *Tab) Dialog() *Dialog {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.dialog
}

// Chooser is the open file chooser, or nil.
func (t *Tab) Chooser() *Chooser {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.chooser
}

// HandleDialog answers the open dialog and returns when it is closed. text is
// used for a prompt only.
func (t *Tab) HandleDialog(ctx context.Context, accept bool, text string) error {
	d := t.Dialog()
	if d == nil {
		return ErrNoDialog
	}
	params := page.HandleJavaScriptDialogParams{Accept: accept}
	if d.Type == "prompt" {
		params.PromptText = text
	}
	// Its own answer may wait for the page, which may open the next dialog at
	// once; that this one closed is what counts.
	p := cdp.Start(t.session, page.HandleJavaScriptDialog, params)
	err := t.wait(ctx, func() bool { return t.dialog != d || settled(p) })
	if err != nil {
		return fmt.Errorf("answer the dialog: %w", err)
	}
	if settled(p) {
		if err := p.Wait(ctx, nil); err != nil {
			return fmt.Errorf("answer the dialog: %w", err)
		}
	}
	return t.wait(ctx, func() bool { return t.dialog != d })
}

func settled(p *cdp.Pending) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// ChooseFiles answers the open file chooser; no paths cancel it. The files must
// be readable for Chromium's user. After a refusal the chooser is open again.
func (t *Tab) ChooseFiles(ctx context.Context, paths []string) error {
	t.b.mu.Lock()
	c := t.chooser
	t.chooser = nil
	t.modalChanged()
	t.b.mu.Unlock()
	if c == nil {
		return ErrNoChooser
	}
	if len(paths) == 0 {
		c.cancel(ctx)
		return nil
	}
	if len(paths) > 1 && !c.Multiple {
		t.reopen(c)
		return ErrOneFile
	}
	_, err := pcdp.Call(ctx, c.session, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, BackendNodeID: c.node})
	if err != nil {
		t.reopen(c)
		return fmt.Errorf("choose files: %w", err)
	}
	return nil
}

// reopen takes the closing of a chooser back, unless the page has opened another
// one.
func (t *Tab) reopen(c *Chooser) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.chooser == nil {
		t.chooser = c
		t.modalChanged()
	}
}

//go:embed js/cancel.js
var cancelScript string

// cancel tells the page that nothing was chosen. A page that can't be told needs
// no telling.
func (c *Chooser) cancel(ctx context.Context) {
	node, err := pcdp.Call(ctx, c.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: c.node})
	if err != nil || node.Object == nil {
		return
	}
	defer cdp.Start(c.session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: node.Object.ObjectID})
	_, _ = pcdp.Call(ctx, c.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: cancelScript, ObjectID: node.Object.ObjectID, Silent: ptr(true),
	})
}
