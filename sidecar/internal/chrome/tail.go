package chrome

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// tailBytes is how much of Chromium's output is kept: some 40 lines, more
	// than any fatal message with its stack.
	tailBytes = 8 << 10
	// tailLines is how much of it an error message shows.
	tailLines = 6
	// tailLinger is how long the output is read after the browser's end: what
	// it wrote lies in the pipe already, but a process that it left behind
	// could hold the pipe open for ever.
	tailLinger = 200 * time.Millisecond
)

// tail keeps the end of what Chromium writes to stdout and stderr.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write keeps the last tailBytes. It never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// follow copies r into the tail until the end of r. The returned function ends
// it after tailLinger, closes r and waits.
func (t *tail) follow(r *os.File) (finish func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		io.Copy(t, r)
	}()
	return func() {
		r.SetReadDeadline(time.Now().Add(tailLinger))
		<-over
		r.Close()
	}
}

// lastLines returns the last n lines of text that hold anything, made
// printable and joined by " | ".
func lastLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(line, "?")))
		if line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, " | ")
}
