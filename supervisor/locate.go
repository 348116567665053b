package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// sidecarName is what `go install` calls the program.
const sidecarName = "sidecar"

// installHint is the cure for a sidecar that isn't there.
const installHint = "Install it with `go install github.com/pillion-browser/pillion/sidecar@latest` " +
	"and put the result next to this program or on PATH, or give its path in Command"

// locate returns the path of the sidecar's file. A command with a path is
// taken as it is, a bare name is looked up on PATH; without a command it is the
// sidecar next to this program, which was then installed together with it, else
// the one on PATH. No environment variable names it: whoever can set one for
// the host could make the host run anything.
func locate(command string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		self = "" // then there is no place next to it
	}
	return locateNear(self, command)
}

func locateNear(self, command string) (string, error) {
	if command != "" {
		return locateOne(command)
	}
	var tried []string
	if self != "" {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		beside := filepath.Join(filepath.Dir(self), sidecarName)
		if runtime.GOOS == "windows" {
			beside += ".exe"
		}
		path, err := locateOne(beside)
		if err == nil || !errors.Is(err, proto.CodeBinaryMissing) {
			return path, err
		}
		tried = append(tried, beside)
	}
	path, err := exec.LookPath(sidecarName)
	if err == nil {
		return path, nil
	}
	tried = append(tried, fmt.Sprintf("%q on PATH (%s)", sidecarName, os.Getenv("PATH")))
	return "", &proto.Error{
		Code:    proto.CodeBinaryMissing,
		Message: "no sidecar program was found; tried " + strings.Join(tried, ", then "),
		Hint:    installHint,
	}
}

func locateOne(command string) (string, error) {
	path, err := exec.LookPath(command)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrDot):
		return "", &proto.Error{
			Code:    proto.CodeBinaryMissing,
			Message: fmt.Sprintf("the sidecar %q is on PATH only by way of the current directory", command),
			Hint:    "Give its path in Command, such as ./" + filepath.Base(command),
		}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "", &proto.Error{
			Code:    proto.CodeBinaryMissing,
			Message: fmt.Sprintf("the sidecar program %q does not exist", command),
			Hint:    installHint,
		}
	default:
		return "", notExecutable(command, err)
	}
}

// notExecutable explains a file that is there and can't be run.
func notExecutable(path string, err error) error {
	var pathErr *fs.PathError
	var execErr *exec.Error
	switch { // the reason alone; the path is in the message already
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &execErr):
		err = execErr.Err
	}
	return &proto.Error{
		Code:    proto.CodeBinaryUnusable,
		Message: fmt.Sprintf("the sidecar program %q can't be executed: %v", path, err),
		Hint: fmt.Sprintf("Check that it is a file built for %s/%s and that this user may execute it (chmod +x)",
			runtime.GOOS, runtime.GOARCH),
	}
}
