package browser

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseChord(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string // nil = unknown
	}{
		{"Enter", []string{"Enter"}},
		{"a", []string{"a"}},
		{"A", []string{"A"}},
		{"$", []string{"$"}},
		{" ", []string{" "}},
		{"Space", []string{"Space"}},
		{"KeyB", []string{"KeyB"}},
		{"Numpad1", []string{"Numpad1"}},
		{"F24", []string{"F24"}},
		{"+", []string{"+"}},
		{"Control++", []string{"Control", "+"}},
		{"Control+Shift+T", []string{"Control", "Shift", "T"}},
		{"ControlOrMeta+a", []string{"ControlOrMeta", "a"}},
		{"a+b", []string{"a", "b"}},
		{"++a", []string{"+", "a"}},
		// What people and models write instead.
		{"enter", []string{"enter"}},
		{"ctrl+a", []string{"ctrl", "a"}},
		{"Cmd+Left", []string{"Cmd", "Left"}},
		{"esc", []string{"esc"}},
		{"é", []string{"é"}},
		{"Alt+日", []string{"Alt", "日"}},

		{"", nil},
		{"ab", nil},
		{"Control+", nil},
		{"F25", nil},
		{"Ctrl-a", nil},
		{"é+a", nil},
		{"日本", nil},
		{"\x00", nil},
		{"\u200b", nil},
	} {
		got, err := ParseChord(tc.in)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("ParseChord(%q) (-want +got):\n%s", tc.in, diff)
		}
		var unknown *UnknownKeyError
		if tc.want == nil && (!errors.As(err, &unknown) || !strings.Contains(err.Error(), "Unknown key: ")) {
			t.Errorf("ParseChord(%q) failed with %v, want an unknown key", tc.in, err)
		}
	}
}

func TestKeyDown(t *testing.T) {
	for _, tc := range []struct {
		name      string
		modifiers int64
		key, code string
		text      string
		vk        int64
		location  int64
	}{
		{"a", 0, "a", "KeyA", "a", 65, 0},
		{"A", 0, "A", "KeyA", "A", 65, 0},
		{"a", modShift, "A", "KeyA", "A", 65, 0},
		{"a", modControl, "a", "KeyA", "", 65, 0},
		{"A", modControl, "A", "KeyA", "", 65, 0},
		{"Digit1", 0, "1", "Digit1", "1", 49, 0},
		{"!", 0, "!", "Digit1", "!", 49, 0},
		{"Enter", 0, "Enter", "Enter", "\r", 13, 0},
		{"return", 0, "Enter", "Enter", "\r", 13, 0},
		{"NumpadEnter", 0, "Enter", "NumpadEnter", "\r", 13, keypad},
		{"Numpad1", 0, "End", "Numpad1", "", 35, keypad},
		{"Numpad1", modShift, "1", "Numpad1", "1", 35, keypad},
		{"Tab", 0, "Tab", "Tab", "", 9, 0},
		{"ArrowLeft", 0, "ArrowLeft", "ArrowLeft", "", 37, 0},
		{"Shift", 0, "Shift", "ShiftLeft", "", 16, leftSide},
		{"ControlRight", 0, "Control", "ControlRight", "", 17, rightSide},
		{"F5", 0, "F5", "F5", "", 116, 0},
		{"Space", 0, " ", "Space", " ", 32, 0},
		{"+", 0, "+", "Equal", "+", 187, 0},
		{`\`, 0, `\`, "Backslash", `\`, 220, 0},
	} {
		s, ok := findStroke(tc.name)
		if !ok {
			t.Errorf("%s: no such key", tc.name)
			continue
		}
		p := keyDown(s, tc.modifiers, false)
		if p.Key != tc.key || p.Code != tc.code || p.Text != tc.text || p.WindowsVirtualKeyCode != tc.vk || p.Location != tc.location {
			t.Errorf("%s with modifiers %d: key %q code %q text %q vk %d location %d", tc.name, tc.modifiers, p.Key, p.Code, p.Text, p.WindowsVirtualKeyCode, p.Location)
		}
	}
}

// Every printable ASCII character must have a key, or text could not be typed.
func TestLayoutIsComplete(t *testing.T) {
	for r := ' '; r <= '~'; r++ {
		s, ok := findStroke(string(r))
		if !ok || s.text(s.shift) != string(r) {
			t.Errorf("%q types %q", r, s.text(s.shift))
		}
	}
}

func TestVirtualKeyCode(t *testing.T) {
	for name, want := range map[string]int64{
		"Backspace": 8, "Tab": 9, "Enter": 13, "Shift": 16, "Control": 17, "Alt": 18, "Pause": 19, "CapsLock": 20, "Escape": 27, " ": 32,
		"PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
		"Insert": 45, "Delete": 46, "Meta": 91, "a": 65, "Z": 90, "7": 55, "$": 0, "F5": 0, "é": 0, "": 0, "KeyA": 0,
	} {
		if got := VirtualKeyCode(name); got != want {
			t.Errorf("VirtualKeyCode(%q) = %d, want %d", name, got, want)
		}
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"Enter", "Control++", "+", "++", "a+b+c", "ControlOrMeta+Shift+é", "\xff", "Ctrl+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		names, err := ParseChord(s)
		if err != nil {
			return
		}
		if strings.Join(names, "+") != s {
			t.Fatalf("%q became %q", s, names)
		}
		for i, name := range names {
			if _, ok := findStroke(name); !ok && (i < len(names)-1 || utf8.RuneCountInString(name) != 1) {
				t.Fatalf("%q has no key", name)
			}
		}
	})
}
