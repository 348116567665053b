package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// Deck is what pictures can't show, for viewers that asked for it.
type Deck struct {
	Tabs    []TabState
	Loading bool          // the tab on screen
	Dialog  *DialogState  // of the tab on screen; nil when none is open
	Chooser *ChooserState // likewise
}

// TabState is one open tab.
type TabState struct {
	ID      int    `json:"id"`
	Title   string `json:"title"`
	URL     string `json:"url"` // origin and path
	Current bool   `json:"current"`
}

// DialogState is an open alert, confirm, prompt or beforeunload.
type DialogState struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Default string `json:"default"` // a prompt's proposed text
}

// ChooserState is an open file chooser.
type ChooserState struct {
	Multiple bool `json:"multiple"`
}

// File is one that a person gives to a page.
type File struct {
	Name string // as the person's machine calls it: not to be trusted
	Data []byte
}

// Controls are what a person may do beyond mouse and keyboard. Each call may take
// a while, and ends with ctx.
type Controls interface {
	Answer(ctx context.Context, accept bool, text string) error // the dialog
	Choose(ctx context.Context, files []File) error             // no files cancel the chooser
	Open(ctx context.Context, url string) error                 // in the tab on screen, on the app
	Back(ctx context.Context) error
	Forward(ctx context.Context) error
	Reload(ctx context.Context) error
	NewTab(ctx context.Context) error
	ShowTab(ctx context.Context, id int) error
	CloseTab(ctx context.Context, id int) error
	Pick(ctx context.Context, id int, c page.Choice) error // the picker
	Copy(ctx context.Context) (string, error)              // the selected text
	// Fetch reads a part of a file that a page has downloaded, from a place on.
	Fetch(ctx context.Context, id string, at int64) (Part, error)
	// Hold lets dialogs wait for an answer from now on.
	Hold()
}

// Bounds of what a person may do.
const (
	// actLimit is as long as a page may take to load.
	actLimit = 60 * time.Second
	// maxActs is how many may be under way; a dialog must be answered while the
	// navigation waits that it belongs to.
	maxActs = 16
	// maxFiles and maxFileBytes bound what waits in memory for a chooser.
	maxFiles     = 20
	maxFileBytes = 16 << 20
	maxURL       = 4096
	maxAnswer    = 10_000
)

// deckMessages are the messages of a deck, by what a viewer must want.
type deckMessages struct{ tabs, dialog, chooser []byte }

func (d Deck) messages() deckMessages {
	line := func(v any) []byte {
		b, _ := json.Marshal(v) // never fails
		return b
	}
	tabs := d.Tabs
	if tabs == nil {
		tabs = []TabState{}
	}
	return deckMessages{
		tabs: line(struct {
			Type    string     `json:"type"`
			Tabs    []TabState `json:"tabs"`
			Loading bool       `json:"loading"`
		}{"tabs", tabs, d.Loading}),
		dialog: line(struct {
			Type   string       `json:"type"`
			Dialog *DialogState `json:"dialog"`
		}{"dialog", d.Dialog}),
		chooser: line(struct {
			Type    string        `json:"type"`
			Chooser *ChooserState `json:"chooser"`
		}{"chooser", d.Chooser}),
	}
}

// Deal tells what pictures can't show. Only what has changed is sent.
func (h *Hub) Deal(d Deck) {
	next := d.messages()
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.deck
	h.deck = next
	for _, v := range h.viewers {
		v.deal(old, next)
	}
}

// deal sends a viewer what it wants and does not know yet.
func (v *viewer) deal(old, next deckMessages) {
	if v.wants.tabs && !bytes.Equal(old.tabs, next.tabs) {
		v.send(next.tabs, nil)
	}
	if v.wants.modals && !bytes.Equal(old.dialog, next.dialog) {
		v.send(next.dialog, nil)
	}
	if v.wants.modals && !bytes.Equal(old.chooser, next.chooser) {
		v.send(next.chooser, nil)
	}
}

