package janitor

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// helperArg is the hidden first argument that makes this program a survivor.
const helperArg = "__janitor"

const (
	// lifeAfter bounds the survivor's life after the sidecar's death.
	lifeAfter = 10 * time.Second
	// huntWithin bounds the killing of what is left of Chromium, after which
	// its directories are removed under it.
	huntWithin = 4 * time.Second
)

// HelperMain runs the survivor when argv, which is os.Args, asks for it. Main
// functions, and tests that open sessions, call it before anything else and
// exit with code when it was handled.
func HelperMain(argv []string) (code int, handled bool) {
	if len(argv) != 2 || argv[1] != helperArg {
		return 0, false
	}
	if info, err := os.Stdin.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		os.Stderr.WriteString("this argument is for the sidecar's own use\n")
		return 2, true
	}
	// Signals to a group or from a terminal are for the sidecar.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	runtime.GOMAXPROCS(1)
	nameProcess("sidecar-janitor")
	return survive(os.Stdin), true
}

// survive reads what there will be to do until the sidecar dismisses it or
// dies, and in that case does it.
func survive(sidecar io.Reader) int {
	var todo *plan
	var browser browserRow
	messages := json.NewDecoder(sidecar)
	for {
		var m message
		if err := messages.Decode(&m); err != nil {
			break // the end, perhaps in the middle of a message
		}
		switch {
		case m.Done:
			return 0
		case m.Plan != nil:
			todo = m.Plan
		case m.Browser != nil:
			browser = *m.Browser
			proc.Trim() // all that is left to do is to wait
		}
	}
	if todo == nil || !todo.sane() {
		return 0
	}
	limit := time.AfterFunc(lifeAfter, func() { os.Exit(1) })
	defer limit.Stop()
	return cleanUp(*todo, browser)
}

// cleanUp kills what is left of Chromium and removes the directories.
func cleanUp(p plan, browser browserRow) int {
	claim := proc.Claim{
		Leader: browser.PID, LeaderStart: browser.Start,
		UID: p.UID, Dedicated: p.Dedicated, Profile: p.Profile,
	}
	hunt, cancel := context.WithTimeout(context.Background(), huntWithin)
	left, _ := claim.Hunt(hunt)
	cancel()
	remove, cancel := context.WithTimeout(context.Background(), removeWithin)
	defer cancel()
	if err := removeAll(remove, p.OwnRoot, p.Root, p.Uploads, p.Output, p.Profile); err != nil || left != nil {
		return 1
	}
	return 0
}
