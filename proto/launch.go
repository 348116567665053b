package proto

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
)

// Launch is the sidecar's configuration: the first JSON value on its stdin.
// The zero value of an optional field means "the default", so that a host that
// fills in AppURL and Token alone gets the safe and ordinary session.
//
// A Launch holds secrets. [Launch.Encode] is the one way to write them;
// formatters and loggers show a summary, and json.Marshal fails.
type Launch struct {
	// The original's keys, in the order in which they are checked.
	Mode         Mode         // "headless" (default) or "headed"
	Capabilities []string     // of "testing", "vision", "pdf"
	AllowedHosts []string     // further Host header values, lower-cased, each with its port
	Port         int          // 0 = the system picks one
	Workdir      string       // existing directory; "" = a temporary one of the sidecar's own
	AppURL       string       // kept as its serialised origin
	StorageState StorageState // limited to the app at decoding
	Token        Secret       // bearer token, 32 characters or more
	Host         string       // listen address, default 127.0.0.1
	StopAt       *float64     // epoch milliseconds; nil = none
	Recording    *Recording   // nil = record nothing
	Live         *Live        // nil = no live view

	// DisableChromiumSandbox is "chromium_sandbox": false on the wire. It takes
	// away the wall between a hostile page and everything that Chromium's user
	// may do. It is named for what it does so that the zero value is the wall.
	DisableChromiumSandbox bool

	// Pillion's own keys.
	Lifeline     bool     // stdin stays open for commands; its end means the parent died
	ChromiumPath string   // the browser's executable; "" = found by the sidecar
	Chromium     string   // "auto" (default), "shell" or "full"; see the Chromium… constants
	Viewport     Viewport // CSS pixels, default 1280 x 800

	// What may be reached beside the app. See reach.go.
	Egress            Egress          // an Egress… constant; "" = open
	AllowOrigins      []AllowedOrigin // further origins that count as the app
	AllowHosts        []AllowedHost   // further hosts that pages may connect to
	LoopbackAliases   bool            // localhost, 127.0.0.1 and [::1] of the app's port are the app
	IgnoreHTTPSErrors bool            // take whatever certificate the app's host shows
	AppCA             string          // PEM: certificates to believe the app's host by

	// What tools answer with.
	Snapshot          string // of the page after an action: "full" (default), "changes" or "none"
	SnapshotMaxChars  int    // of a page in an answer, default 100000
	ScreenshotMaxEdge int    // pixels of a picture's longer side, default 8000

	// Metrics serves the sidecar's own at /metrics, in the text format of Prometheus,
	// to whoever has the token.
	Metrics bool
}

// Mode says whether Chromium shows a window.
type Mode string

// The two modes.
const (
	Headless Mode = "headless"
	Headed   Mode = "headed"
)

// The capability groups that add tools.
const (
	CapabilityTesting = "testing"
	CapabilityVision  = "vision"
	CapabilityPDF     = "pdf"
)

// Capabilities lists the groups.
func Capabilities() []string {
	return []string{CapabilityTesting, CapabilityVision, CapabilityPDF}
}

// Which Chromium a session gets.
const (
	ChromiumAuto  = "auto"  // the headless shell where it serves, else full Chromium
	ChromiumShell = "shell" // the headless shell or nothing
	ChromiumFull  = "full"  // full Chromium or nothing
)

// What of the page an answer shows after an action.
const (
	SnapshotFull    = "full"    // all of it
	SnapshotChanges = "changes" // what changed since the agent's last snapshot
	SnapshotNone    = "none"    // nothing; browser_snapshot still answers
)

// Defaults and limits of the config. The numbers up to the live view are the
// original's.
const (
	DefaultHost           = "127.0.0.1"
	DefaultBatchEvents    = 1000
	DefaultBatchBytes     = 1 << 20
	DefaultAgentWaitMS    = 20_000
	MaxAgentWaitMS        = 45_000 // callers give a tool call up after 60 s
	DefaultReleaseGraceMS = 10_000
	DefaultMaxViewers     = 8
	DefaultVideoBytes     = 256 << 20 // some two hours of a busy page
	mostViewers           = 100
	DefaultViewportWidth  = 1280
	DefaultViewportHeight = 800

	DefaultSnapshotMaxChars  = 100_000
	DefaultScreenshotMaxEdge = 8_000 // more is refused by models

	minTokenLength = 32        // UTF-16 units
	maxViewport    = 10_000    // CSS pixels; beyond it Chromium's compositor gives up
	minSnapshot    = 1_000     // characters; less shows no page
	maxSnapshot    = 4_000_000 // characters; more than any model reads
	minEdge        = 64        // pixels; less shows nothing
	maxEdge        = 16_384    // pixels; the longest that Chromium draws at once
	maxCount       = 1<<31 - 1 // counts of the config are cut here: the rule is "above 0"
)

