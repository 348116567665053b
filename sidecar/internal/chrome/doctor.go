package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"

	"github.com/pillion-browser/pillion/proto"
)

// Check is one line of the doctor's report.
type Check struct {
	Name   string
	OK     bool
	Detail string // what was found
	Fix    string // what to do when not OK
	// Optional says that sessions run without it, unless they ask for it.
	Optional bool
}

const (
	// trialWithin bounds the doctor's start of a browser: 200 ms for the shell,
	// many times that for full Chromium from a cold disk.
	trialWithin = 20 * time.Second
	// lookEvery is the pause between two looks at the process table for a
	// renderer that is about to appear.
	lookEvery = 20 * time.Millisecond
)

// Checks looks at everything that a session needs of this machine. It starts a
// browser once and leaves nothing behind.
func Checks(ctx context.Context) []Check {
	user, err := PickUser()
	if err != nil {
		return []Check{failed("user", err)}
	}
	defer user.Close()
	who := fmt.Sprintf("Chromium runs as user %d", user.UID)
	switch {
	case user.UID < 0: // systems whose users have no numbers
		who = "Chromium runs as the sidecar's own"
	case !user.Dedicated:
		who += ", the sidecar's own"
	}
	list := []Check{{Name: "user", OK: true, Detail: who}}

	shell, shellErr := Find(ctx, Want{Chromium: Shell})
	full, fullErr := Find(ctx, Want{Chromium: Full})
	flavours := []Check{
		found(ctx, "chromium headless shell", shell, shellErr, user),
		found(ctx, "chromium full", full, fullErr, user),
	}
	flavours[0].Optional, flavours[1].Optional = flavours[1].OK, flavours[0].OK // headless mode takes either
	list = append(list, flavours...)
	var renderers []Renderer
	if shellErr == nil || fullErr == nil {
		binary := shell
		if shellErr != nil {
			binary = full
		}
		seen, checks := trial(ctx, binary, user)
		renderers = seen
		list = append(list, checks...)
	}
	list = append(list, systemChecks(renderers)...)

	screen := Check{Name: "display", OK: true, Optional: true, Detail: "there is one for headed mode"}
	if displayOf(os.Getenv).none() {
		screen.OK, screen.Detail, screen.Fix = false, "none; headed mode can't be used", displayHint
	}
	return append(list, screen)
}

// failed makes a check of an error.
func failed(name string, err error) Check {
	var e *proto.Error
	if errors.As(err, &e) {
		return Check{Name: name, Detail: e.Message, Fix: e.Hint}
	}
	return Check{Name: name, Detail: err.Error()}
}

// found reports on one flavour.
func found(ctx context.Context, name string, b Binary, err error, user *User) Check {
	if err != nil {
		return failed(name, err)
	}
	version, err := b.ReadVersion(ctx, user)
	if err != nil {
		c := failed(name, err)
		c.Fix = "Install Chromium again; run the file by hand to see what it lacks"
		return c
	}
	return Check{Name: name, OK: true, Detail: version + " at " + b.Path}
}

// trial starts a browser and reports on its sandbox, its network and its
// command line.
func trial(ctx context.Context, b Binary, user *User) ([]Renderer, []Check) {
	ctx, cancel := context.WithTimeout(ctx, trialWithin)
	defer cancel()
	profile, cleanup, err := trialProfile(user)
	if err != nil {
		return nil, []Check{failed("sandbox", err)}
	}
	defer cleanup()
	seat, err := Prepare(ctx, Options{Binary: b, User: user, Profile: profile})
	if err != nil {
		return nil, []Check{failed("sandbox", err)}
	}
	defer seat.Close()

	network := Check{Name: "private network", OK: true, Detail: "only Chromium can reach its egress proxy"}
	if yes, reason := seat.PrivateNetwork(); !yes {
		network.OK = false
		network.Detail = "other local processes can reach the egress proxy, which then relies on its password: " + reason
		network.Fix = "Allow user namespaces, or run the sidecar as root with CAP_SYS_ADMIN"
	}
	p, err := seat.Start(ctx, seat.Listener().Addr().String())
	if err != nil {
		return nil, []Check{network, failed("sandbox", err)}
	}
	defer p.Transport().Close()
	defer p.Kill()
	var renderers []Renderer
	sandbox := Check{Name: "sandbox", OK: true, Detail: "renderers are shut in"}
	if err := alive(p); err != nil {
		return nil, []Check{network, failed("sandbox", p.Explain(err))}
	}
	if renderers, err = awaitSandbox(ctx, p.PID()); errors.Is(err, errors.ErrUnsupported) {
		sandbox.Detail = "Chromium is started with its own; this system does not show how renderers are shut in"
	} else if err != nil {
		sandbox = Check{Name: "sandbox", Detail: err.Error(), Fix: sandboxHint}
	}
	line := Check{Name: "command line", OK: true, Detail: "runs with the switches that it was given"}
	if err := p.CheckCommandLine(); err != nil {
		line = failed("command line", err)
	} else if lacking != "" {
		line.Detail = "this system does not show it"
	}
	return renderers, []Check{network, sandbox, line}
}

// alive waits for the browser's first answer.
func alive(p *Process) error {
	timer := time.AfterFunc(trialWithin, p.Kill)
	defer timer.Stop()
	ctx := context.Background() // the transport does not look at it
	ask := cdproto.Message{ID: 1, Method: cdproto.MethodType(browser.GetVersion.Method)}
	if err := p.Transport().Write(ctx, &ask); err != nil {
		return fmt.Errorf("talk to Chromium: %w", err)
	}
	for {
		var answer cdproto.Message
		if err := p.Transport().Read(ctx, &answer); err != nil {
			return fmt.Errorf("hear from Chromium: %w", err)
		}
		if answer.ID == ask.ID {
			return nil
		}
	}
}

// awaitSandbox waits for the first renderer and judges it.
func awaitSandbox(ctx context.Context, pid int) ([]Renderer, error) {
	for {
		list, err := Sandboxed(pid)
		// A renderer shuts itself in step by step while it starts.
		if err == nil || errors.Is(err, errors.ErrUnsupported) {
			return list, err
		}
		select {
		case <-ctx.Done():
			return list, err
		case <-time.After(lookEvery):
		}
	}
}

// trialProfile makes a profile that user can use, and what removes it.
func trialProfile(user *User) (string, func(), error) {
	dir, err := os.MkdirTemp("", "pillion-doctor-")
	if err != nil {
		return "", nil, fmt.Errorf("make a profile: %w", err)
	}
	cleanup := func() { os.RemoveAll(dir) }
	profile := filepath.Join(dir, "profile")
	for _, d := range []string{profile, filepath.Join(profile, "home"), filepath.Join(profile, "tmp")} {
		err = os.Mkdir(d, 0o700)
		if err == nil && user.Dedicated {
			err = os.Lchown(d, user.UID, user.GID)
		}
		if err != nil {
			cleanup()
			return "", nil, fmt.Errorf("make a profile: %w", err)
		}
	}
	if user.Dedicated {
		if err := os.Chmod(dir, 0o711); err != nil {
			cleanup()
			return "", nil, fmt.Errorf("make a profile: %w", err)
		}
	}
	return profile, cleanup, nil
}
