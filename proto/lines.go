package proto

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// MaxLine bounds a line between supervisor and sidecar, in bytes without the
// newline. The longest line of ours is an event of some kilobytes.
const MaxLine = 1 << 20

// LineReader cuts a stream into lines. It is for one reader goroutine.
type LineReader struct {
	buf *bufio.Reader
}

// NewLineReader reads lines from r.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{bufio.NewReader(r)}
}

// Next returns the next line that is not blank, without its newline and
// without white space around it. The slice is the caller's.
//
// A line over [MaxLine] is skipped whole and reported as an [*Error] with
// [CodeMessageTooLong]; reading can go on after it. Every other error is the
// stream's own and the last. What stands before the end without a newline is a
// line.
func (l *LineReader) Next() ([]byte, error) {
	for {
		line, err := l.line()
		if line = bytes.TrimSpace(line); len(line) > 0 || err != nil {
			return line, err
		}
	}
}

func (l *LineReader) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.buf.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > MaxLine+1; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case tooLong:
			// At the stream's end too: the next call reports that.
			return nil, &Error{
				Code:    CodeMessageTooLong,
				Message: fmt.Sprintf("a line of more than %d bytes was skipped", MaxLine),
			}
		case err == io.EOF && len(line) > 0:
			return line, nil
		case err != nil:
			return nil, err
		default:
			return line, nil
		}
	}
}
