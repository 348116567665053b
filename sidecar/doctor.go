package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
)

// doctorTimeout is how long hosts wait for check; doctor starts a browser once.
const doctorTimeout = 30 * time.Second

// doctor prints what this machine has and lacks, a line each, with the cure. It
// fails when something is missing that every session needs.
func doctor(stdout, stderr io.Writer) int {
	ctx, cancel := context.WithTimeout(context.Background(), doctorTimeout)
	defer cancel()
	code := exitOK
	fmt.Fprintf(stdout, "[ok]      sidecar: Pillion sidecar %s\n", proto.Version)
	for _, c := range chrome.Checks(ctx) {
		if c.OK {
			fmt.Fprintf(stdout, "[ok]      %s: %s\n", c.Name, oneLine(c.Detail))
			continue
		}
		fix := oneLine(c.Fix)
		if c.Optional {
			fix = strings.TrimSuffix(fix, ".") + ". This is optional"
		} else {
			code = exitFailed
		}
		fmt.Fprintf(stdout, "[missing] %s: %s. %s\n", c.Name, oneLine(c.Detail), fix)
	}
	return code
}

// checkResult is the one line of `sidecar check`; keys in this order.
type checkResult struct {
	Version  string `json:"version"`
	Node     string `json:"node"`
	Chromium struct {
		Installed  bool   `json:"installed"`
		Executable string `json:"executable"`
	} `json:"chromium"`
}

// check prints what a host asks before it starts a sidecar. It looks for the
// browser that headless mode would really run.
func check(stdout, stderr io.Writer) int {
	ctx, cancel := context.WithTimeout(context.Background(), doctorTimeout)
	defer cancel()
	r := checkResult{Version: proto.Version, Node: nodeVersion}
	binary, err := chrome.Find(ctx, chrome.Want{Mode: proto.Headless})
	r.Chromium.Installed, r.Chromium.Executable = err == nil, binary.Path
	line, err := json.Marshal(r)
	if err != nil {
		complain(stderr, err)
		return exitFailed
	}
	fmt.Fprintln(stdout, string(line))
	return exitOK
}

// installBrowser stands where hosts call an installer. Pillion uses the system's
// Chromium and downloads none.
func installBrowser(stdout, stderr io.Writer) int {
	ctx, cancel := context.WithTimeout(context.Background(), doctorTimeout)
	defer cancel()
	binary, err := chrome.Find(ctx, chrome.Want{Mode: proto.Headless})
	if err != nil {
		complain(stderr, err)
		return exitFailed
	}
	fmt.Fprintln(stdout, "Chromium is installed:", binary.Path)
	return exitOK
}
