package record

import (
	"slices"
	"strings"
	"testing"
)

// TestHandsKnowWhatTheyTyped: pieces of typing are told as a page has them.
func TestHandsKnowWhatTheyTyped(t *testing.T) {
	for want, does := range map[string]func(h *hands){
		"Grace":        func(h *hands) { h.key("Shift", ""); h.key("G", "G"); h.text("race") },
		"one|two":      func(h *hands) { h.text("one"); h.key("Tab", ""); h.text("two") },
		"one|three":    func(h *hands) { h.text("one"); h.key("Enter", "\r"); h.text("three") },
		"naïve":        func(h *hands) { h.text("naïé"); h.key("Backspace", ""); h.text("ve") },
		"x":            func(h *hands) { h.key("Backspace", ""); h.text("x") },
		"here|there":   func(h *hands) { h.text("here"); h.key("ArrowLeft", ""); h.pause(); h.text("there") },
		"":             func(h *hands) { h.key("Escape", ""); h.pause() },
		"a b":          func(h *hands) { h.key("a", "a"); h.key(" ", " "); h.key("b", "b") },
		"long|the end": func(h *hands) { h.text(strings.Repeat("y", maxPiece) + "z"); h.text("the end") },
	} {
		var pieces []string
		h := &hands{known: func(p string) { pieces = append(pieces, p) }}
		does(h)
		h.pause()
		if i := slices.IndexFunc(pieces, func(p string) bool { return len(p) > maxPiece }); i >= 0 {
			pieces[i] = "long"
		}
		if got := strings.Join(pieces, "|"); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}
