package supervisor

import (
	"errors"
	"fmt"

	"github.com/pillion-browser/pillion/proto"
)

// AnyVersion as [Supervisor.ExpectVersion] accepts a sidecar of every version.
const AnyVersion = "any"

// parseReady reads the first line of a sidecar's standard output.
// expect is the version that it must have, or AnyVersion.
func parseReady(line []byte, expect string) (proto.Ready, error) {
	ready, err := proto.DecodeReady(line)
	if err != nil {
		return proto.Ready{}, notReady(err)
	}
	if expect != AnyVersion && ready.Version != expect {
		return proto.Ready{}, &proto.Error{
			Code:    proto.CodeVersionMismatch,
			Message: fmt.Sprintf("the sidecar has version %.40q, this program expects %q", ready.Version, expect),
			Hint: fmt.Sprintf("Install the fitting one with `go install github.com/pillion-browser/pillion/sidecar@v%s`, "+
				"or set ExpectVersion", expect),
		}
	}
	return ready, nil
}

// notReady is for a first line that is something else.
func notReady(reason error) error {
	message := reason.Error()
	var e *proto.Error
	if errors.As(reason, &e) {
		message = e.Message
	}
	return &proto.Error{
		Code:    proto.CodeReadyMalformed,
		Message: "the sidecar's standard output does not begin with its ready line: " + message,
		Hint: "Check that Command names the sidecar itself: a wrapper script must not print anything, " +
			"and must pass its standard input and output on",
		Err: reason,
	}
}
