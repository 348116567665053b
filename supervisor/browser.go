package supervisor

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// eventBacklog is how many events wait for a host that doesn't read them.
const eventBacklog = 256

// Browser is one running browser: a sidecar and its Chromium. All methods may
// be called at any time, from any goroutine, also after the end.
type Browser struct {
	log     *slog.Logger
	launch  proto.Launch
	process Process
	expect  string
	grace   time.Duration

	ready           proto.Ready
	mcpURL, liveURL string
	appURL          string // the launch's, as the child dials it

	handshake chan handshake   // one value: Ready, or why there is none
	events    chan proto.Event // closed at the end
	commands  *commands
	tail      *tail
	filming   *filmFetcher // nil where films stay where they are

	stopAsked chan stopPlan // takes one plan; the first wins
	killNow   chan struct{} // closed when politeness is over
	killOnce  sync.Once
	stopping  chan struct{} // closed when the sidecar says that it stops
	ended     chan struct{} // closed when nothing of it is left, and usage and err are final

	mu    sync.Mutex
	port  int // of the ready line
	films []Film
	usage Usage
	err   error
}

type handshake struct {
	ready proto.Ready
	err   error
}

func newBrowser(s *Supervisor, launch proto.Launch, process Process) *Browser {
	b := &Browser{
		log:       s.logger().With("sidecar", process.ID()),
		launch:    launch,
		process:   process,
		expect:    s.expectVersion(),
		grace:     or(s.StopGrace, DefaultStopGrace),
		handshake: make(chan handshake, 1),
		events:    make(chan proto.Event, eventBacklog),
		commands:  newCommands(process),
		stopAsked: make(chan stopPlan, 1),
		killNow:   make(chan struct{}),
		stopping:  make(chan struct{}),
		ended:     make(chan struct{}),
	}
	b.tail = &tail{mask: newMasker(launch), line: func(line string) { b.log.Debug(line) }}
	b.filming = newFilmFetcher(s.Films, launch.Token, b.log)
	b.launch.StorageState = proto.StorageState{} // sent, and of no more use here
	b.usage.Started = time.Now()
	return b
}

// MCPURL is where agents drive the browser: MCP over HTTP, with MCPToken as
// the bearer token of each request.
func (b *Browser) MCPURL() string { return b.mcpURL }

// MCPToken opens everything about this browser. It belongs to the host and to
// the agents that it trusts with this browser; a viewer gets a [Browser.Ticket].
func (b *Browser) MCPToken() proto.Secret { return b.launch.Token }

// LiveURL is the WebSocket of the live view, "" when the launch had no Live.
func (b *Browser) LiveURL() string { return b.liveURL }

// AppURL is the launch's app as the browser sees it: by another name than the
// host's where its Runner translates addresses. Its cookies and storage are
// those of this address.
func (b *Browser) AppURL() string { return b.appURL }

// Ready is what the sidecar said about itself and its Chromium at the start.
func (b *Browser) Ready() proto.Ready { return b.ready }

// Events returns what the sidecar reports while it runs, oldest first; it is
// closed when the browser has ended. Types that you don't know are to be
// ignored: newer sidecars send more of them, and some are sent to make sure
// that they are ignored.
//
// Reading is optional. 256 events wait for a reader, after that the oldest is
// dropped for each new one and counted in Usage: neither the sidecar nor the
// end of the browser ever waits for the host. All calls return the same
// channel.
func (b *Browser) Events() <-chan proto.Event { return b.events }

// Usage tells how long the browser has run, for metering.
func (b *Browser) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usage
}

// Usage is how long a browser ran and why it ended.
type Usage struct {
	// Started is when it was ready; Stopped is when it stopped being a browser,
	// by its own report or by its death, whichever came first, however late
	// anyone asked. Stopped is zero while it runs.
	Started, Stopped time.Time

	// Reason is the sidecar's own word for why it stopped, or else how the
	// process ended; empty while it runs.
	Reason string

	// EventsLost counts the events that were dropped because nobody read them.
	EventsLost int

	// FilmsLost counts the films that could not be fetched to Supervisor.Films.
	FilmsLost int
}

// Duration is the time from Started to Stopped, or until now while it runs.
func (u Usage) Duration() time.Duration {
	if u.Stopped.IsZero() {
		return time.Since(u.Started)
	}
	return max(0, u.Stopped.Sub(u.Started))
}

// Minutes is the duration in minutes, rounded up.
func (u Usage) Minutes() int {
	return int((u.Duration() + time.Minute - 1) / time.Minute)
}

// Extend moves the moment at which the browser stops by itself, to later or
// earlier. It returns once the sidecar has taken it over. Where its backend is
// [Mute], that can't be: the error is [proto.CodeUnsupported].
func (b *Browser) Extend(ctx context.Context, stopAt time.Time) error {
	ms := float64(stopAt.UnixMilli())
	_, err := b.commands.call(ctx, proto.Command{Type: proto.CommandExtend, StopAt: &ms}, b.ended)
	return err
}

// Revoke takes the live view away from a user: control that they hold is
// released and their connections are closed. It returns once that is done. The
// host must stop giving them tickets itself.
func (b *Browser) Revoke(ctx context.Context, userID string) error {
	_, err := b.commands.call(ctx, proto.Command{Type: proto.CommandRevoke, User: userID}, b.ended)
	return err
}
