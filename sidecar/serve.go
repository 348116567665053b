package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// configTimeout bounds the wait for the launch config: a parent writes it at
// once, and a person who forgot it should learn so.
const configTimeout = 30 * time.Second

// processors is on how many threads Go runs at a time. What a sidecar does is a
// chain of short steps, each woken by a message of Chromium's or of a viewer's:
// with a second one free, Go wakes that as well for each step, to find nothing to
// do, which makes a quarter of the CPU of a click. Nothing is slower for it: not
// a start, the calls beside a page that makes ten thousand events a second, nor
// the pictures for twenty viewers.
const processors = 1

// serve runs one session: config, start, ready line, until something ends it.
func serve(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors)
	}
	// Signals first: one that comes before or during the start ends in good
	// order as well.
	signals := watchSignals()
	defer signals.stop()
	log := newPump(stderr, lostLines)
	defer log.close()

	stream, err := awaitConfig(signals, args, stdin)
	if errors.Is(err, errStopRequested) {
		return exitOK
	}
	var launch proto.Launch
	if err == nil {
		launch, err = decodeConfig(stream, log)
	}
	if err != nil {
		complain(log, err)
		return exitFailed
	}
	s := newSession(launch, stdout, log)
	defer s.stderr.Close() // the masker holds the end of the last line
	if !launch.Lifeline {
		return s.run(signals, nil)
	}
	return s.run(signals, stream.Rest)
}

// awaitConfig returns the config's text and what follows it. Reading may block
// for ever, on a terminal or a pipe; a signal or the time's end ends the wait,
// and the reader ends with the process.
func awaitConfig(sig *signals, args []string, stdin io.Reader) (proto.Stream, error) {
	type read struct {
		stream proto.Stream
		err    error
	}
	done := make(chan read, 1)
	go func() {
		stream, err := readConfig(args, stdin)
		done <- read{stream, err}
	}()
	select {
	case r := <-done:
		return r.stream, r.err
	case <-sig.stops:
		return proto.Stream{}, errStopRequested
	case <-time.After(configTimeout):
		return proto.Stream{}, &proto.Error{
			Code: proto.CodeConfigTimeout, Message: fmt.Sprintf("no whole configuration came within %v", configTimeout),
			Hint: "Write the launch config as JSON to stdin and close it, or use --config FILE",
		}
	}
}

// readConfig reads the file that the arguments name, or else stdin. Only stdin
// can be a lifeline, so a file's stream has no Rest.
func readConfig(args []string, stdin io.Reader) (proto.Stream, error) {
	path, given, err := configPath(args)
	if err != nil {
		return proto.Stream{}, err
	}
	if !given {
		return proto.ReadLaunch(stdin)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return proto.Stream{}, &proto.Error{
			Code: proto.CodeConfigUnreadable, Message: fmt.Sprintf("the configuration file can't be read: %v", err), Err: err,
			Hint: "Give the path of a JSON file after --config",
		}
	}
	return proto.Stream{Launch: data}, nil
}

// decodeConfig reads the config and warns about what it ignores.
func decodeConfig(stream proto.Stream, stderr io.Writer) (proto.Launch, error) {
	launch, warnings, err := proto.DecodeLaunch(stream.Launch, policy.ParseURL)
	for _, w := range warnings {
		writeLine(stderr, logPrefix+"configuration: "+w.Message)
	}
	if err == nil && launch.Lifeline && stream.Rest == nil {
		// With a file there is no parent on stdin; a person's terminal is no
		// lifeline.
		launch.Lifeline = false
		writeLine(stderr, logPrefix+"configuration: lifeline has no meaning with a config file and is ignored")
	}
	if err == nil {
		// Of what a config allows, some can be judged by the policy alone.
		_, err = policy.For(launch)
	}
	return launch, err
}

// asError is err as it crosses a border.
func asError(err error) *proto.Error {
	var e *proto.Error
	// Whichever step comes to the limit first, the cure is the same.
	outOfFiles := errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	if errors.As(err, &e) {
		if outOfFiles {
			cured := *e
			cured.Hint = chrome.FilesHint
			return &cured
		}
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &proto.Error{Code: proto.CodeBrowserStartTimeout, Message: "the start took too long: " + err.Error(), Err: err}
	}
	if outOfFiles {
		return &proto.Error{Code: proto.CodeListenFailed, Message: "the start can't open what it needs: " + err.Error(), Hint: chrome.FilesHint, Err: err}
	}
	return &proto.Error{Code: proto.CodeInternal, Message: err.Error(), Err: err}
}

func asLaunchError(err error, target **proto.LaunchError) bool { return errors.As(err, target) }
