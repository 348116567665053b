package redact

import (
	"io"
	"strings"
	"sync"
)

// Writer masks what is written through it. Several goroutines may write to it;
// their writes are one stream.
type Writer struct {
	m *Masker

	mu   sync.Mutex
	w    io.Writer
	held string // may be the start of a secret
}

// Writer masks the way to w. It must be closed for the last bytes to arrive.
func (m *Masker) Writer(w io.Writer) *Writer { return &Writer{m: m, w: w} }

// Write takes all of p. Of a text that may be the start of a secret nothing
// arrives at the underlying writer until the next writes show what it is; a line
// end always shows that.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out strings.Builder
	w.held, _ = w.m.mask(&out, w.held+string(p))
	return len(p), w.send(out.String())
}

// Close writes what was held back, masked if it is a good part of a secret. It
// leaves the underlying writer open, and more may be written after it.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out strings.Builder
	w.m.end(&out, w.held)
	w.held = ""
	return w.send(out.String())
}

func (w *Writer) send(s string) error {
	if s == "" {
		return nil
	}
	_, err := io.WriteString(w.w, s)
	return err
}
