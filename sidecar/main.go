// Command sidecar is one browser for one agent: it drives a Chromium of its
// own, offers it as MCP tools over HTTP, and lets nothing out but the app.
//
//	sidecar < launch.json           the launch config on stdin
//	sidecar --config launch.json    the launch config in a file
//	sidecar replay FILE             a page with the recordings in a file
//	sidecar check                   one JSON line: version and Chromium
//	sidecar doctor                  what this machine has and lacks
//	sidecar --version
//
// It exits with 0 after a stop that was asked for (a signal, a command, the end
// of the parent or of the session's time), with 1 when the start failed or the
// browser ended by itself, with 2 for a command line that it does not know. At
// whatever moment it is asked to stop, it does so within eight seconds and
// leaves nothing; a second signal makes it hurry.
//
// The launch config, the ready line that answers it on stdout, and everything
// else that crosses a border are described by package proto. Logs go to stderr.
//
// A first argument that ends in .mjs is skipped, and a binary called "node"
// answers --version like a Node.js, so that hosts which run their sidecar as a
// Node.js package can run this one.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
)

// Exit codes; those of the original.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// nodeVersion is what a host that checks its Node.js gets to read: it asks for
// 20 or later.
const nodeVersion = "v22.0.0"

const usage = "usage: sidecar [serve] [--config FILE] | replay FILE | check | doctor | install-browser | --version"

func main() {
	// The helpers are this same binary under another first argument; they must
	// do their work before anything else of a sidecar exists.
	if code, handled := chrome.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	if code, handled := janitor.HelperMain(os.Args); handled {
		os.Exit(code)
	}
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the command line; it returns the exit code.
func run(argv []string, stdin io.Reader, stdout, stderr io.Writer) int {
	args := argv[1:]
	version := proto.Version
	if strings.HasPrefix(filepath.Base(argv[0]), "node") {
		version = nodeVersion
	}
	if len(args) > 0 && strings.HasSuffix(args[0], ".mjs") {
		args, version = args[1:], proto.Version // the package is asked, not its runtime
	}
	command := "serve"
	if len(args) > 0 && !isConfigFlag(args[0]) {
		command, args = args[0], args[1:]
	}
	switch command {
	case "serve":
		return serve(args, stdin, stdout, stderr)
	case "replay":
		return replayFile(args, stderr)
	case "check":
		return check(stdout, stderr)
	case "doctor":
		return doctor(stdout, stderr)
	case "install-browser":
		return installBrowser(stdout, stderr)
	case "version", "--version", "-version":
		fmt.Fprintln(stdout, version)
		return exitOK
	case "help", "--help", "-help", "-h":
		fmt.Fprintln(stdout, usage)
		return exitOK
	default:
		fmt.Fprintln(stderr, logPrefix+usage)
		return exitUsage
	}
}

// isConfigFlag says whether an argument names the config's file, with or without
// the value in it.
func isConfigFlag(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return name == "--config" || name == "--config-file" || name == "-config"
}

// configPath finds the value of --config or --config-file, in either spelling of
// a value. Other arguments of serve are ignored: hosts pass some.
func configPath(args []string) (path string, given bool, err error) {
	for i, a := range args {
		if !isConfigFlag(a) {
			continue
		}
		name, value, inline := strings.Cut(a, "=")
		if inline {
			return value, true, nil
		}
		if i+1 == len(args) {
			return "", true, &proto.Error{Code: proto.CodeConfigUnreadable, Message: name + " needs the path of a file", Hint: usage}
		}
		return args[i+1], true, nil
	}
	return "", false, nil
}
