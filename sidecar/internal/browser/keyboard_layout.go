package browser

import (
	"runtime"
	"strconv"
	"strings"
)

// key is one key of a US keyboard: its physical name, the Windows virtual key
// code, and what it means alone and together with Shift.
type key struct {
	code     string
	vk       int64
	name     string // KeyboardEvent.key without Shift
	shifted  string // KeyboardEvent.key with Shift; empty = the same
	location int64  // KeyboardEvent.location: 1 left, 2 right, 3 keypad
}

// text is what the key types, empty for a key that types nothing.
func (k key) text(shift bool) string {
	name := k.meaning(shift)
	switch {
	case name == "Enter":
		return "\r"
	case len(name) == 1:
		return name
	}
	return ""
}

func (k key) meaning(shift bool) string {
	if shift && k.shifted != "" {
		return k.shifted
	}
	return k.name
}

const (
	shiftedDigits = ")!@#$%^&*("
	leftSide      = 1
	rightSide     = 2
	keypad        = 3
)

// layout lists every key of a US keyboard. Where two keys mean the same, the
// one that a person would reach for stands first.
func layout() []key {
	keys := make([]key, 0, 128)
	for c := 'a'; c <= 'z'; c++ {
		upper := strings.ToUpper(string(c))
		keys = append(keys, key{code: "Key" + upper, vk: int64(upper[0]), name: string(c), shifted: upper})
	}
	for d := 0; d < 10; d++ {
		s := strconv.Itoa(d)
		keys = append(keys, key{code: "Digit" + s, vk: int64('0' + d), name: s, shifted: shiftedDigits[d : d+1]})
	}
	keys = append(keys,
		key{code: "Backquote", vk: 192, name: "`", shifted: "~"},
		key{code: "Minus", vk: 189, name: "-", shifted: "_"},
		key{code: "Equal", vk: 187, name: "=", shifted: "+"},
		key{code: "BracketLeft", vk: 219, name: "[", shifted: "{"},
		key{code: "BracketRight", vk: 221, name: "]", shifted: "}"},
		key{code: "Backslash", vk: 220, name: `\`, shifted: "|"},
		key{code: "IntlBackslash", vk: 226, name: `\`, shifted: "|"},
		key{code: "Semicolon", vk: 186, name: ";", shifted: ":"},
		key{code: "Quote", vk: 222, name: "'", shifted: `"`},
		key{code: "Comma", vk: 188, name: ",", shifted: "<"},
		key{code: "Period", vk: 190, name: ".", shifted: ">"},
		key{code: "Slash", vk: 191, name: "/", shifted: "?"},
		key{code: "Space", vk: 32, name: " "},
	)
	for _, k := range []struct {
		code string
		vk   int64
	}{
		{"Enter", 13}, {"Tab", 9}, {"Backspace", 8}, {"Escape", 27}, {"Delete", 46}, {"Insert", 45},
		{"Home", 36}, {"End", 35}, {"PageUp", 33}, {"PageDown", 34},
		{"ArrowLeft", 37}, {"ArrowUp", 38}, {"ArrowRight", 39}, {"ArrowDown", 40},
		{"CapsLock", 20}, {"NumLock", 144}, {"ScrollLock", 145}, {"Pause", 19}, {"PrintScreen", 44}, {"ContextMenu", 93},
		{"AudioVolumeMute", 173}, {"AudioVolumeDown", 174}, {"AudioVolumeUp", 175},
		{"MediaTrackNext", 176}, {"MediaTrackPrevious", 177}, {"MediaStop", 178}, {"MediaPlayPause", 179},
	} {
		keys = append(keys, key{code: k.code, vk: k.vk, name: k.code})
	}
	for n := 1; n <= 24; n++ {
		name := "F" + strconv.Itoa(n)
		keys = append(keys, key{code: name, vk: int64(111 + n), name: name})
	}
	for _, m := range []struct {
		name        string
		left, right int64
	}{{"Shift", 16, 16}, {"Control", 17, 17}, {"Alt", 18, 18}, {"Meta", 91, 92}} {
		keys = append(keys,
			key{code: m.name + "Left", vk: m.left, name: m.name, location: leftSide},
			key{code: m.name + "Right", vk: m.right, name: m.name, location: rightSide})
	}
	// The keypad without NumLock: keys of the same meaning and code as on the
	// main block; Shift gives the digit.
	for d, k := range []struct {
		name string
		vk   int64
	}{{"Insert", 45}, {"End", 35}, {"ArrowDown", 40}, {"PageDown", 34}, {"ArrowLeft", 37}, {"Clear", 12}, {"ArrowRight", 39}, {"Home", 36}, {"ArrowUp", 38}, {"PageUp", 33}} {
		s := strconv.Itoa(d)
		keys = append(keys, key{code: "Numpad" + s, vk: k.vk, name: k.name, shifted: s, location: keypad})
	}
	return append(keys,
		key{code: "NumpadDecimal", vk: 46, name: "Delete", shifted: ".", location: keypad},
		key{code: "NumpadAdd", vk: 107, name: "+", location: keypad},
		key{code: "NumpadSubtract", vk: 109, name: "-", location: keypad},
		key{code: "NumpadMultiply", vk: 106, name: "*", location: keypad},
		key{code: "NumpadDivide", vk: 111, name: "/", location: keypad},
		key{code: "NumpadEnter", vk: 13, name: "Enter", location: keypad},
	)
}

// stroke is a key together with whether its name asks for Shift's meaning.
type stroke struct {
	key
	shift bool
}

// strokes finds a key by every name it goes by: the meaning alone, the physical
// name, the meaning with Shift; the main block before the keypad. Built once,
// never changed.
var strokes = func() map[string]stroke {
	m := map[string]stroke{}
	add := func(name string, s stroke) {
		if _, taken := m[name]; name != "" && !taken {
			m[name] = s
		}
	}
	keys := layout()
	for _, pad := range []bool{false, true} {
		for _, k := range keys {
			if (k.location == keypad) == pad {
				add(k.name, stroke{key: k})
				add(k.code, stroke{key: k})
			}
		}
		for _, k := range keys {
			if (k.location == keypad) == pad {
				add(k.shifted, stroke{key: k, shift: true})
			}
		}
	}
	return m
}()

// aliases are the other names by which people and models call keys, in lower
// case. A name of the layout itself wins over them.
var aliases = map[string]string{
	"return": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert", "bksp": "Backspace",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"pgup": "PageUp", "pgdn": "PageDown", "pgdown": "PageDown", "page_up": "PageUp", "page_down": "PageDown",
	"ctrl": "Control", "ctl": "Control", "cmd": "Meta", "command": "Meta", "super": "Meta", "win": "Meta", "windows": "Meta",
	"option": "Alt", "opt": "Alt", "spacebar": "Space", "plus": "+", "minus": "-", "apps": "ContextMenu", "menu": "ContextMenu",
}

// lower maps the layout's names in lower case to the real ones, one-character
// names aside: "a" and "A" differ.
var lower = func() map[string]string {
	m := map[string]string{}
	for name := range strokes {
		if len(name) > 1 {
			m[strings.ToLower(name)] = name
		}
	}
	return m
}()

// findStroke takes the names of the layout as they are, and any case or alias
// of the longer ones.
func findStroke(name string) (stroke, bool) {
	if strings.EqualFold(name, "ControlOrMeta") {
		name = "Control"
		if runtime.GOOS == "darwin" {
			name = "Meta"
		}
	}
	if s, ok := strokes[name]; ok {
		return s, true
	}
	if len(name) < 2 {
		return stroke{}, false
	}
	l := strings.ToLower(name)
	if s, ok := strokes[lower[l]]; ok {
		return s, true
	}
	s, ok := strokes[aliases[l]]
	return s, ok
}

// VirtualKeyCode is the Windows virtual key code of a KeyboardEvent.key, as a
// viewer's page sends it: the table for named keys, the upper-case code for an
// ASCII letter or digit, else 0.
func VirtualKeyCode(name string) int64 {
	if len(name) == 1 {
		c := name[0]
		switch {
		case c >= 'a' && c <= 'z':
			return int64(c - 'a' + 'A')
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == ' ':
			return int64(c)
		}
		return 0
	}
	switch name {
	case "Backspace", "Tab", "Enter", "Shift", "Control", "Alt", "Pause", "CapsLock", "Escape", "PageUp", "PageDown", "End",
		"Home", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Insert", "Delete", "Meta":
		return strokes[name].vk
	}
	return 0
}
