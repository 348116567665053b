package chrome

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/pillion-browser/pillion/proto"
)

// sandboxSigns are what Chromium says when its sandbox can't work.
var sandboxSigns = [...]string{
	"No usable sandbox",
	"Running as root without --no-sandbox",
	"SUID sandbox helper binary was found, but is not configured correctly",
	"Failed to move to new namespace",
	"zygote_host_impl_linux.cc",
	"sandbox/linux/",
	"The setuid sandbox is not running as root",
}

// displaySigns are what a headed Chromium says without a screen.
var displaySigns = [...]string{
	"Missing X server or $DISPLAY",
	"The platform failed to initialize",
	"Unable to open X display",
	"Failed to connect to Wayland display",
}

// processSigns are what Chromium says when it may start no more threads.
var processSigns = [...]string{
	"pthread_create: Resource temporarily unavailable",
	"fork: Resource temporarily unavailable",
}

// filesNeeded is how many descriptors a sidecar with its browser should be allowed:
// twice what one with a few tabs has been seen to use.
const filesNeeded = 500

// FilesHint is the cure for what is out of descriptors.
const FilesHint = "Allow more open files: ulimit -n, LimitNOFILE of the service; a sidecar with its browser needs some 500"

const sandboxHint = "Allow user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 (Debian), " +
	"kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile with userns (Ubuntu), a seccomp profile that allows them and chroot (containers); " +
	"or install the setuid helper (package chromium-sandbox)"

const displayHint = "Set DISPLAY (and XAUTHORITY) or WAYLAND_DISPLAY, start a virtual screen such as Xvfb, or use headless mode"

// exitError explains the end of a browser that nobody asked to end. how is its
// exit status in words, output the end of what it wrote, files the limit on open
// files that it ran with, which is 0 for unknown. A Chromium that is refused a
// descriptor dies in one of many places, in half of them without a word of the
// reason, so a limit that is too low is told whatever it said.
func exitError(how, output string, files uint64) *proto.Error {
	said := lastLines(withoutNoise(output), tailLines)
	tight := files > 0 && files < filesNeeded
	message := "Chromium ended unexpectedly: " + how
	if tight {
		message += fmt.Sprintf("; it may open %d files", files)
	}
	if said != "" {
		message += "; its last output: " + said
	}
	err := &proto.Error{Code: proto.CodeBrowserExited, Message: message}
	switch {
	case tight || strings.Contains(output, "Too many open files"):
		err.Hint = FilesHint
	case saysAny(output, sandboxSigns[:]):
		err.Code, err.Hint = proto.CodeSandboxUnavailable, sandboxHint
		err.Message = "Chromium's sandbox can't work here: " + said
	case saysAny(output, displaySigns[:]):
		err.Hint = displayHint
	case saysAny(output, processSigns[:]):
		err.Hint = "Allow more processes: ulimit -u, --pids-limit of the container, pids.max of the control group; a browser with one page has some 90"
	case strings.Contains(how, "killed"):
		err.Hint = "The system kills processes by force when memory runs out: look at its log"
	case strings.Contains(how, "trap") && said == "":
		err.Hint = "Chromium ends so when it is refused memory: lift limits on the address space (ulimit -v), or give it more"
	}
	return err
}

// withoutNoise drops the lines that every headless Chromium writes: warnings,
// and complaints about the message bus that it is not given.
func withoutNoise(output string) string {
	var kept strings.Builder
	for line := range strings.Lines(output) {
		if !strings.Contains(line, ":WARNING:") && !strings.Contains(line, ":ERROR:dbus/") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func saysAny(output string, signs []string) bool {
	for _, sign := range signs {
		if strings.Contains(output, sign) {
			return true
		}
	}
	return false
}

// startError explains why the executable could not be started as user.
func startError(path string, user *User, err error) *proto.Error {
	who := ""
	if user.Dedicated {
		who = fmt.Sprintf(" as user %d", user.UID)
	}
	out := &proto.Error{Message: fmt.Sprintf("%s can't be started%s: %v", path, who, err)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.Code = proto.CodeBrowserMissing
		out.Hint = "Install Chromium again or correct chromium_path"
	case user.Dedicated && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL)):
		// Permission to change the user, or an id that does not exist here.
		return userUnavailable(err)
	case errors.Is(err, fs.ErrPermission):
		out.Code = proto.CodeBrowserMissing
		out.Hint = "Let that user execute the file and search the directories above it and above the session's directory"
	case errors.Is(err, errors.ErrUnsupported): // Windows: children inherit no pipes by number
		out.Code = proto.CodeBrowserUnsuitable
		out.Hint = "This system gives Chromium no pipe to be driven through: run the sidecar on Linux or macOS, in a container, or in WSL"
	case errors.Is(err, syscall.ENOEXEC):
		out.Code = proto.CodeBrowserUnsuitable
		out.Hint = "The file is no program for this machine"
	default:
		out.Code = proto.CodeBrowserExited
		out.Hint = "The system may be out of processes, files or memory"
	}
	return out
}
