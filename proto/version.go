package proto

import "fmt"

// Version is Pillion's own version, printed by `sidecar --version`, in Ready
// and in /health. A build sets another one with
// -ldflags "-X github.com/pillion-browser/pillion/proto.Version=1.2.3".
var Version = "0.1.0"

// CheckVersion compares the version of a ready line with the one that the
// caller wants, exactly: host and sidecar are built and shipped as a pair. An
// empty want accepts every version. Its error is an [*Error] with
// [CodeVersionMismatch].
func CheckVersion(got, want string) error {
	if want == "" || got == want {
		return nil
	}
	return &Error{
		Code:    CodeVersionMismatch,
		Message: fmt.Sprintf("the sidecar is version %q and %q is wanted", got, want),
		Hint:    "Install the sidecar that belongs to this host, or let the host accept any version",
	}
}
