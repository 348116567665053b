package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
)

// Event is one recorded thing.
type Event struct {
	Kind string          `json:"kind"`      // "rrweb", "console", "marker", "action"
	Time float64         `json:"timestamp"` // epoch milliseconds
	Data json.RawMessage `json:"data"`
}

// maxLine bounds one event of a chunk that may come from elsewhere: far above the
// batches that ingests take.
const maxLine = 64 << 20

// Pack writes a chunk; size is that of its JSON.
func Pack(events []Event) (packed []byte, size int64, err error) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	counted := &counter{w: z}
	enc := json.NewEncoder(counted)
	enc.SetEscapeHTML(false)
	for _, e := range events {
		if err := enc.Encode(e); err != nil {
			return nil, 0, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, 0, err
	}
	return buf.Bytes(), counted.n, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Unpack reads a chunk. It ends with the first error.
func Unpack(packed []byte) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			yield(Event{}, err)
			return
		}
		scan := bufio.NewScanner(z)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			var e Event
			if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
				yield(Event{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if err := scan.Err(); err != nil {
			yield(Event{}, err)
		}
	}
}
