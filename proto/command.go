package proto

import (
	"errors"
	"fmt"
)

// Command is one line of the sidecar's stdin after the config, under a
// lifeline. The sidecar answers each with one event that carries its ID.
type Command struct {
	Type string `json:"type"` // a Command… constant
	// StopAt is the new end in epoch milliseconds, for extend.
	StopAt *float64 `json:"stop_at,omitempty"`
	// User is the id of a person as in tickets, for revoke.
	User string `json:"user,omitempty"`
	// ID comes back in the answer; any string, or none.
	ID string `json:"id,omitempty"`
}

// The commands.
const (
	// CommandStop begins the ordinary stop. Answer: EventStopping.
	CommandStop = "stop"
	// CommandExtend replaces stop_at by StopAt, later or earlier. Answer:
	// EventExtended.
	CommandExtend = "extend"
	// CommandRevoke takes control from User and closes their viewers. Answer:
	// EventRevoked.
	CommandRevoke = "revoke"
	// CommandPing asks for a sign of life. Answer: EventPong.
	CommandPing = "ping"
)

// Encode writes the command line, without its newline. It refuses a command
// that a sidecar would reject.
func (c Command) Encode() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return encodeJSON(c)
}

// DecodeCommand reads a command line and ignores keys that it does not know.
// Its error is an [*Error] with [CodeMessageMalformed], [CodeCommandUnknown]
// or [CodeInvalidArguments]; for the last two the Command is returned as far
// as it was read, so that the answer can carry its ID.
//
// StopAt may be written as in the config: a number or an ISO 8601 date.
func DecodeCommand(line []byte) (Command, error) {
	obj, err := decodeObject(line)
	if err != nil {
		return Command{}, malformed(CodeMessageMalformed, "a line is not a command", err, line)
	}
	var c Command
	c.ID, _ = obj["id"].(string) // first, for the answer to a command that is refused
	if v := obj["stop_at"]; v != nil {
		at, ok := Instant(v)
		if !ok {
			err = errors.New("stop_at is neither epoch milliseconds nor an ISO 8601 date")
		} else {
			c.StopAt = &at
		}
		delete(obj, "stop_at")
	}
	if e := fill(&c, obj); e != nil {
		err = e
	}
	if err != nil {
		return c, &Error{Code: CodeInvalidArguments, Message: "in a command, " + err.Error()}
	}
	return c, c.check()
}

func (c Command) check() error {
	switch c.Type {
	case CommandStop, CommandPing:
		return nil
	case CommandExtend:
		if c.StopAt == nil {
			return &Error{Code: CodeInvalidArguments, Message: "the command extend needs a stop_at"}
		}
		return nil
	case CommandRevoke:
		if c.User == "" {
			return &Error{Code: CodeInvalidArguments, Message: "the command revoke needs a user"}
		}
		return nil
	case "":
		return &Error{Code: CodeInvalidArguments, Message: "a command needs a type"}
	}
	return &Error{
		Code:    CodeCommandUnknown,
		Message: fmt.Sprintf("there is no command %s", printable(c.Type)),
		Hint:    "The supervisor may be newer than this sidecar",
	}
}
