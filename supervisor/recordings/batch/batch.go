package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive/lines"
)

// The bounds of a batch.
const (
	maxNesting = 512
	oldest     = 24 * time.Hour // before sent_at
	newest     = time.Minute    // after it
)

// lastInstant is the end of 9999-12-31, the latest sent_at, in epoch milliseconds.
const lastInstant = 253402300799999

// Batch is what a body holds, in this machine's time.
type Batch struct {
	Events []lines.Event
	Offset int64 // milliseconds that every time was moved by
}

// Parse holds a body that was received at a time against every rule; one event that
// breaks one refuses all of them, with proto.CodeRecordingInvalid. actions takes
// events of that kind too.
func Parse(body []byte, received time.Time, actions bool) (Batch, error) {
	if tooDeep(body) {
		return Batch{}, unfit("it is nested deeper than %d levels", maxNesting)
	}
	// Maps, because structs take keys in any case.
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return Batch{}, unfit("it is not a JSON object")
	}
	sent, err := sentAt(fields["sent_at"])
	if err != nil {
		return Batch{}, err
	}
	var list []json.RawMessage
	if json.Unmarshal(fields["recording_events"], &list) != nil || len(list) == 0 {
		return Batch{}, unfit("recording_events must be a list with at least one event")
	}
	b := Batch{Offset: int64(math.Round(float64(received.UnixMilli()) - sent))}
	for i, raw := range list {
		e, err := parseEvent(raw, sent, actions)
		if err != nil {
			return Batch{}, unfit("event %d: %v", i, err)
		}
		e.Time += float64(b.Offset)
		b.Events = append(b.Events, e)
	}
	return b, nil
}

func sentAt(raw json.RawMessage) (float64, error) {
	if at, ok := proto.Instant(value(raw)); ok && at >= 0 && at <= lastInstant {
		return at, nil
	}
	return 0, unfit("sent_at must be epoch milliseconds or an ISO 8601 date, from 1970 to 9999")
}

// value decodes what proto reads numbers from; nil for what is no JSON.
func value(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// parseEvent reads one event. One without a time is of the time of sending.
func parseEvent(raw json.RawMessage, sent float64, actions bool) (e lines.Event, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return e, fmt.Errorf("it is not an object")
	}
	var kind string
	if json.Unmarshal(fields["kind"], &kind) != nil || !taken(kind, actions) {
		return e, fmt.Errorf("its kind is not taken")
	}
	e = lines.Event{Kind: kind, Time: sent, Data: fields["data"]}
	if at := value(fields["timestamp"]); at != nil {
		number, isNumber := at.(json.Number)
		if !isNumber {
			return e, fmt.Errorf("its timestamp is no number")
		}
		ms, err := number.Float64()
		if err != nil || ms < sent-float64(oldest.Milliseconds()) || ms > sent+float64(newest.Milliseconds()) {
			return e, fmt.Errorf("its timestamp is not of the day before sent_at or the minute after")
		}
		e.Time = ms
	}
	if e.Data == nil {
		e.Data = json.RawMessage("null")
	}
	return e, nil
}

func taken(kind string, actions bool) bool {
	switch kind {
	case "rrweb", "console", "marker":
		return true
	case "action":
		return actions
	}
	return false
}

// tooDeep counts the brackets outside of strings.
func tooDeep(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

func unfit(format string, args ...any) error {
	return &proto.Error{Code: proto.CodeRecordingInvalid, Message: fmt.Sprintf(format, args...)}
}
