package proto

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// Ready is the sidecar's first stdout line: the browser is up and the sidecar
// listens. The first four keys are the original's, in its order.
type Ready struct {
	Ready    bool     `json:"ready"`   // always true
	Port     int      `json:"port"`    // the port that the sidecar really listens on
	Version  string   `json:"version"` // the sidecar's [Version]
	PID      int      `json:"pid"`     // the sidecar's process
	MCPURL   string   `json:"mcp_url"` // where agents POST, with the bearer token
	LiveURL  string   `json:"live_url,omitempty"`
	Chromium Chromium `json:"chromium"`
	Features Features `json:"features"`
}

// Chromium names the browser that runs.
type Chromium struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Flavour string `json:"flavour"` // [ChromiumShell] or [ChromiumFull]
}

// Features says which walls and guarantees hold on this system.
type Features struct {
	Sandbox          bool `json:"sandbox"`           // Chromium's own sandbox is on
	PrivateNetwork   bool `json:"private_network"`   // Chromium lives in a network namespace of its own
	UnprivilegedUser bool `json:"unprivileged_user"` // Chromium runs as a user that is not the sidecar's
	Janitor          bool `json:"janitor"`           // a survivor cleans up after kill -9
}

// Encode writes the ready line, without its newline.
func (r Ready) Encode() ([]byte, error) {
	r.Ready = true
	return encodeJSON(r)
}

// DecodeReady reads a ready line. It insists on the original's four keys
// (ready is true, port from 1 to 65535, a version, a pid above 0), takes a
// line that has only them, and ignores keys that it does not know. Its error
// is an [*Error] with [CodeReadyMalformed] that quotes the head of the line.
func DecodeReady(line []byte) (Ready, error) {
	var r Ready
	obj, err := decodeObject(line)
	if err == nil {
		err = fill(&r, obj)
	}
	switch {
	case err != nil:
	case !r.Ready:
		err = errors.New("ready is not true")
	case r.Port < 1 || r.Port > 65535:
		err = errors.New("port is not from 1 to 65535")
	case r.Version == "":
		err = errors.New("version is empty")
	case r.PID < 1:
		err = errors.New("pid is not above 0")
	default:
		return r, nil
	}
	return Ready{}, malformed(CodeReadyMalformed, "the first line is not a ready line", err, line)
}

// malformed explains a line that is not what its place calls for. It quotes
// the line's head: that is how a person sees that another program answered.
func malformed(code Code, what string, why error, line []byte) *Error {
	const quoted = 120 // bytes; enough to recognise a program by
	line = bytes.TrimSpace(line)
	more := ""
	if len(line) > quoted {
		line, more = line[:quoted], " and more"
	}
	return &Error{
		Code:    code,
		Message: fmt.Sprintf("%s: %v: %s%s", what, why, strconv.Quote(string(line)), more),
	}
}
