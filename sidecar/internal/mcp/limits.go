package mcp

import "time"

// Limits bound a [Gateway]. A zero field means its default.
type Limits struct {
	// Body is the size of a POST's body in bytes.
	Body int64

	// Sessions is how many sessions may be busy (answering a request) while
	// another one opens, and from how many on an opening one closes those that
	// are idle for longer than Idle.
	Sessions int
	// Kept is how many sessions there may be at all. Where one more opens, the
	// least recently used idle one is closed. It is never less than Sessions.
	Kept int
	// Idle is the age of last use from which a session is closed to make room.
	Idle time.Duration

	// Call is the time that a tool call has from its arrival, waiting at the
	// gate included. The tool's context ends with it.
	Call time.Duration
	// CallGrace is how long after Call the tool's own words are waited for;
	// negative: not at all.
	CallGrace time.Duration
	// Request is when a request is given up in any case.
	Request time.Duration
	// Progress is how often a client that asked for it is told that its call
	// goes on, from the first time on.
	Progress time.Duration
	// StopGrace is what a stop gives running calls to finish by themselves.
	StopGrace time.Duration
}

// The defaults of [Limits].
const (
	// The size that clients of this dialect know.
	defaultBody = 4 << 20

	// As many agents as have ever worked on one browser at a time.
	defaultSessions = 8
	// A session is a few hundred bytes and its toolset; eight times the busy
	// ones outlast every client that forgets to close its own.
	defaultKept = 64
	// A run that did nothing for half an hour is over more often than not.
	defaultIdle = 30 * time.Minute

	// Known clients give a call up after 60 s and then try again, so the
	// answer has to be there before: 55 s for the tool and 2 s for its words.
	defaultCall      = 55 * time.Second
	defaultCallGrace = 2 * time.Second
	// The dialect's own limit, for whatever is bounded by nothing else.
	defaultRequest = 120 * time.Second
	// Long enough for nearly all calls to be answered before, so in plain JSON,
	// and well under the shortest patience of clients, which is ten seconds.
	defaultProgress = 2 * time.Second
	// Most calls take less than a second; a stop as a whole has eight.
	defaultStopGrace = time.Second
)

func (l Limits) withDefaults() Limits {
	setDefault(&l.Body, defaultBody)
	setDefault(&l.Sessions, defaultSessions)
	setDefault(&l.Kept, defaultKept)
	setDefault(&l.Idle, defaultIdle)
	setDefault(&l.Call, defaultCall)
	setDefault(&l.CallGrace, defaultCallGrace)
	setDefault(&l.Request, defaultRequest)
	setDefault(&l.Progress, defaultProgress)
	setDefault(&l.StopGrace, defaultStopGrace)
	l.Kept = max(l.Kept, l.Sessions)
	return l
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
