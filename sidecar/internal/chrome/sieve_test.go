package chrome

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSieve(t *testing.T) {
	const limit = 100_000
	big := strings.Repeat("x", limit)
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"messages", "a\x00\x00bc\x00", "a\x00\x00bc\x00"},
		{"the largest", big[1:] + "\x00b\x00", big[1:] + "\x00b\x00"},
		{"an event too large", `{"method":"` + big + "\x00b\x00", "b\x00"},
		{"an answer too large", `{"id":17,"result":"` + big + big + "\x00b\x00",
			`{"id":17,"error":{"code":-32000,"message":"the browser's answer is 200020 bytes, over the limit of 67108864"}}` + "\x00b\x00"},
		{"one that does not end", "a\x00bcd", "a\x00bcd"},
		{"one too large that does not end", "a\x00" + big + big, ""},
	} {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "bytes": iotest.OneByteReader, "end with data": iotest.DataErrReader,
		} {
			s := newSieve(io.NopCloser(wrap(strings.NewReader(c.in))), nil)
			s.limit = limit
			got, err := io.ReadAll(s)
			if c.want == "" && c.in != "" {
				// What is cut off may be passed on in part, and is no message.
				if !strings.HasPrefix(string(got), "a\x00") || strings.Count(string(got), "\x00") != 1 || len(got) > limit+2 {
					t.Errorf("%s, %s: %d bytes", c.name, how, len(got))
				}
				continue
			}
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %s: %.200q, %v; want %.200q", c.name, how, got, err, c.want)
			}
		}
	}
}

func TestSieveKeepsErrors(t *testing.T) {
	gone := errors.New("gone")
	s := newSieve(io.NopCloser(io.MultiReader(strings.NewReader("a\x00b"), iotest.ErrReader(gone))), nil)
	if got, err := io.ReadAll(s); string(got) != "a\x00b" || !errors.Is(err, gone) {
		t.Errorf("%q, %v", got, err)
	}
}
