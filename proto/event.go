package proto

import "errors"

// Event is one line of the sidecar's stdout after Ready, under a lifeline.
type Event struct {
	Type string `json:"type"` // an Event… constant
	At   int64  `json:"at"`   // epoch milliseconds, by the sidecar's clock
	// Reason says why, for stopping and stopped: a Reason… constant.
	Reason string `json:"reason,omitempty"`
	// Detail is the type's own payload. Decoded, its numbers are float64.
	Detail map[string]any `json:"detail,omitempty"`
}

// The events and the keys of their Detail. A reader ignores types and keys
// that it does not know: later versions add some.
const (
	// EventStopping: the stop has begun and new calls are refused. Reason is
	// set. Detail: "budget_ms" until the sidecar is gone at the latest.
	EventStopping = "stopping"
	// EventStopped: the last line; nothing of the session is left. Reason is
	// set. Detail: "exit" the exit code, "forced" true where a step ran out of
	// its time, "usage" as in EventUsage unless the stop as a whole did.
	EventStopped = "stopped"
	// EventPage: the tab that is on screen is another or shows another page.
	// Detail: "url" (origin and path alone; null for a page outside of the
	// app), "tab" counted from 1, "tabs" their number.
	EventPage = "page"
	// EventRefused: a wall held. Detail: "kind" ("navigation" or "connection"),
	// "target" (an origin or host:port, never a path; "" where none could be
	// read), "rule" (a stable word), "reason" (reads on after the target),
	// "setting" (the key of the launch config that could allow it, or ""), "code"
	// a [Code].
	EventRefused = "refused"
	// EventCrashed: something of the browser died. Detail: "what" ("renderer"
	// or "browser"), "tab" for a renderer, "code" a [Code].
	EventCrashed = "crashed"
	// EventTakeover: who drives has changed. Detail: "held", "by" and "user"
	// (name and id of the person, or null), "why" ("taken", "moved",
	// "handed_back", "disconnected", "revoked", "max_hold", "idle" or "closed").
	EventTakeover = "takeover"
	// EventWaiting: calls of agents wait for the person who drives, or do no more.
	// Detail: "calls" that wait, "tool" and "since" (epoch milliseconds) of the one
	// that has waited longest, or null.
	EventWaiting = "waiting"
	// EventAsk: an agent asks a person to do something, or that has ended; a host
	// lets people know. Detail: "id" of the request, "instructions" in the agent's
	// words, "until" the epoch milliseconds of its end, "ended" ("" while it is
	// open, then "handed_back", "declined", "timed_out", "nobody_watching" or
	// "withdrawn"), "by" and "user" (name and id of who ended it, or null).
	EventAsk = "ask"
	// EventUsage: what the session has used since its start, told each minute.
	// Detail: "calls" of tools that ran, "bytes_in" and "bytes_out" through the
	// egress proxy, "viewer_ms" with at least one viewer.
	EventUsage = "usage"
	// EventRecording: the last account of the recording, before EventStopped.
	// Detail: "recorded" events, of which the ingest has "sent" and "dropped" are
	// lost, "reasons" of losses with the events lost to each, "invalid" what pages
	// sent that was no event to begin with.
	EventRecording = "recording"
	// EventFilm: a part of a tab's film can be fetched. Detail: "artifact" its name
	// below /artifacts/, "tab", "from" and "to" in epoch milliseconds, "bytes". The
	// last parts come after EventStopping: where there is no other place for films,
	// the stop waits for 3 s at most until each part has been fetched.
	EventFilm = "film"
	// EventWarning: the session goes on with less than was asked for. Detail:
	// "code" a [Code], "message", "hint".
	EventWarning = "warning"

	// EventPong answers CommandPing. Detail: "id".
	EventPong = "pong"
	// EventExtended answers CommandExtend. Detail: "id", "stop_at" the epoch
	// milliseconds that hold now.
	EventExtended = "extended"
	// EventRevoked answers CommandRevoke. Detail: "id", "user", "viewers" that
	// were disconnected.
	EventRevoked = "revoked"
	// EventRejected answers a command that was not carried out. Detail: "id"
	// where one could be read, "code" a [Code], "message", "hint".
	EventRejected = "rejected"
)

// Why a session stops.
const (
	ReasonCommand       = "command"        // CommandStop
	ReasonSignal        = "signal"         // SIGTERM, SIGINT or SIGHUP
	ReasonExpired       = "expired"        // stop_at was reached
	ReasonParentGone    = "parent_gone"    // the lifeline ended
	ReasonBrowserExited = "browser_exited" // Chromium ended by itself
	ReasonFailed        = "failed"         // the start did not come to its end
)

// Encode writes the event line, without its newline. Keys of Detail come in
// alphabetical order.
func (e Event) Encode() ([]byte, error) {
	if e.Type == "" {
		return nil, &Error{Code: CodeInternal, Message: "an event has no type"}
	}
	return encodeJSON(e)
}

// DecodeEvent reads an event line. It insists on a type and a whole at, and
// passes on types that it does not know. Its error is an [*Error] with
// [CodeMessageMalformed].
func DecodeEvent(line []byte) (Event, error) {
	var e Event
	obj, err := decodeObject(line)
	if err == nil {
		if detail, ok := obj["detail"].(map[string]any); ok {
			e.Detail, _ = plain(detail).(map[string]any)
		} else if obj["detail"] != nil {
			err = errors.New("detail is not an object")
		}
	}
	if err == nil {
		delete(obj, "detail")
		err = fill(&e, obj)
	}
	switch {
	case err != nil:
	case e.Type == "":
		err = errors.New("type is empty")
	case obj["at"] == nil:
		err = errors.New("at is missing")
	default:
		return e, nil
	}
	return Event{}, malformed(CodeMessageMalformed, "a line is not an event", err, line)
}
