package proto

import (
	"strings"
	"time"
)

// Instant reads a point in time of decoded JSON, as epoch milliseconds: a finite number of epoch milliseconds
// (fractions, negative ones and the past are fine), or a string in one of the
// forms of ISO 8601 that JavaScript specifies:
//
//	2026-11-30T17:30:00Z         RFC 3339, with or without a fraction
//	2026-11-30T17:30+01:00       without seconds
//	2026-11-30T17:30:00          without a zone: this machine's zone
//	2026-11-30                   a date alone: midnight UTC
//
// A fraction counts to the millisecond. Everything else that some JavaScript
// engine makes a date of is refused, and so is a day that its month does not
// have: a session that never stops because of a guessed date is worse than one
// that does not start.
func Instant(v any) (ms float64, ok bool) {
	if f, ok := finite(v); ok {
		return f, true
	}
	s, ok := v.(string)
	if !ok || strings.Contains(s, ",") { // time.Parse takes 17:30:00,5
		return 0, false
	}
	s = strings.ToUpper(s) // RFC 3339 allows t and z
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return float64(t.UnixMilli()), true
	}
	for _, layout := range []string{
		"2006-01-02T15:04:05Z07:00",
		"2006-01-02T15:04Z07:00",
		"2006-01-02T15:04:05",
		"2006-01-02T15:04",
	} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return float64(t.UnixMilli()), true
		}
	}
	return 0, false
}
