package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/testdata/app"
)

const (
	// stopTimeout bounds the whole stop: a little more than the supervisor
	// gives a sidecar before it kills it.
	stopTimeout = 20 * time.Second

	// agentTimeout is for the whole script, which takes seconds.
	agentTimeout = 3 * time.Minute

	// headerTimeout keeps a client that never finishes its request from
	// holding a connection of the page's server.
	headerTimeout = 10 * time.Second
)

// serve runs the app, the page and the browser until ctx ends, or with -once
// until the agent is done. Everything that it starts has ended when it returns.
func serve(ctx context.Context, o options, stdout, stderr io.Writer) error {
	site := app.New()
	defer site.Close()
	appURL, stopApp, err := listen("127.0.0.1:0", site)
	if err != nil {
		return fmt.Errorf("serve the sample app: %w", err)
	}
	defer stopApp()

	tape, err := newTape(ctx, o.out, appURL, stderr)
	if err != nil {
		return fmt.Errorf("record the browser: %w", err)
	}
	defer tape.end(stderr)

	status := newStatus(appURL)
	live := &liveView{}
	pageURL, stopPage, err := listen(o.addr, newPage(status, live, tape))
	if err != nil {
		return fmt.Errorf("serve the page: %w", err)
	}
	defer stopPage()
	fmt.Fprintf(stdout, "app:     %s\nhost:    %s\n", appURL, pageURL)

	browser, err := start(ctx, o, proto.Launch{
		AppURL: appURL, Chromium: o.chromium(), Recording: tape.launch(pageURL),
		Live: &proto.Live{SessionID: rand.Text(), Origins: liveOrigins(strings.TrimPrefix(pageURL, "http://")), AskPerson: true},
	}, status, stderr)
	if err != nil {
		status.failed(err)
		return err
	}
	live.show(browser)
	fmt.Fprintln(stdout, "browser:", describe(browser))
	fmt.Fprintln(stdout, "watch:  ", pageURL+livePath)
	if tape != nil {
		status.recorded(tape.path())
		fmt.Fprintln(stdout, "replay: ", pageURL+tape.path())
	}
	var watchers sync.WaitGroup
	watchers.Go(func() { watch(browser, status, stderr) })
	defer watchers.Wait()
	defer stop(browser, stderr)

	var failed error
	if o.demo {
		shot := screenshot{dir: o.out, page: pageURL}
		failed = demonstrate(ctx, browser, status, shot, stdout)
	}
	if !o.once {
		fmt.Fprintln(stderr, "Open", pageURL, "to look; Ctrl-C stops all.")
		<-ctx.Done()
	}
	return failed
}

// listen serves handler on addr; stop returns when the last request is through
// or cut off.
func listen(addr string, handler http.Handler) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(l) })
	return "http://" + l.Addr().String(), func() { server.Close(); serving.Wait() }, nil
}

// start starts the sandbox's browser.
func start(ctx context.Context, o options, launch proto.Launch, status *status, stderr io.Writer) (*supervisor.Browser, error) {
	s := supervisor.Supervisor{Command: o.sidecar}
	if o.verbose {
		s.Log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	began := time.Now()
	browser, err := s.Start(ctx, launch)
	if err != nil {
		return nil, err
	}
	status.started(browser, time.Since(began))
	return browser, nil
}

// watch notes the browser's events and its end.
func watch(browser *supervisor.Browser, status *status, stderr io.Writer) {
	for event := range browser.Events() {
		status.event(event)
	}
	err := browser.Wait(context.Background()) // the events are at their end, so this is near
	status.ended(browser, err)
	if err != nil {
		fmt.Fprintln(stderr, "browser ended:", err)
	}
}

// stop ends the browser. ctx of serve has ended by now, so it gets a time of
// its own. How it ended is for watch to tell.
func stop(browser *supervisor.Browser, stderr io.Writer) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := browser.Stop(ctx); errors.Is(err, proto.CodeStopForced) {
		fmt.Fprintln(stderr, "the browser had to be killed")
	}
}

// demonstrate lets the agent do its work.
func demonstrate(ctx context.Context, browser *supervisor.Browser, status *status, shot screenshot, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, agentTimeout)
	defer cancel()
	agent := newAgent(newMCP(browser.MCPURL(), browser.MCPToken()), func(s step) {
		status.step(s)
		fmt.Fprintln(stdout, "agent:  ", s)
	})
	result, err := agent.run(ctx)
	if err == nil {
		err = status.keep(shot, result.picture)
	}
	if err != nil {
		status.agentFailed(err)
		fmt.Fprintln(stdout, "agent failed:", err)
		return fmt.Errorf("agent: %w", err)
	}
	fmt.Fprintf(stdout, "the page as the agent read it:\n%s\n", indent(result.page))
	fmt.Fprintf(stdout, "screenshot: %s (%d kB)\n", shot.place(), len(result.picture)/1000)
	status.agentFinished(result.outcome)
	fmt.Fprintln(stdout, "agent finished:", result.outcome)
	return nil
}

// describe says in one line what was started.
func describe(browser *supervisor.Browser) string {
	r := browser.Ready()
	wall := "Chromium's sandbox is OFF"
	if r.Features.Sandbox {
		wall = "Chromium's sandbox is on"
	}
	return fmt.Sprintf("sidecar %s, Chromium %s (%s), %s, MCP at %s",
		r.Version, r.Chromium.Version, r.Chromium.Flavour, wall, browser.MCPURL())
}
