package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// configTimeout bounds the wait for the launch config on stdin: a parent writes
// it at once, and a person who forgot it should learn so.
const configTimeout = 30 * time.Second

// serve runs one session: config, start, ready line, until something ends it.
func serve(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// Signals first: one that comes during the start must clean up as well.
	signals := watchSignals()
	defer signals.stop()

	launch, commands, err := readConfig(args, stdin, stderr)
	if err != nil {
		complain(stderr, err)
		return exitFailed
	}
	s := newSession(launch, stdout, stderr)
	defer s.stderr.Close() // the masker holds the end of the last line
	return s.run(signals, commands)
}

// readConfig returns the decoded config and, under a lifeline, the rest of
// stdin; nil otherwise.
func readConfig(args []string, stdin io.Reader, stderr io.Writer) (proto.Launch, io.Reader, error) {
	path, given, err := configPath(args)
	if err != nil {
		return proto.Launch{}, nil, err
	}
	var stream proto.Stream
	if given {
		data, err := os.ReadFile(path)
		if err != nil {
			return proto.Launch{}, nil, &proto.Error{
				Code: proto.CodeConfigUnreadable, Message: fmt.Sprintf("the configuration file can't be read: %v", err), Err: err,
				Hint: "Give the path of a JSON file after --config",
			}
		}
		stream = proto.Stream{Launch: data}
	} else if stream, err = readStdin(stdin); err != nil {
		return proto.Launch{}, nil, err
	}
	launch, warnings, err := proto.DecodeLaunch(stream.Launch, policy.ParseURL)
	for _, w := range warnings {
		writeLine(stderr, logPrefix+"configuration: "+w.Message)
	}
	if err != nil {
		return proto.Launch{}, nil, err
	}
	if given && launch.Lifeline {
		// With a file there is no parent on stdin; a person's terminal is no
		// lifeline.
		launch.Lifeline = false
		writeLine(stderr, logPrefix+"configuration: lifeline has no meaning with a config file and is ignored")
	}
	if !launch.Lifeline {
		return launch, nil, nil
	}
	return launch, stream.Rest, nil
}

func readStdin(stdin io.Reader) (proto.Stream, error) {
	type read struct {
		stream proto.Stream
		err    error
	}
	done := make(chan read, 1)
	go func() { // ends with the process when stdin never does
		s, err := proto.ReadLaunch(stdin)
		done <- read{s, err}
	}()
	select {
	case r := <-done:
		return r.stream, r.err
	case <-time.After(configTimeout):
		return proto.Stream{}, &proto.Error{
			Code: proto.CodeConfigTimeout, Message: fmt.Sprintf("no whole configuration came on stdin within %v", configTimeout),
			Hint: "Write the launch config as JSON to stdin and close it, or use --config FILE",
		}
	}
}

// asError is err as it crosses a border.
func asError(err error) *proto.Error {
	var e *proto.Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &proto.Error{Code: proto.CodeBrowserStartTimeout, Message: "the start took too long: " + err.Error(), Err: err}
	}
	return &proto.Error{Code: proto.CodeInternal, Message: err.Error(), Err: err}
}

func asLaunchError(err error, target **proto.LaunchError) bool { return errors.As(err, target) }
