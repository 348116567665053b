package proto

import (
	"encoding/json"
	"errors"
	"strings"
)

// Error is what every border of Pillion answers with: a stable code for
// programs, one sentence for people, and what to do about it.
//
// Message is one clause without a full stop; it names the thing that failed.
// Hint, when there is one, says the cure. Neither ever holds a secret.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Err is the cause inside this process, for errors.Is and errors.As. It is
	// neither printed nor sent: what a reader must know of it is in Message.
	Err error `json:"-"`
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Unwrap gives the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Is says whether target is this error's code, so that a caller can write
// errors.Is(err, proto.CodeStopping).
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == e.Code
}

// CodeOf finds the code of the first [Error] in err's chain; "" if none is.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// errorLinePrefix starts the one stderr line that is meant for a program.
const errorLinePrefix = "pillion-error: "

// Line is the error as a sidecar's last stderr line (without its newline):
// the sentences before it are for people, this one is for the supervisor.
func (e *Error) Line() string {
	data, err := encodeJSON(e)
	if err != nil { // three strings always encode
		data = []byte(`{"code":"internal"}`)
	}
	return errorLinePrefix + string(data)
}

// ParseErrorLine reads a line written by [Error.Line]; false for every other
// line. It tolerates space around the line and keys that it does not know.
func ParseErrorLine(line string) (*Error, bool) {
	data, ok := strings.CutPrefix(strings.TrimSpace(line), errorLinePrefix)
	if !ok {
		return nil, false
	}
	e := new(Error)
	if err := json.Unmarshal([]byte(data), e); err != nil || e.Code == "" {
		return nil, false
	}
	return e, true
}
