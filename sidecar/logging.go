package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/pillion-browser/pillion/proto"
)

// logPrefix begins every line on stderr; hosts find our lines by it.
const logPrefix = "browser-sidecar: "

// newLog writes one line a record to w.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(&prefixer{w: w}, nil))
}

// prefixer puts logPrefix before each record. A handler writes a record in one
// call. That w is broken (its reader is gone) must change nothing else, so its
// errors end here.
type prefixer struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *prefixer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := append([]byte(logPrefix), bytes.ReplaceAll(bytes.TrimRight(b, "\n"), []byte("\n"), []byte(" "))...)
	_, _ = p.w.Write(append(line, '\n'))
	return len(b), nil
}

// lostLines stands in the log for lines that nobody read in time.
func lostLines(lost int) []byte {
	return fmt.Appendf(nil, "%slost %d lines: whoever reads this log was too slow\n", logPrefix, lost)
}

// complain writes why a start failed: sentences for people, and last the line
// that a supervisor reads.
func complain(w io.Writer, err error) {
	e := asError(err)
	line := logPrefix
	if e.Code == proto.CodeConfigInvalid {
		line += "invalid configuration: "
	}
	writeLine(w, line+oneLine(e.Message))
	var le *proto.LaunchError
	if asLaunchError(err, &le) {
		for _, f := range le.Failures[1:] {
			writeLine(w, logPrefix+"invalid configuration: "+f.Message)
		}
	} else if e.Hint != "" {
		writeLine(w, logPrefix+oneLine(e.Hint))
	}
	writeLine(w, e.Line())
}

// writeLine ignores a broken stderr: there is nobody left to tell.
func writeLine(w io.Writer, line string) { _, _ = io.WriteString(w, line+"\n") }

func oneLine(s string) string {
	return string(bytes.ReplaceAll([]byte(s), []byte("\n"), []byte(" | ")))
}
