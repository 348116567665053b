package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// encode is a config as it is written to stdin.
func encode(t *testing.T, config apptest.Config) []byte {
	t.Helper()
	b, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// deadApp is an app that nobody serves: tests of the process itself need none.
const deadApp = "http://127.0.0.1:9"

// chromium finds the browser process of a session by its profile.
func chromium(t *testing.T, workdir string) (pid int) {
	t.Helper()
	apptest.Await(t, "the browser process", func() bool {
		for _, p := range mentioning(filepath.Join(workdir, "profile-")) {
			if !slices.ContainsFunc(proc.Args(p), isType) {
				pid = p
				return true
			}
		}
		return false
	})
	return pid
}

// isType says whether an argument makes a process a child of Chromium's. Those
// that a zygote forked write all of theirs into one.
func isType(arg string) bool { return strings.Contains(arg, "--type=") }

// tree lists a process and everything that it started, with their arguments.
func tree(t *testing.T, pid int) map[int][]string {
	t.Helper()
	all, err := proc.List()
	if err != nil {
		t.Fatal(err)
	}
	found := map[int][]string{}
	for _, p := range proc.Tree(all, pid) {
		found[p.PID] = proc.Args(p.PID)
	}
	return found
}

// wantEnd checks how the event lines end: stopping, then stopped, with nothing
// after it.
func wantEnd(t *testing.T, p *apptest.Process, reason string, exit int, forced bool) {
	t.Helper()
	events := p.Events()
	i := slices.IndexFunc(events, func(e proto.Event) bool { return e.Type == proto.EventStopping })
	if i < 0 || events[i].Reason != reason || events[i].Detail["budget_ms"] != 8000.0 {
		t.Fatalf("no stopping for %s among %v", reason, events)
	}
	last := events[len(events)-1]
	if last.Type != proto.EventStopped || last.Reason != reason || last.Detail["exit"] != float64(exit) || last.Detail["forced"] != forced {
		t.Errorf("the last event is %+v; want stopped, %s, exit %d, forced %v", last, reason, exit, forced)
	}
}

// lastLine is the line of the log that a supervisor reads.
func lastLine(log string) string {
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	return lines[len(lines)-1]
}

// errorLine reads it.
func errorLine(t *testing.T, log string) *proto.Error {
	t.Helper()
	e, ok := proto.ParseErrorLine(lastLine(log))
	if !ok {
		t.Fatalf("the log does not end with an error line:\n%s", log)
	}
	if n := strings.Count(log, "pillion-error:"); n != 1 {
		t.Errorf("the log has %d error lines:\n%s", n, log)
	}
	return e
}

// program makes an executable script that a browser's user can run.
func program(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(apptest.Workdir(t), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// background runs a tool call and gives its answer when it is there. The call
// itself may not fail.
func background(c *apptest.MCPClient, tool string, args apptest.Args) <-chan apptest.Result {
	answer := make(chan apptest.Result, 1)
	go func() { answer <- c.Call(tool, args) }()
	return answer
}

// hang is a script that keeps a page's main thread for ever, after it has told
// the site that it does.
func hang(mark string) string {
	return fmt.Sprintf("() => { const r = new XMLHttpRequest(); r.open('GET', '/api/echo?%s', false); r.send(); for (;;); }", mark)
}

// sleep is a script that is still unfinished when the session ends.
func sleep(mark string) string {
	return fmt.Sprintf("async () => { await fetch('/api/echo?%s'); await new Promise(() => {}) }", mark)
}
