// Command pillion-host is the reference host: a small program that does with
// package hostapi what a real one does. It serves a sample app as its sandbox,
// starts a browser for it, and shows both on a dashboard: start and stop, watch
// and take over, recordings, minutes used, what this machine lacks.
//
//	pillion-host                   serve, and leave the browser to whoever comes
//	pillion-host -demo             also let a scripted agent place an order
//	pillion-host -once             the same, and stop when the agent is done
//
// The agent knows nothing of the app but its address and a login. It reads
// snapshots as a model would, and finds in them the refs of what it acts on.
//
// The agent reaches the browser by the host, as any agent of a host does, and
// holds no token of it.
//
// Ctrl-C stops everything and leaves nothing; a second one doesn't wait.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/pillion-browser/pillion/proto"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `usage: pillion-host [flags]

Serves a sample app, starts a browser for it, and shows both on a dashboard.

  -demo           let a scripted agent log in and place an order
  -once           the same, and stop when the agent is done
  -addr ADDR      where the dashboard is served; loopback only (default 127.0.0.1:0)
  -sidecar PATH   the sidecar to run (default: next to this program, else on PATH)
  -backend FILE   where browsers run, as JSON: {"kind": "container", "options": {"image": "pillion"}}
  -shell, -full   which Chromium: the headless shell, or the full browser
  -out DIR        keep the agent's screenshot and a recording of the browser there
  -film           with -out: film its tabs as well
  -v              show the sidecar's log too
`

// options are the command line.
type options struct {
	demo, once  bool
	shell, full bool
	film        bool
	verbose     bool
	addr        string
	sidecar     string
	out         string
	backend     string // a file
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal has its default effect
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "pillion-host: %v\n\n%s", err, usage)
		return exitUsage
	}
	if err := serve(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "pillion-host:", err)
		return exitFailed
	}
	return exitOK
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("pillion-host", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.demo, "demo", false, "")
	flags.BoolVar(&o.once, "once", false, "")
	flags.BoolVar(&o.shell, "shell", false, "")
	flags.BoolVar(&o.full, "full", false, "")
	flags.BoolVar(&o.film, "film", false, "")
	flags.BoolVar(&o.verbose, "v", false, "")
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "")
	flags.StringVar(&o.sidecar, "sidecar", "", "")
	flags.StringVar(&o.out, "out", "", "")
	flags.StringVar(&o.backend, "backend", "", "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.demo = o.demo || o.once
	host, _, err := net.SplitHostPort(o.addr)
	switch ip := net.ParseIP(host); {
	case flags.NArg() > 0:
		return o, fmt.Errorf("there is no argument %q", flags.Arg(0))
	case o.sidecar != "" && o.backend != "":
		return o, errors.New("-sidecar and -backend exclude each other: a backend has its own options")
	case o.film && o.out == "":
		return o, errors.New("-film needs -out: films are kept there")
	case o.shell && o.full:
		return o, errors.New("-shell and -full exclude each other")
	case err != nil:
		return o, fmt.Errorf("-addr: %w", err)
	case host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return o, errors.New("-addr must be a loopback address: this host has no sign-in")
	}
	return o, nil
}

// chromium is the launch's choice.
func (o options) chromium() string {
	switch {
	case o.shell:
		return proto.ChromiumShell
	case o.full:
		return proto.ChromiumFull
	default:
		return proto.ChromiumAuto
	}
}
