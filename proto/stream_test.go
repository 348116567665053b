package proto_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// patience is how long a test waits for what must happen at once.
const patience = 5 * time.Second

// readLaunch runs ReadLaunch and fails the test when it waits for more.
func readLaunch(t *testing.T, r io.Reader) (proto.Stream, error) {
	t.Helper()
	type result struct {
		s   proto.Stream
		err error
	}
	done := make(chan result, 1)
	go func() {
		s, err := proto.ReadLaunch(r)
		done <- result{s, err}
	}()
	select {
	case got := <-done:
		return got.s, got.err
	case <-time.After(patience):
		t.Fatal("ReadLaunch waits for more than the config")
		return proto.Stream{}, nil
	}
}

// pipe is a real pipe, as between two processes, with text written to it.
func pipe(t *testing.T, text string) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(); _ = r.Close() })
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	return r, w
}

func TestReadLaunchUnderALifeline(t *testing.T) {
	config := with("lifeline", true)
	for name, tail := range map[string]string{
		"nothing after the brace":           "",
		"a newline":                         "\n",
		"commands along with it":            "\n{\"type\":\"ping\",\"id\":\"1\"}\n{\"type\":\"stop\"}\n",
		"a command on the same line":        "{\"type\":\"ping\",\"id\":\"1\"}\n",
		"the head of a command":             "\n{\"type\":",
		"white space before, commands late": "",
	} {
		t.Run(name, func(t *testing.T) {
			r, w := pipe(t, "\n "+config+tail)
			s, err := readLaunch(t, r)
			if err != nil || !s.Lifeline || string(s.Launch) != config {
				t.Fatalf("got %q, %v, %v", s.Launch, s.Lifeline, err)
			}
			// The stream is still open: what comes now is in the rest, after
			// what came with the config.
			if _, err := io.WriteString(w, "LATER"); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(s.Rest)
			if want := tail + "LATER"; err != nil || string(rest) != want {
				t.Errorf("the rest is %q, %v, want %q", rest, err, want)
			}
		})
	}
}

// A config that arrives byte by byte is complete with its last brace.
func TestReadLaunchByteByByte(t *testing.T) {
	config := with("lifeline", true, "workdir", `/a}]"\{`)
	r, w := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		_, err := io.Copy(w, iotest.OneByteReader(strings.NewReader(config)))
		wrote <- err
	}()
	s, err := readLaunch(t, r)
	if err != nil || string(s.Launch) != config {
		t.Fatalf("got %q, %v", s.Launch, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	_ = w.Close()
}

func TestReadLaunchWithoutALifeline(t *testing.T) {
	for _, config := range []string{with(), with("lifeline", false), with("lifeline", null)} {
		s, err := readLaunch(t, strings.NewReader(" "+config+" \r\n"))
		if err != nil || s.Lifeline || string(s.Launch) != config {
			t.Fatalf("got %q, %v, %v", s.Launch, s.Lifeline, err)
		}
		if rest, err := io.ReadAll(s.Rest); err != nil || len(rest) > 0 {
			t.Errorf("the rest is %q, %v", rest, err)
		}
	}
}

// heldReader gives its text, tells asked when it is asked for more, and then
// waits for end.
type heldReader struct {
	text       io.Reader
	asked, end chan struct{}
}

func (h *heldReader) Read(p []byte) (int, error) {
	n, err := h.text.Read(p)
	if err == io.EOF {
		close(h.asked)
		<-h.end
	}
	return n, err
}

// Without a lifeline the value alone is not enough: the end must come.
func TestReadLaunchWaitsForTheEnd(t *testing.T) {
	held := &heldReader{strings.NewReader(with()), make(chan struct{}), make(chan struct{})}
	done := make(chan error, 1)
	go func() {
		_, err := proto.ReadLaunch(io.MultiReader(held))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("returned before the end: %v", err)
	case <-held.asked:
	}
	close(held.end)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestReadLaunchRefuses(t *testing.T) {
	tests := []struct{ name, text, fragment string }{
		{"nothing", "", "empty"},
		{"white space", " \n", "empty"},
		{"cut", `{"mode":`, "must be JSON"},
		{"garbage after", with() + "\nx", "nothing after"},
		{"a second document", with() + with(), "nothing after"},
		{"a brace too many", with() + "}", "nothing after"},
		{"too large", `{"x":"` + strings.Repeat("x", 21<<20) + `"}`, "larger than"},
		{"too large after", with() + strings.Repeat(" ", 21<<20), "larger than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readLaunch(t, strings.NewReader(tt.text))
			wantCode(t, err, proto.CodeConfigInvalid)
			if err == nil || !strings.Contains(err.Error(), tt.fragment) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What can't become a config is answered while the parent holds the stream.
func TestReadLaunchRefusesAtOnce(t *testing.T) {
	for _, text := range []string{"x", "{x", `{"a":1,}`, "[]", `{"a":tru `, "{}}"} {
		r, w := pipe(t, text)
		if text == "{}}" { // no lifeline: the end decides
			_ = w.Close()
		}
		_, err := readLaunch(t, r)
		wantCode(t, err, proto.CodeConfigInvalid)
	}
	// A lifeline of the wrong type is read as one, and refused by its rule.
	r, _ := pipe(t, with("lifeline", "yes"))
	s, err := readLaunch(t, r)
	if err != nil || !s.Lifeline {
		t.Fatal(s.Lifeline, err)
	}
	if _, _, err := proto.DecodeLaunch(s.Launch, parseURL); err == nil || !strings.HasPrefix(err.Error(), "lifeline ") {
		t.Errorf("got %v", err)
	}
}

func TestReadLaunchBrokenStream(t *testing.T) {
	broken := errors.New("input/output error")
	for _, head := range []string{"", `{"mode"`, with()} {
		r := io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))
		_, err := readLaunch(t, r)
		wantCode(t, err, proto.CodeConfigUnreadable)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "input/output error") {
			t.Errorf("got %v", err)
		}
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", proto.MaxLine)
	text := "\n \r\none\r\n" + long + "\n" + long + "y\n" + "  two \n\nlast"
	r := proto.NewLineReader(iotest.HalfReader(strings.NewReader(text)))
	next := func(want string) {
		t.Helper()
		if got, err := r.Next(); err != nil || string(got) != want {
			t.Fatalf("got %.20q (%d), %v", got, len(got), err)
		}
	}
	next("one")
	next(long)
	_, err := r.Next()
	wantCode(t, err, proto.CodeMessageTooLong)
	next("two")
	next("last")
	for range 2 {
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("the end is %v", err)
		}
	}
}

// A line that never ends costs no memory, and is reported before the end.
func TestLineReaderEndlessLine(t *testing.T) {
	r := proto.NewLineReader(strings.NewReader(strings.Repeat("x", 3*proto.MaxLine)))
	_, err := r.Next()
	wantCode(t, err, proto.CodeMessageTooLong)
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("the end is %v", err)
	}
}

// Two lines read one after the other do not share memory.
func TestLineReaderLinesAreTheCallers(t *testing.T) {
	r := proto.NewLineReader(strings.NewReader("aaaa\nbbbb\n"))
	first, _ := r.Next()
	if _, err := r.Next(); err != nil || !bytes.Equal(first, []byte("aaaa")) {
		t.Errorf("first is %q, %v", first, err)
	}
}
