package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/backend"
	"github.com/pillion-browser/pillion/supervisor/dashboard"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
	"github.com/pillion-browser/pillion/supervisor/shelf"
	"github.com/pillion-browser/pillion/testdata/app"
)

const (
	// agentTimeout is for the whole script, which takes seconds.
	agentTimeout = 3 * time.Minute

	// headerTimeout keeps a client that never finishes its request from
	// holding a connection of the page's server.
	headerTimeout = 10 * time.Second
)

// The sandbox that this host has: the sample app.
const (
	shop      = "shop"
	shopTitle = "Fernhill Ledger, the sample shop"
)

// doctor looks at what browsers need here.
type doctor = func(ctx context.Context) ([]supervisor.Check, error)

// serve runs the app, the host and the browser until ctx ends, or with -once
// until the agent is done. Everything that it starts has ended when it returns.
func serve(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	site := app.New()
	defer site.Close()
	appURL, stopApp, err := listen("127.0.0.1:0", site)
	if err != nil {
		return fmt.Errorf("serve the sample app: %w", err)
	}
	defer stopApp()
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("serve the dashboard: %w", err)
	}
	here := "http://" + l.Addr().String()
	tape, err := openTape(ctx, o.out, here, o.film, slog.New(slog.NewTextHandler(stderr, nil)))
	if err != nil {
		l.Close()
		return fmt.Errorf("record the browser: %w", err)
	}
	defer func() { err = errors.Join(err, tape.close()) }()

	status, usage := &status{}, &hostapi.MemoryUsage{}
	host, doctor, err := newHost(o, appURL, l.Addr().String(), usage, status, tape, stderr)
	if err != nil {
		l.Close()
		return err
	}
	stopSite := serveOn(l, newSite(host, usage, status, tape, doctor))
	defer stopSite()
	fmt.Fprintf(stdout, "app:     %s\nhost:    %s\n", appURL, here)

	var reaping sync.WaitGroup
	running, stopBrowsers := context.WithCancel(context.WithoutCancel(ctx))
	reaping.Go(func() {
		if err := host.Run(running); err != nil {
			fmt.Fprintln(stderr, "the host did not end in order:", err)
		}
	})
	defer reaping.Wait()
	defer stopBrowsers()
	browser, err := host.Start(ctx, local(), shop, hostapi.StartOptions{})
	if err != nil {
		return err
	}
	if browser.ServerKey == nil {
		return errors.New("the browser ended as soon as it ran")
	}
	fmt.Fprintf(stdout, "browser: %s\nwatch:   %s/live/%s/\n", describe(browser), here, shop)
	if tape != nil {
		session := strings.TrimPrefix(*browser.ServerKey, "browser:")
		fmt.Fprintf(stdout, "replay:  %s%s%s/\n", here, recordingsPath, shelf.ID(local().Owner, session))
		fmt.Fprintf(stderr, "Recordings are kept: look at them later with sidecar replay %s\n", tape.file)
	}
	var failed error
	if o.demo {
		failed = demonstrate(ctx, host, status, screenshot{dir: o.out, page: here}, stdout)
	}
	if !o.once {
		fmt.Fprintln(stderr, "Open", here, "to look; Ctrl-C stops all.")
		<-ctx.Done()
	}
	return failed
}

// newHost makes the API of the sandbox's browser, on the backend that the
// command line chose.
func newHost(o options, appURL, addr string, usage *hostapi.MemoryUsage, status *status, tape *tape, stderr io.Writer) (*hostapi.Host, doctor, error) {
	s := &supervisor.Supervisor{Command: o.sidecar}
	var log *slog.Logger
	if o.verbose {
		log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if o.backend != "" {
		var err error
		if s.Runner, err = openBackend(o.backend); err != nil {
			return nil, nil, err
		}
	}
	sandboxes := &hostapi.MemorySandboxes{}
	sandboxes.Put(hostapi.Sandbox{ID: shop, Owner: local().Owner, Title: shopTitle, AppURL: appURL, Ready: true})
	host, err := hostapi.New(hostapi.Options{
		Supervisor:    s,
		Launch:        proto.Launch{Chromium: o.chromium(), Live: &proto.Live{AskPerson: true}},
		Sandboxes:     sandboxes,
		Authenticator: hostapi.LoopbackUser{Identity: local()},
		Usage:         usage,
		Recordings:    tape.recordings(),
		SignInKey:     hostapi.NewSignInKey(), // as long as this process: nothing of it is kept
		LiveOrigins:   liveOrigins(addr),
		OnEvent:       func(sandbox hostapi.Sandbox, _ string, e proto.Event) { status.event(sandbox.ID, e) },
		Log:           log,
	})
	return host, s.Doctor, err
}

// openBackend reads the file that says where browsers run.
func openBackend(file string) (supervisor.Runner, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the backend's configuration: %w", err)
	}
	var c backend.Config
	if err := backend.Decode(json.RawMessage(text), &c); err != nil {
		return nil, err
	}
	return backend.Open(c, nil)
}

// listen serves handler on addr; stop returns when the last request is through
// or cut off.
func listen(addr string, handler http.Handler) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, err
	}
	return "http://" + l.Addr().String(), serveOn(l, handler), nil
}

func serveOn(l net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(l) })
	return func() { server.Close(); serving.Wait() }
}

// demonstrate lets the agent do its work: a run against the sandbox, which
// reaches the browser by this host and holds no token of its.
func demonstrate(ctx context.Context, host *hostapi.Host, status *status, shot screenshot, stdout io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, agentTimeout)
	defer cancel()
	run, err := host.NewRun(ctx, local(), shop)
	if err != nil {
		return err
	}
	server, err := host.Reach(ctx, local(), run)
	if err != nil {
		return err
	}
	status.agentBegins(shop)
	agent := newAgent(newMCP(shot.page+server.Path), func(s step) {
		status.step(dashboard.Step(s))
		fmt.Fprintln(stdout, "agent:  ", s)
	})
	result, err := agent.run(ctx)
	if err == nil {
		err = status.keep(shot, result.picture)
	}
	if err != nil {
		status.agentEnds("failed", err.Error())
		fmt.Fprintln(stdout, "agent failed:", err)
		return fmt.Errorf("agent: %w", err)
	}
	fmt.Fprintf(stdout, "the page as the agent read it:\n%s\n", indent(result.page))
	fmt.Fprintf(stdout, "screenshot: %s (%d kB)\n", shot.place(), len(result.picture)/1000)
	status.agentEnds("finished", result.outcome)
	fmt.Fprintln(stdout, "agent finished:", result.outcome)
	return nil
}

// describe says in one line what was started.
func describe(browser *hostapi.Browser) string {
	s := browser.Sidecar
	wall := "Chromium's sandbox is OFF"
	if s.Features.Sandbox {
		wall = "Chromium's sandbox is on"
	}
	return fmt.Sprintf("sidecar %s, Chromium %s (%s), %s, as %s", s.Version, s.Chromium, s.Flavour, wall, *browser.ServerKey)
}
