package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// failedGrace is for a sidecar whose start has failed: there is no
	// recording to finish, only a Chromium to end.
	failedGrace = 2 * time.Second

	// exitGrace is how long a sidecar whose standard output has ended may take
	// to end itself, so that its exit status can be told.
	exitGrace = 2 * time.Second
)

// Start starts a browser for launch and returns once it is ready to be driven.
// It sets launch.Lifeline, and a random launch.Token where there is none.
//
// ctx bounds the start alone: a browser that Start has returned lives until
// [Browser.Stop], its stop_at, or its own death. It also ends when this process
// does, whatever way that is.
//
// Each way that a start can fail has a code of its own; the error is then a
// [*proto.Error] whose Hint says what to do, and neither a process nor a file
// is left behind. See the package documentation for the list.
func (s *Supervisor) Start(ctx context.Context, launch proto.Launch) (*Browser, error) {
	if launch.Token.IsZero() {
		launch.Token = newToken()
	}
	launch.Lifeline = true
	ctx, cancel := context.WithTimeoutCause(ctx, or(s.StartTimeout, DefaultStartTimeout), errStartTimeout)
	defer cancel()
	runner := s.runner()
	if placer, ok := runner.(Placer); ok {
		var err error
		if launch, runner, err = placer.Place(ctx, launch); err != nil {
			return nil, s.spawnFailed(ctx, err)
		}
	}
	config, appURL, err := encodeFor(runner, launch)
	if err != nil {
		return nil, err
	}
	process, err := runner.Start(ctx, []string{"serve"}, config)
	if err != nil {
		return nil, s.spawnFailed(ctx, err)
	}
	b := newBrowser(s, launch, process)
	b.appURL = appURL
	go b.run()
	if err := s.await(ctx, runner, b); err != nil {
		b.log.Info("browser failed to start", "error", err)
		return nil, err
	}
	b.log.Info("browser started", "mcp", b.mcpURL, "version", b.ready.Version, "chromium", b.ready.Chromium.Version)
	return b, nil
}

// encodeFor encodes the launch as the child is to read it: with addresses that
// lead to the same places from where it runs.
func encodeFor(runner Runner, launch proto.Launch) (config []byte, appURL string, err error) {
	if launch.AppURL, err = translate(runner, launch.AppURL); err != nil {
		return nil, "", invalidLaunch(fmt.Errorf("app_url: %w", err))
	}
	if launch.Recording != nil {
		recording := *launch.Recording
		if recording.URL, err = translate(runner, recording.URL); err != nil {
			return nil, "", invalidLaunch(fmt.Errorf("recording.url: %w", err))
		}
		launch.Recording = &recording
	}
	if launch.AllowOrigins, err = translateOrigins(runner, launch.AllowOrigins); err != nil {
		return nil, "", invalidLaunch(fmt.Errorf("allow_origins: %w", err))
	}
	if launch.AllowHosts, err = translateHosts(runner, launch.AllowHosts); err != nil {
		return nil, "", invalidLaunch(fmt.Errorf("allow_hosts: %w", err))
	}
	if config, err = launch.Encode(); err != nil {
		return nil, "", invalidLaunch(err)
	}
	return config, launch.AppURL, nil
}

// await returns when the browser is ready, or has failed to become so and is gone.
func (s *Supervisor) await(ctx context.Context, runner Runner, b *Browser) error {
	select {
	case h := <-b.handshake:
		if h.err == nil {
			h.err = b.enter(h.ready)
		}
		switch {
		case h.err == nil:
			return nil
		case errors.Is(h.err, io.EOF):
			return s.exited(ctx, runner, b)
		}
		b.abort()
		return h.err
	case <-ctx.Done():
		b.abort()
		return s.interrupted(ctx, b.tail.last())
	}
}

// exited is for a sidecar whose output has ended before Ready. It is given the
// time to say by its exit status why.
func (s *Supervisor) exited(ctx context.Context, runner Runner, b *Browser) error {
	how := "it closed its standard output and went on running"
	exit := time.NewTimer(exitGrace)
	defer exit.Stop()
	select {
	case <-b.ended:
		how = b.Usage().Reason
	case <-exit.C:
	case <-ctx.Done():
	}
	b.abort()
	return exitedEarly(how, b.tail, runner.Diagnose(context.WithoutCancel(ctx)))
}

// abort ends a sidecar whose start has failed, and returns when it is gone.
func (b *Browser) abort() {
	b.askToStop(stopPlan{grace: failedGrace})
	<-b.ended
}

// enter takes over what the ready line says.
func (b *Browser) enter(ready proto.Ready) error {
	addr, err := b.process.HostAddr(dialable(b.launch.Host, ready.Port))
	if err != nil {
		return &proto.Error{
			Code:    proto.CodeSpawnFailed,
			Message: fmt.Sprintf("the sidecar's address can't be reached from here: %v", err),
			Err:     err,
		}
	}
	b.ready = ready
	b.mcpURL = (&url.URL{Scheme: "http", Host: addr, Path: "/mcp"}).String()
	if b.launch.Live != nil {
		b.liveURL = (&url.URL{Scheme: "ws", Host: addr, Path: "/live"}).String()
	}
	b.commands.grease()
	return nil
}
