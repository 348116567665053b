package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// doctorTimeout bounds a check of the machine; it starts a Chromium once.
const doctorTimeout = 30 * time.Second

// doctorBytes is the most that is read of its answer.
const doctorBytes = 64 << 10

// Check is one line of the sidecar's doctor.
type Check struct {
	Name  string // what was looked at, such as "chromium"
	State string // "ok", "missing", or what a newer sidecar says
	Text  string // what was found, and where something is missing, the cure
}

// OK says whether nothing needs to be done about it.
func (c Check) OK() bool { return c.State == "ok" }

// String is the line as the doctor prints it.
func (c Check) String() string { return fmt.Sprintf("[%s] %s: %s", c.State, c.Name, c.Text) }

// Examiner is a [Runner] that can look at the place where it runs sidecars:
// whether its engine answers, whether it has the image.
type Examiner interface {
	Runner
	Examine(ctx context.Context) []Check
}

// Doctor asks the runner about its place, and where that is well runs
// `sidecar doctor` there. It returns what both found. The error is for a doctor
// that could not be asked; whether the machine is well is in the checks. A
// program does well to call it once when it starts and to show what is not OK.
func (s *Supervisor) Doctor(ctx context.Context) ([]Check, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	var place []Check
	if examiner, ok := s.runner().(Examiner); ok {
		place = examiner.Examine(ctx)
	}
	if slices.ContainsFunc(place, func(c Check) bool { return !c.OK() }) {
		return place, nil
	}
	checks, err := s.askSidecar(ctx)
	if len(place) > 0 && errors.Is(err, proto.CodeUnsupported) { // a place that runs browsers and nothing else
		err = nil
	}
	return append(place, checks...), err
}

// askSidecar runs `sidecar doctor` where browsers would run.
func (s *Supervisor) askSidecar(ctx context.Context) ([]Check, error) {
	runner := s.runner()
	process, err := runner.Start(ctx, []string{"doctor"}, nil)
	if err != nil {
		return nil, s.spawnFailed(ctx, err)
	}
	log := &tail{mask: maskerOf(), line: func(string) {}}
	var output strings.Builder
	var streams sync.WaitGroup
	streams.Go(func() {
		io.Copy(&output, io.LimitReader(process.Stdout(), doctorBytes))
		io.Copy(io.Discard, process.Stdout())
	})
	streams.Go(func() { log.read(process.Stderr()) })
	exited := make(chan error, 1)
	streams.Go(func() { exited <- process.Wait() })

	select {
	case err = <-exited:
	case <-ctx.Done():
		process.Kill()
		<-exited
		err = ctx.Err()
	}
	closeStreams := time.AfterFunc(drainGrace, func() { process.Stdout().Close(); process.Stderr().Close() })
	streams.Wait()
	closeStreams.Stop()
	process.Stdin().Close()
	process.Stdout().Close()
	process.Stderr().Close()

	checks := parseChecks(output.String())
	if len(checks) == 0 { // it exits with a failure where something is missing, and that is no error here
		how := "exit status 0"
		if err != nil {
			how = err.Error()
		}
		return nil, &proto.Error{
			Code:    proto.CodeSidecarExited,
			Message: fmt.Sprintf("the sidecar's doctor gave no answer (%s)", how),
			Hint:    "Check that Command names the sidecar itself. " + lastLines(log.last()),
			Err:     err,
		}
	}
	return checks, nil
}

// parseChecks reads lines such as "[missing] chromium: not found. Run …".
// Indented lines belong to the check above them; other lines are left out.
func parseChecks(output string) []Check {
	var checks []Check
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if text := strings.TrimLeft(line, " \t"); text != line && text != "" && len(checks) > 0 {
			checks[len(checks)-1].Text += "\n" + printable(text)
			continue
		}
		state, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "]")
		if !ok || !strings.HasPrefix(line, "[") || state == "" {
			continue
		}
		name, text, _ := strings.Cut(strings.TrimSpace(rest), ":")
		checks = append(checks, Check{Name: printable(name), State: printable(state), Text: printable(strings.TrimSpace(text))})
	}
	return checks
}
