package takeover

import (
	"fmt"
	"math"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// HeldError tells a call that a person drives.
type HeldError struct {
	By     *string       // who; nil if the person has no name
	Since  time.Time     // since when
	Waited time.Duration // how long the call waited for control to come back
	Tool   string        // what was interrupted; "" for a call that never began
}

// Error says who, how long, and what came of the call.
func (e *HeldError) Error() string {
	who := Person{Name: e.By}.Called("A person")
	if e.Tool != "" {
		return fmt.Sprintf("%s is driving this browser by hand and took it over while %s was at work. "+
			"It was interrupted and may have done a part of its work: look at the page before you try again.", who, e.Tool)
	}
	seconds := math.Floor(e.Waited.Seconds() + 0.5)
	return fmt.Sprintf("%s is driving this browser by hand and did not hand it back within %.0f seconds. Nothing was done.", who, seconds)
}

// Is makes the error match its code.
func (e *HeldError) Is(target error) bool { return target == error(proto.CodeHeld) }

// preempted ends a call that had sent nothing yet: it begins again when control
// is back.
type preempted struct{}

func (preempted) Error() string { return "a person took the browser over before anything was done" }

// errStopping answers a call that waited when the browser began to stop.
func errStopping() error {
	return &proto.Error{Code: proto.CodeStopping, Message: "The browser is stopping", Hint: "Nothing was done."}
}
