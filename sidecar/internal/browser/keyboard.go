package browser

import (
	"context"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Bits of the modifiers of an input event, as the protocol counts them.
const (
	modAlt     = 1
	modControl = 2
	modMeta    = 4
	modShift   = 8
)

func modifierBit(name string) int64 {
	switch name {
	case "Alt":
		return modAlt
	case "Control":
		return modControl
	case "Meta":
		return modMeta
	case "Shift":
		return modShift
	}
	return 0
}

// typeAhead is how many keys of a text are on their way at once. Waiting for
// each alone costs a round trip a character; sending all would leave a text
// typing on after a cancel or into the page behind a dialog.
const typeAhead = 4

// Keyboard sends real key events to a tab's focused element.
type Keyboard struct{ t *Tab }

// Keyboard is the tab's keyboard.
func (t *Tab) Keyboard() *Keyboard { return &Keyboard{t} }

// Press presses a key or chord as [ParseChord] reads it and lets go of it. When
// the key opens a dialog it returns [ErrModal] at once.
func (k *Keyboard) Press(ctx context.Context, chord string) error {
	names, err := ParseChord(chord)
	if err != nil {
		return err
	}
	if err := k.t.mayInput(ctx); err != nil {
		return err
	}
	last := len(names) - 1
	var sent []*cdp.Pending
	for _, name := range names[:last] {
		sent = append(sent, k.down(name))
	}
	sent = append(sent, k.stroke(names[last])...)
	for i := last - 1; i >= 0; i-- {
		sent = append(sent, k.up(names[i]))
	}
	return k.t.awaitInput(ctx, sent...)
}

// Down presses a key and holds it until Up or [Tab.ReleaseInput].
func (k *Keyboard) Down(ctx context.Context, name string) error {
	if _, ok := findStroke(name); !ok {
		return &UnknownKeyError{Key: name, Chord: name}
	}
	if err := k.t.mayInput(ctx); err != nil {
		return err
	}
	return k.t.awaitInput(ctx, k.down(name))
}

// Up lets go of a key.
func (k *Keyboard) Up(ctx context.Context, name string) error {
	if _, ok := findStroke(name); !ok {
		return &UnknownKeyError{Key: name, Chord: name}
	}
	return k.t.awaitInput(ctx, k.up(name))
}

// Type types text key by key at the caret. Characters that a US keyboard lacks
// arrive as an input method would send them. A dialog stops it with [ErrModal].
func (k *Keyboard) Type(ctx context.Context, text string) error {
	var flight []*cdp.Pending
	for _, r := range text {
		if err := k.t.mayInput(ctx); err != nil {
			return err
		}
		flight = append(flight, k.character(r)...)
		if len(flight) >= 2*typeAhead {
			half := len(flight) / 2
			if err := k.t.awaitInput(ctx, flight[:half]...); err != nil {
				return err
			}
			flight = flight[half:]
		}
	}
	return k.t.awaitInput(ctx, flight...)
}

// Insert puts text in place of the selection in one go, without key events.
func (k *Keyboard) Insert(ctx context.Context, text string) error {
	if err := k.t.mayInput(ctx); err != nil {
		return err
	}
	return k.t.awaitInput(ctx, k.insert(text))
}

func (k *Keyboard) insert(text string) *cdp.Pending {
	return cdp.Start(k.t.session, input.InsertText, input.InsertTextParams{Text: text})
}

// stroke presses one key and lets go of it, whatever it is called.
func (k *Keyboard) stroke(name string) []*cdp.Pending {
	if _, ok := findStroke(name); ok {
		return []*cdp.Pending{k.down(name), k.up(name)}
	}
	r, _ := utf8.DecodeRuneInString(name)
	return k.character(r)
}

func (k *Keyboard) character(r rune) []*cdp.Pending {
	switch r {
	case '\n', '\r':
		return k.stroke("Enter")
	case '\t':
		return k.stroke("Tab")
	}
	if _, ok := strokes[string(r)]; ok {
		return k.stroke(string(r))
	}
	if r > 0xFFFF || r < ' ' {
		// No key event holds a surrogate pair or a control character.
		return []*cdp.Pending{k.insert(string(r))}
	}
	down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r), UnmodifiedText: string(r), Modifiers: k.t.modifiers()}
	up := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: string(r), Modifiers: k.t.modifiers()}
	return []*cdp.Pending{cdp.Start(k.t.session, input.DispatchKeyEvent, down), cdp.Start(k.t.session, input.DispatchKeyEvent, up)}
}

func (k *Keyboard) down(name string) *cdp.Pending {
	s, _ := findStroke(name)
	in := &k.t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	repeat := in.holds(s.code)
	if !repeat {
		in.held = append(in.held, s.key)
	}
	return cdp.Start(k.t.session, input.DispatchKeyEvent, keyDown(s, in.modifiers(), repeat))
}

func (k *Keyboard) up(name string) *cdp.Pending {
	s, _ := findStroke(name)
	in := &k.t.input
	in.mu.Lock()
	defer in.mu.Unlock()
	in.letGo(s.code)
	return cdp.Start(k.t.session, input.DispatchKeyEvent, keyUp(s, in.modifiers()))
}

func keyDown(s stroke, modifiers int64, repeat bool) input.DispatchKeyEventParams {
	shift := s.shift || modifiers&modShift != 0
	p := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: modifiers,
		Key: s.meaning(shift), Code: s.code, WindowsVirtualKeyCode: s.vk, Location: s.location,
	}
	if s.location == keypad {
		p.IsKeypad = ptr(true)
	}
	if repeat {
		p.AutoRepeat = ptr(true)
	}
	// With Control, Alt or Meta a key is a command, not a character.
	if text := s.text(shift); text != "" && modifiers&(modControl|modAlt|modMeta) == 0 {
		p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, text, text
	}
	return p
}

func keyUp(s stroke, modifiers int64) input.DispatchKeyEventParams {
	return input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Modifiers: modifiers,
		Key: s.meaning(s.shift || modifiers&modShift != 0), Code: s.code, WindowsVirtualKeyCode: s.vk, Location: s.location,
	}
}
