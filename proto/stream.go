package proto

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Stream is a sidecar's stdin, cut after the launch config.
type Stream struct {
	// Launch is the config's text, for [DecodeLaunch].
	Launch []byte
	// Lifeline says that the rest of the stream is the parent's: commands, and
	// an end that means that the parent died. Without it the stream was read
	// to its end, which means nothing.
	Lifeline bool
	// Rest is what follows the config: what was read along with it, then the
	// stream itself. It is at its end where there is no lifeline.
	Rest io.Reader
}

// ReadLaunch reads the launch config from the head of a stream.
//
// The config is the first JSON value. Where it asks for a lifeline, ReadLaunch
// returns as soon as the value's last byte is there, without waiting for a
// newline or the end, because the parent keeps the stream open. Where it does
// not, ReadLaunch reads on to the end and refuses anything but white space:
// that is what a caller without a lifeline is used to.
//
// A value that no config can be (a syntax error, an array, a lifeline that is
// not true or false) is answered at once, so that a parent who holds the
// stream open learns of its mistake and does not wait. What is wrong with the
// keys themselves is left to [DecodeLaunch].
//
// Errors are a [*LaunchError], or an [*Error] with [CodeConfigUnreadable]
// where reading failed. ReadLaunch blocks for as long as r does; a time limit
// is the caller's ([CodeConfigTimeout]).
func ReadLaunch(r io.Reader) (Stream, error) {
	limited := &limitedReader{r: r, left: maxLaunch}
	dec := json.NewDecoder(limited)
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return Stream{}, limited.explain(err)
	}
	if held(raw) {
		return Stream{Launch: raw, Lifeline: true, Rest: io.MultiReader(dec.Buffered(), r)}, nil
	}
	if raw[0] != '{' {
		return Stream{}, refuseDocument("must be a JSON object")
	}
	tail, err := io.ReadAll(io.MultiReader(dec.Buffered(), limited))
	if err != nil {
		return Stream{}, limited.explain(err)
	}
	if len(bytes.Trim(tail, " \t\r\n")) > 0 {
		return Stream{}, refuseDocument(ruleTrailing)
	}
	return Stream{Launch: raw, Rest: bytes.NewReader(nil)}, nil
}

// held says whether the config asks for a lifeline, or tries to.
func held(raw []byte) bool {
	doc, err := decodeObject(raw)
	if err != nil {
		return errors.Is(err, errTooDeep) // refused later: do not wait for more
	}
	v := doc["lifeline"]
	return v != nil && v != false
}

var errOverLimit = errors.New("over the limit")

// limitedReader fails where io.LimitReader would end: a config that is cut
// must not look like one that is incomplete.
type limitedReader struct {
	r    io.Reader
	left int
	err  error // what r failed with, other than its end
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, errOverLimit
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	if err != nil && err != io.EOF {
		l.err = err
	}
	return n, err
}

// explain turns what the decoder met into the answer for the parent.
func (l *limitedReader) explain(err error) error {
	switch {
	case l.err != nil:
		return &Error{
			Code:    CodeConfigUnreadable,
			Message: fmt.Sprintf("the configuration could not be read: %v", l.err),
			Err:     l.err,
		}
	case errors.Is(err, errOverLimit):
		return refuseDocument(ruleSize)
	case errors.Is(err, io.EOF):
		return refuseDocument("must not be empty")
	default:
		return refuseDocument(ruleJSON)
	}
}