// control obeys a message that is more than input. It is gated like input, and
// runs beside the reader: an alert may have to be answered before it ends.
func (h *Hub) control(v *viewer, typ string, f fields) {
	do := h.controlOf(v, typ, f)
	if do == nil {
		return
	}
	h.mu.Lock()
	held := h.lease.Holds(v.key)
	busy := h.acts >= maxActs
	if !h.closed && held && !busy {
		h.acts++
		h.work.Add(1)
	}
	closed := h.closed
	h.mu.Unlock()
	switch {
	case closed || !held:
		return
	case busy:
		v.complain(&proto.Error{Code: proto.CodeTimeout, Message: "The browser is busy with what you did before"})
		return
	}
	h.lease.Touch(v.key)
	go func() {
		defer h.work.Done()
		ctx, cancel := context.WithTimeout(h.ctx, actLimit)
		defer cancel()
		err := do(ctx)
		h.mu.Lock()
		h.acts--
		h.mu.Unlock()
		if err != nil && h.ctx.Err() == nil {
			v.complain(err)
		}
	}()
}

// complain tells a viewer why something that it asked for was not done.
func (v *viewer) complain(err error) {
	var e *proto.Error
	if !errors.As(err, &e) {
		e = &proto.Error{Code: proto.CodeInternal, Message: err.Error()}
	}
	v.send(proto.LiveError{Code: e.Code, Message: e.Message}.Encode())
}

// controlOf reads a message; nil for one that does nothing.
func (h *Hub) controlOf(v *viewer, typ string, f fields) func(context.Context) error {
	c := h.opts.Controls
	if c == nil {
		return nil
	}
	if v.wants.modals {
		switch typ {
		case "dialog":
			text, _ := f.text("text")
			if chars(text) > maxAnswer {
				return nil
			}
			accept := f.flag("accept")
			return func(ctx context.Context) error { return c.Answer(ctx, accept, text) }
		case "file":
			v.receive(f)
			return nil
		case "choose":
			files := v.files
			v.files, v.fileBytes = nil, 0
			if f.flag("cancel") {
				files = nil
			} else if len(files) == 0 {
				return nil
			}
			return func(ctx context.Context) error { return c.Choose(ctx, files) }
		}
	}
	if do := h.besideOf(v, typ, f); do != nil {
		return do
	}
	if v.wants.tabs {
		id, known := f.whole("id", 1, 1<<31)
		switch typ {
		case "open":
			if url, ok := f.text("url"); ok && len(url) <= maxURL {
				return func(ctx context.Context) error { return c.Open(ctx, url) }
			}
		case "back":
			return c.Back
		case "forward":
			return c.Forward
		case "reload":
			return c.Reload
		case "new_tab":
			return c.NewTab
		case "show_tab":
			if known {
				return func(ctx context.Context) error { return c.ShowTab(ctx, int(id)) }
			}
		case "close_tab":
			if known {
				return func(ctx context.Context) error { return c.CloseTab(ctx, int(id)) }
			}
		}
	}
	return nil
}

// receive takes a part of a file: messages are small and files are not. A part
// with the name of a file begins it, one without goes on with the last.
func (v *viewer) receive(f fields) {
	if !v.hub.lease.Holds(v.key) {
		v.files, v.fileBytes = nil, 0
		return
	}
	var data []byte
	if json.Unmarshal(f["data"], &data) != nil {
		return
	}
	name, begins := f.text("name")
	v.fileBytes += len(data)
	if v.fileBytes > maxFileBytes || begins && len(v.files) >= maxFiles || !begins && len(v.files) == 0 {
		v.files, v.fileBytes = nil, 0
		v.complain(&proto.Error{Code: proto.CodeTooLarge, Message: "The files are too many or too large together"})
		return
	}
	if begins {
		v.files = append(v.files, File{Name: name})
	}
	last := &v.files[len(v.files)-1]
	last.Data = append(last.Data, data...)
}
