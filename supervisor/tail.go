package supervisor

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/pillion-browser/pillion/proto"
)

// Bounds of what is kept and shown of a sidecar's standard error.
const (
	tailBytes     = 64 << 10 // kept: enough for a stack trace of every goroutine that matters
	tailLineBytes = 8 << 10  // kept of one line: a line without an end may not take all of it
	shownLines    = 20       // shown in an error message
	shownChars    = 500      // shown of each of these lines
)

// tail keeps the last lines of a sidecar's standard error, masked before they
// are stored: nothing that holds the tail can give a secret away.
type tail struct {
	mask masker
	line func(string) // called with each masked line, in order

	mu    sync.Mutex
	lines []string
	bytes int
}

// read takes lines from r until its end. It never stops reading, however long
// a line is: a sidecar must not block on its log.
func (t *tail) read(r io.Reader) {
	limit := tailLineBytes + t.mask.longest // so that no secret is cut in half before it is masked
	var pending []byte
	chunk := make([]byte, 16<<10)
	for {
		n, err := r.Read(chunk)
		rest := chunk[:n]
		for {
			head, after, found := bytes.Cut(rest, []byte{'\n'})
			pending = append(pending, head[:min(len(head), limit-len(pending))]...)
			if !found {
				break
			}
			t.add(pending)
			pending, rest = pending[:0], after
		}
		if err != nil {
			if len(pending) > 0 {
				t.add(pending)
			}
			return
		}
	}
}

func (t *tail) add(raw []byte) {
	line := t.mask.mask(strings.ToValidUTF8(strings.TrimSuffix(string(raw), "\r"), "\uFFFD"))
	if len(line) > tailLineBytes {
		line = strings.ToValidUTF8(line[:tailLineBytes], "") + "…"
	}
	t.mu.Lock()
	t.lines = append(t.lines, line)
	t.bytes += len(line) + 1
	for t.bytes > tailBytes {
		t.bytes -= len(t.lines[0]) + 1
		t.lines = t.lines[1:]
	}
	t.mu.Unlock()
	t.line(line)
}

// kept returns a copy of the kept lines.
func (t *tail) kept() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

// last returns what an error message shows of the tail: up to shownLines
// lines, indented, each cut to shownChars characters.
func (t *tail) last() string {
	var shown []string
	for _, line := range t.kept() {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if runes := []rune(line); len(runes) > shownChars {
			line = string(runes[:shownChars]) + "…"
		}
		shown = append(shown, "  "+printable(line))
	}
	shown = shown[max(0, len(shown)-shownLines):]
	return strings.Join(shown, "\n")
}

// reported returns the error that the sidecar printed about itself last, nil
// if there is none.
func (t *tail) reported() *proto.Error {
	lines := t.kept()
	for i := len(lines) - 1; i >= 0; i-- {
		if e, ok := proto.ParseErrorLine(lines[i]); ok {
			return e
		}
	}
	return nil
}

// printable replaces control characters: a log shown in a terminal may not
// move its cursor or set its title.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || (r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f)) {
			return r
		}
		return '\uFFFD'
	}, line)
}
