package record

import (
	"sync"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// maxPiece bounds what is remembered of one piece of typing, in bytes: an echo of
// more is known by its parts.
const maxPiece = 4 << 10

// Screen is where a person's input goes.
type Screen interface {
	Watch(on bool)
	SetPace(browser.Pace)
	Mouse(input.DispatchMouseEventParams)
	Key(input.DispatchKeyEventParams)
	Text(string)
	Touch(down []*input.TouchPoint, modifiers int64, cancel bool)
	Release()
}

// Overhear gives a screen that passes everything on and has the recorder know what
// the person types, so that a page that tells it later is masked.
func (r *Recorder) Overhear(s Screen) Screen { return &overheard{Screen: s, hands: &r.hands} }

type overheard struct {
	Screen
	hands *hands
}

func (o *overheard) Mouse(p input.DispatchMouseEventParams) {
	if p.Type == input.DispatchMouseEventTypeMousePressed {
		o.hands.pause()
	}
	o.Screen.Mouse(p)
}

func (o *overheard) Key(p input.DispatchKeyEventParams) {
	if p.Type != input.DispatchKeyEventTypeKeyUp {
		o.hands.key(p.Key, p.Text)
	}
	o.Screen.Key(p)
}

func (o *overheard) Touch(down []*input.TouchPoint, modifiers int64, cancel bool) {
	o.hands.pause() // a finger goes elsewhere
	o.Screen.Touch(down, modifiers, cancel)
}

func (o *overheard) Text(text string) {
	o.hands.text(text)
	o.Screen.Text(text)
}

func (o *overheard) Release() {
	o.hands.pause()
	o.Screen.Release()
}

// hands put together what a person types, key by key. A piece ends where the person
// goes elsewhere, and is remembered then: until they let go all of a page is masked.
type hands struct {
	known func(piece string)

	mu    sync.Mutex
	piece []byte
}

func (h *hands) text(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.piece = append(h.piece, text...); len(h.piece) > maxPiece {
		h.end()
	}
}

func (h *hands) key(name, text string) {
	switch {
	case name == "Backspace":
		h.mu.Lock()
		_, n := utf8.DecodeLastRune(h.piece)
		h.piece = h.piece[:len(h.piece)-n]
		h.mu.Unlock()
	case name == "Shift" || name == "CapsLock" || name == "AltGraph" || name == "Dead":
		// A capital letter follows.
	case text == "" || text == "\r":
		h.pause()
	default:
		h.text(text)
	}
}

// pause ends the piece.
func (h *hands) pause() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end()
}

func (h *hands) end() {
	if len(h.piece) > 0 {
		h.known(string(h.piece))
		h.piece = h.piece[:0]
	}
}
