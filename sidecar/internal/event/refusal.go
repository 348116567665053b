package event

import (
	"context"
	"log/slog"
	"strconv"
)

// What a refusal can be of.
const (
	RefusedNavigation = "navigation"
	RefusedConnection = "connection"
)

// Refusal is what a wall stopped, as it is told everywhere: in the log, in the
// recording, on the host's event lines and in a tool's next result.
type Refusal struct {
	Kind    string // RefusedNavigation or RefusedConnection
	Target  string // an origin, or host:port; "" where none could be read. Never a path
	Rule    string // a stable word, for programs
	Reason  string // reads on after Target: "is a local host name"
	Setting string // the key of the launch config that could allow it; "" for none
	// Unreported counts earlier refusals of the kind that were one too many to be
	// told.
	Unreported int
}

// The keys of a refusal's Detail.
const (
	keyKind       = "kind"
	keyTarget     = "target"
	keyRule       = "rule"
	keyReason     = "reason"
	keySetting    = "setting"
	keyUnreported = "unreported"
)

// Event is the refusal as an event of a tab, 0 for none.
func (r Refusal) Event(tab int) Event {
	return Event{Kind: Refused, Tab: tab, Detail: map[string]string{
		keyKind: r.Kind, keyTarget: r.Target, keyRule: r.Rule, keyReason: r.Reason, keySetting: r.Setting,
		keyUnreported: strconv.Itoa(r.Unreported),
	}}
}

// Refusal is what a Refused event tells of.
func (e Event) Refusal() Refusal {
	d := e.Detail
	n, _ := strconv.Atoi(d[keyUnreported]) // 0 where nobody counted
	return Refusal{
		Kind: d[keyKind], Target: d[keyTarget], Rule: d[keyRule], Reason: d[keyReason], Setting: d[keySetting], Unreported: n,
	}
}

// String is the refusal as a sentence without a full stop.
func (r Refusal) String() string {
	target := r.Target
	if target == "" {
		target = "the target"
	}
	text := "Refused a " + r.Kind + ": " + target + " " + r.Reason + " (rule " + r.Rule
	if r.Setting != "" {
		text += "; the host can allow it with " + r.Setting
	}
	return text + ")"
}

// Log writes the refusal as one line.
func (r Refusal) Log(log *slog.Logger, more ...slog.Attr) {
	attrs := append([]slog.Attr{
		slog.String(keyTarget, r.Target), slog.String(keyRule, r.Rule), slog.String(keyReason, r.Reason),
		slog.String(keySetting, r.Setting), slog.Int(keyUnreported, r.Unreported),
	}, more...)
	log.LogAttrs(context.Background(), slog.LevelWarn, "refused a "+r.Kind, attrs...)
}
