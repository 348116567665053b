package action

import (
	"fmt"
	"strings"
	"time"
)

// TimeoutError says that an element never came to where it could be acted on.
type TimeoutError struct {
	Action  string
	Target  string // as the caller gave it
	Element string // a preview of what it named
	Waited  time.Duration
	Waiting string   // what was waited for
	Log     []string // what stood in the way, in order
}

func (e *TimeoutError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "TimeoutError: %s: Timeout %dms exceeded.", e.Action, e.Waited.Milliseconds())
	if n := len(e.Log); n > 0 {
		fmt.Fprintf(&b, " Last: %s.", e.Log[n-1])
	}
	b.WriteString("\nCall log:")
	fmt.Fprintf(&b, "\n  - waiting for %s", e.Target)
	if e.Element != "" {
		fmt.Fprintf(&b, "\n  - it is %s", e.Element)
	}
	fmt.Fprintf(&b, "\n  - waiting for element to be %s", e.Waiting)
	for _, line := range e.Log {
		b.WriteString("\n  - " + line)
	}
	if hint := e.hint(); hint != "" {
		b.WriteString("\n" + hint)
	}
	return b.String()
}

func (e *TimeoutError) hint() string {
	for _, line := range e.Log {
		switch {
		case strings.Contains(line, "intercepts pointer events"):
			return "Close or click what is in the way first, or reach the element by keyboard (browser_press_key)."
		case strings.Contains(line, "not enabled"):
			return "Something on the page must probably be filled in or chosen before."
		case strings.Contains(line, "outside of the viewport"):
			return "It can't be scrolled into view; browser_resize can make room."
		case strings.Contains(line, "not visible"):
			return "Something on the page must probably be opened before it shows."
		}
	}
	return ""
}

// HangError says that a page does not answer: its main thread is busy or stuck.
type HangError struct{ Action string }

func (e *HangError) Error() string {
	return fmt.Sprintf("TimeoutError: %s: the page does not respond: a script on it has kept it busy all the time", e.Action)
}

// RefusedError says that an element is not of a kind that an action works on.
type RefusedError struct{ Reason, Element string }

func (e *RefusedError) Error() string {
	if e.Element == "" {
		return e.Reason
	}
	return e.Reason + ": " + e.Element
}
