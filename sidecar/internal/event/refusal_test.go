package event

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// A refusal is the same wherever it is told.
func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		r         Refusal
		said, log string
	}{
		{
			Refusal{Kind: RefusedConnection, Target: "10.0.0.1:80", Rule: "private_address", Reason: "is a private address", Setting: "allow_hosts", Unreported: 7},
			"Refused a connection: 10.0.0.1:80 is a private address (rule private_address; the host can allow it with allow_hosts)",
			`level=WARN msg="refused a connection" target=10.0.0.1:80 rule=private_address reason="is a private address" setting=allow_hosts unreported=7 tab=3`,
		},
		{
			Refusal{Kind: RefusedNavigation, Target: "file:", Rule: "off_app", Reason: "is outside the sandbox app"},
			"Refused a navigation: file: is outside the sandbox app (rule off_app)",
			`level=WARN msg="refused a navigation" target=file: rule=off_app reason="is outside the sandbox app" setting="" unreported=0 tab=3`,
		},
		{
			Refusal{Kind: RefusedConnection, Rule: "malformed", Reason: "is not a host and a port"},
			"Refused a connection: the target is not a host and a port (rule malformed)",
			`level=WARN msg="refused a connection" target="" rule=malformed reason="is not a host and a port" setting="" unreported=0 tab=3`,
		},
	} {
		if got := tt.r.String(); got != tt.said {
			t.Errorf("said %q, want %q", got, tt.said)
		}
		e := tt.r.Event(3)
		if e.Kind != Refused || e.Tab != 3 || e.Refusal() != tt.r {
			t.Errorf("%+v came back as %+v", tt.r, e.Refusal())
		}
		var log bytes.Buffer
		tt.r.Log(slog.New(slog.NewTextHandler(&log, nil)), slog.Int("tab", 3))
		if _, got, _ := strings.Cut(strings.TrimSpace(log.String()), " "); got != tt.log {
			t.Errorf("logged %s, want %s", got, tt.log)
		}
	}
	if got := (Event{Kind: Refused}).Refusal(); got != (Refusal{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
