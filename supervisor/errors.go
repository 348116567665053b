package supervisor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// errStartTimeout tells the end of a start's time from the caller's own.
var errStartTimeout = errors.New("the start took too long")

// invalidLaunch is for what the sidecar would refuse before it does anything.
func invalidLaunch(err error) error {
	return &proto.Error{
		Code:    proto.CodeConfigInvalid,
		Message: fmt.Sprintf("the launch is not valid: %v", err),
		Err:     err,
	}
}

// spawnFailed gives a Runner's error its code.
func (s *Supervisor) spawnFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return s.interrupted(ctx, "")
	}
	if proto.CodeOf(err) != "" {
		return err
	}
	return &proto.Error{
		Code:    proto.CodeSpawnFailed,
		Message: fmt.Sprintf("the sidecar could not be started: %v", err),
		Hint:    "Check the limits on processes and open files, and what the runner needs",
		Err:     err,
	}
}

// interrupted is for a start that ran out of time, or that its caller gave up.
func (s *Supervisor) interrupted(ctx context.Context, last string) error {
	if errors.Is(context.Cause(ctx), errStartTimeout) {
		return &proto.Error{
			Code:    proto.CodeReadyTimeout,
			Message: fmt.Sprintf("the sidecar was not ready within %v and was ended", or(s.StartTimeout, DefaultStartTimeout)),
			Hint: "The machine may be very busy or out of memory: `sidecar doctor` shows what is missing, " +
				"StartTimeout gives it longer. " + lastLines(last),
			Err: context.DeadlineExceeded,
		}
	}
	return &proto.Error{
		Code:    proto.CodeCancelled,
		Message: fmt.Sprintf("the start was given up by its caller: %v", context.Cause(ctx)),
		Err:     context.Cause(ctx),
	}
}

// exitedEarly is for a sidecar that ended before it was ready. A sidecar that
// knows what went wrong says so in its error line, which then is the answer.
func exitedEarly(how string, t *tail, notes string) error {
	if e := t.reported(); e != nil {
		return &proto.Error{
			Code:    e.Code,
			Message: "the sidecar could not start: " + e.Message,
			Hint:    orText(e.Hint, cure(e.Code)),
		}
	}
	hint := "Run `sidecar doctor` to see what it lacks. " + lastLines(t.last())
	if notes != "" {
		hint += "\nIt was started like this:\n  " + strings.ReplaceAll(notes, "\n", "\n  ")
	}
	return &proto.Error{
		Code:    proto.CodeExitedBeforeReady,
		Message: fmt.Sprintf("the sidecar ended before it was ready (%s)", how),
		Hint:    hint,
	}
}

// cure helps where a sidecar named a code and nothing to do about it.
func cure(code proto.Code) string {
	switch code {
	case proto.CodeBrowserMissing:
		return "Install Chromium (on Debian: apt-get install chromium chromium-headless-shell), or give its file in ChromiumPath"
	case proto.CodeSandboxUnavailable:
		return "Chromium's sandbox needs unprivileged user namespaces or its setuid helper (on Debian: apt-get install chromium-sandbox), " +
			"and a user other than root; `sidecar doctor` says which is missing"
	default:
		return ""
	}
}

// gone is for a browser that ended although nobody asked it to.
func gone(how, reason string, t *tail) error {
	if e := t.reported(); e != nil {
		return &proto.Error{
			Code:    e.Code,
			Message: "the browser ended: " + e.Message,
			Hint:    orText(e.Hint, cure(e.Code)),
		}
	}
	if reason != "" {
		how = reason + ", " + how
	}
	return &proto.Error{
		Code:    proto.CodeSidecarExited,
		Message: fmt.Sprintf("the browser ended by itself (%s)", how),
		Hint:    "Start another one. " + lastLines(t.last()),
	}
}

// forced is for a sidecar that had to be killed.
func forced(after time.Duration, t *tail) error {
	return &proto.Error{
		Code:    proto.CodeStopForced,
		Message: fmt.Sprintf("the sidecar did not end within %v of being asked to, and was killed", after.Round(time.Millisecond)),
		Hint:    "The end of the recording may be missing. " + lastLines(t.last()),
	}
}

// errStopped is for what is asked of a browser that has ended.
func errStopped() error {
	return &proto.Error{
		Code:    proto.CodeSidecarExited,
		Message: "the browser has ended",
		Hint:    "Start another one",
	}
}

// lastLines words the end of a sidecar's log for the end of a hint.
func lastLines(last string) string {
	if last == "" {
		return "It logged nothing"
	}
	return "Its last lines:\n" + last
}

func orText(text, def string) string {
	if text != "" {
		return text
	}
	return def
}