// Viewport is the size of the page area in CSS pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Recording says where recorded events go.
type Recording struct {
	URL         string // http or https, no user info; "" where File is set
	Token       Secret // as the bearer token's rule; none where File is set
	BatchEvents int    // default 1000
	BatchBytes  int    // default 1048576

	// Pillion's own keys. An original ingest takes what is sent without them.

	// Actions adds an event of kind "action" for each tool call: its name, what it
	// was aimed at, how long it took and how it ended. No typed text is in it.
	Actions bool
	// SpoolBytes is how much of the recording may wait in a file of the session's
	// directory while the ingest is down; 0 keeps it in memory alone, which lasts
	// for seconds of a busy page.
	SpoolBytes int
	// File is where the recording is kept without a host, instead of URL and Token:
	// an archive, to be looked at with `sidecar replay`. The sidecar makes it, with
	// its directory, or adds to the one that is there.
	File string
	// Video also films each tab. The films are files of the session, as screenshots
	// are, and can be fetched while it lasts. Nothing is filmed while a person
	// drives, unless VideoTakeovers is set: what is typed is readable in a film.
	Video          bool
	VideoTakeovers bool // also film while a person drives
	// VideoBytes is how much film a session may have; default 268435456. Filming ends
	// there, which an event and a marker say, and the rest of the recording goes on.
	VideoBytes int
}

// NoAgentWait as Live.AgentWaitMS answers an agent's call at once while a
// person drives. On the wire it is 0, which here means the default.
const NoAgentWait = -1

// Live switches the live view on.
type Live struct {
	SessionID      string   // what tickets must name
	Origins        []string // serialised origins
	AgentWaitMS    int      // 0 = 20000; NoAgentWait or 1 to 45000
	ReleaseGraceMS int      // default 10000
	MaxHoldMS      int      // a person's control ends after so long; 0 = never
	IdleReleaseMS  int      // a person's control ends after so long without input; 0 = never
	MaxViewers     int      // how many may watch at once, up to 100; default 8
	Viewer         bool     // the sidecar serves a page to watch by, for debugging
	AskPerson      bool     // agents get the tool browser_ask_person
}

// AgentWait is how long a call waits for a person to hand the browser back.
func (l Live) AgentWait() time.Duration {
	switch {
	case l.AgentWaitMS < 0:
		return 0
	case l.AgentWaitMS == 0:
		return DefaultAgentWaitMS * time.Millisecond
	}
	return time.Duration(l.AgentWaitMS) * time.Millisecond
}

// ReleaseGrace is how long control outlives its holder's connection.
func (l Live) ReleaseGrace() time.Duration {
	if l.ReleaseGraceMS <= 0 {
		return DefaultReleaseGraceMS * time.Millisecond
	}
	return time.Duration(l.ReleaseGraceMS) * time.Millisecond
}

// WithDefaults fills in every default, as decoding does. It shares no memory
// that it changes with l.
func (l Launch) WithDefaults() Launch {
	l.Mode = or(l.Mode, Headless)
	l.Host = or(l.Host, DefaultHost)
	l.Chromium = or(l.Chromium, ChromiumAuto)
	l.Egress = or(l.Egress, EgressOpen)
	l.Viewport.Width = or(l.Viewport.Width, DefaultViewportWidth)
	l.Viewport.Height = or(l.Viewport.Height, DefaultViewportHeight)
	l.Snapshot = or(l.Snapshot, SnapshotFull)
	l.SnapshotMaxChars = or(l.SnapshotMaxChars, DefaultSnapshotMaxChars)
	l.ScreenshotMaxEdge = or(l.ScreenshotMaxEdge, DefaultScreenshotMaxEdge)
	if l.Recording != nil {
		r := *l.Recording
		r.BatchEvents = or(r.BatchEvents, DefaultBatchEvents)
		r.BatchBytes = or(r.BatchBytes, DefaultBatchBytes)
		l.Recording = &r
	}
	if l.Live != nil {
		v := *l.Live
		v.AgentWaitMS = max(or(v.AgentWaitMS, DefaultAgentWaitMS), NoAgentWait)
		v.ReleaseGraceMS = or(v.ReleaseGraceMS, DefaultReleaseGraceMS)
		v.MaxViewers = or(v.MaxViewers, DefaultMaxViewers)
		l.Live = &v
	}
	return l
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

var errLaunchEncoded = errors.New("a launch config holds secrets: call Encode where it must be sent")

// MarshalJSON always fails; see [Launch.Encode].
func (l Launch) MarshalJSON() ([]byte, error) { return nil, errLaunchEncoded }

// String says what kind of session this is, without secrets and cookies.
func (l Launch) String() string {
	d := l.WithDefaults()
	parts := []string{string(d.Mode), "app " + d.AppURL}
	if len(d.Capabilities) > 0 {
		parts = append(parts, "capabilities "+strings.Join(d.Capabilities, ","))
	}
	if !d.StorageState.IsZero() {
		parts = append(parts, d.StorageState.String())
	}
	if d.Recording != nil {
		parts = append(parts, "recorded")
	}
	if d.Live != nil {
		parts = append(parts, "live view")
	}
	if d.Egress != EgressOpen {
		parts = append(parts, "egress "+string(d.Egress))
	}
	if d.DisableChromiumSandbox {
		parts = append(parts, "chromium sandbox off")
	}
	return "launch(" + strings.Join(parts, "; ") + ")"
}

// Format prints [Launch.String] for every verb and flag.
func (l Launch) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, l.String()) }

// LogValue gives slog [Launch.String].
func (l Launch) LogValue() slog.Value { return slog.StringValue(l.String()) }
