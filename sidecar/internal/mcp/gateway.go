package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
)

// ClientInfo is what a client said about itself in initialize. Both fields may
// be empty, and both are the client's own claim.
type ClientInfo struct {
	Name    string
	Version string
}

// Toolset is one session's tools. It is made when the session opens, so it may
// keep what belongs to one agent: its current tab, what it has been shown.
type Toolset interface {
	// Tools lists the tools in the order in which they are offered. The slice
	// and the tools are only read.
	Tools() []*sdk.Tool

	// Call runs one of the listed tools and never returns nil. args is a JSON
	// object; its keys are case-sensitive, so a decoder that matches them
	// loosely would read what nobody checked. Calls of a session run side by
	// side. When ctx ends, Call stops as soon as it can do so safely; if it is
	// ctx's deadline that passed, its result says what it was waiting for and
	// is still delivered, else it is not. A panic becomes a tool error.
	Call(ctx context.Context, name string, args json.RawMessage) *sdk.CallToolResult

	// Close lets go of the session's state. It is called once, when no Call
	// runs any more.
	Close()
}

// Gate decides whether a tool may run while people can take the browser over;
// [takeover.Lease] is one.
type Gate interface {
	// Admit returns as soon as the tool may run, waiting for it as long as it
	// sees fit, and returns when ctx ends. The tool runs with the context that
	// is returned. leave is called once when it has returned: held, where it is
	// not nil, is why the tool could not finish, and again says that it did
	// nothing and is to be admitted once more. Admit's refusals: a [*HeldError]
	// when a person kept the browser, an error with [proto.CodeStopping] when
	// it closed, anything else as a plain reason.
	Admit(ctx context.Context, tool string, args json.RawMessage) (run context.Context, leave func() (again bool, held error), err error)
}

// Options configure a [Gateway]. Version and NewToolset are needed, the rest
// has defaults.
type Options struct {
	// Version is told to clients.
	Version string

	// NewToolset makes the tools of a session that has just opened.
	NewToolset func(client ClientInfo) Toolset

	// Resolve turns what an agent wants to open into the absolute URL to open,
	// or refuses. It is asked for browser_navigate's url, and for browser_tabs'
	// url when a new tab is wanted. Nil: urls are passed on as they are.
	Resolve func(raw string) (href string, refusal *proto.Error)

	// Gate is asked before each tool. Nil: nobody ever drives by hand.
	Gate Gate

	// Ended says why the browser behind the tools is gone, for agents to read;
	// nil while it lives. What calls then fail with is how that looked from
	// inside, and they are answered with this in its place. Nil: not known.
	Ended func() error

	// BeforeCall is told of each tool that is about to run, as OnCall is after it:
	// what is typed must be known as a secret before the page shows it. Nil: nobody
	// is told.
	BeforeCall func(tool string, args json.RawMessage)

	// OnCall is told about each tool that ran, on the call's own goroutine
	// before the answer leaves, so it must be quick. Nil: nobody is told.
	OnCall func(CallRecord)

	// Now is the clock of session ages and call records; nil: [time.Now].
	Now func() time.Time

	// Limits are the bounds; zero fields have their defaults.
	Limits Limits

	// Log takes what an operator should see; nil: nothing is logged.
	Log *slog.Logger
}

// Gateway serves all revisions of the protocol on one route. Make it with [New],
// end it with [Gateway.Stop].
type Gateway struct {
	opts   Options
	limits Limits
	log    *slog.Logger
	server *sdk.Server
	table  *table

	// tasks are the goroutines that outlive an answer: exchanges of the SDK
	// that wind down and toolsets that wait for their last call.
	tasks    sync.WaitGroup
	stopOnce sync.Once
	stopErr  error
}

// New makes a gateway. It starts nothing.
func New(o Options) *Gateway {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	g := &Gateway{opts: o, limits: o.Limits.withDefaults(), log: o.Log}
	g.table = newTable(g.limits, o.Now)
	g.server = sdk.NewServer(
		&sdk.Implementation{Name: serverName, Version: o.Version},
		&sdk.ServerOptions{
			// Naming the capabilities drops the SDK's historical default of
			// offering logging. Clients of this dialect have always been told
			// listChanged, although the list never changes.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
		},
	)
	g.server.AddReceivingMiddleware(g.receive)
	return g
}

// serverName is what clients are told that they talk to.
const serverName = "pillion"

// ServeHTTP answers one request of the route. The caller has checked who asks.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		g.servePost(w, r)
	case http.MethodDelete:
		g.serveDelete(w, r)
	default:
		w.Header().Set("Allow", "POST, DELETE")
		writeError(w, http.StatusMethodNotAllowed, "POST JSON-RPC here")
	}
}

func (g *Gateway) servePost(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r, g.limits.Body)
	if !ok {
		writeError(w, http.StatusRequestEntityTooLarge, "The body is too large")
		return
	}
	out := newStream(w, r)
	out.end(g.answer(r.Context(), r.Header, body, out))
}

func (g *Gateway) serveDelete(w http.ResponseWriter, r *http.Request) {
	if !g.CloseSession(r.Header.Get(sessionHeader)) {
		writeError(w, http.StatusNotFound, "Session not found")
		return
	}
	reply{status: http.StatusOK, body: []byte(`{"closed":true}`)}.write(w)
}

// CloseSession ends a session: its running calls are answered that it closed,
// and its toolset is closed after them. False if there is no such session.
func (g *Gateway) CloseSession(id string) bool {
	if !g.table.enter() {
		return false
	}
	defer g.table.leave()
	s := g.table.remove(id, errSessionClosed)
	if s == nil {
		return false
	}
	g.retire(s)
	return true
}

// retire closes the toolset of a session that the table has closed, when the
// last of its calls has returned.
func (g *Gateway) retire(s *session) {
	g.tasks.Go(func() {
		defer g.logPanic("close toolset")
		s.work.Wait()
		s.tools.Close()
	})
}

// Stop answers every waiting call that the browser is stopping, lets running
// ones finish for a moment, interrupts the rest, closes all sessions and waits
// for their tools until ctx ends. Requests that come in from now on are told
// the same. It returns ctx's error if a tool was still running at the end.
func (g *Gateway) Stop(ctx context.Context) error {
	g.stopOnce.Do(func() { g.stopErr = g.stop(ctx) })
	return g.stopErr
}

func (g *Gateway) stop(ctx context.Context) error {
	quiet := g.table.stop()
	grace := time.NewTimer(g.limits.StopGrace)
	defer grace.Stop()
	select {
	case <-quiet:
	case <-grace.C:
	case <-ctx.Done():
	}
	for _, s := range g.table.removeAll(errInterrupted) {
		g.retire(s)
	}
	done := make(chan struct{})
	go func() {
		<-quiet
		g.tasks.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
