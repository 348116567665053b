package main

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// sink takes what a test lets it take.
type sink struct {
	gate  chan struct{} // each write waits for one; closed: none waits
	err   error
	lines []string
}

func (s *sink) Write(b []byte) (int, error) {
	<-s.gate
	if s.err != nil {
		return 0, s.err
	}
	s.lines = append(s.lines, string(b))
	return len(b), nil
}

func open() chan struct{} {
	gate := make(chan struct{})
	close(gate)
	return gate
}

func TestPumpKeepsOrder(t *testing.T) {
	to := &sink{gate: open()}
	p := newPump(to, nil)
	var want strings.Builder
	buf := make([]byte, 0, 16)
	for i := range 100 {
		buf = append(strconv.AppendInt(buf[:0], int64(i), 10), '\n') // the caller's to reuse
		want.Write(buf)
		if n, err := p.Write(buf); n != len(buf) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	p.close()
	p.Write([]byte("after the end\n"))
	p.close()
	if got := strings.Join(to.lines, ""); got != want.String() {
		t.Errorf("%q", got)
	}
}

// TestPumpNeverBlocks has a reader that sleeps, comes back, and sleeps again.
func TestPumpNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &sink{gate: make(chan struct{})}
		p := newPump(to, lostLines)
		const lost = 10
		for range 1 + queuedLines + lost { // one is on its way
			p.Write([]byte("x\n"))
			synctest.Wait()
		}
		for range queuedLines {
			to.gate <- struct{}{}
		}
		synctest.Wait()
		p.Write([]byte("y\n"))
		to.gate <- struct{}{}
		to.gate <- struct{}{}
		synctest.Wait()
		if last := to.lines[len(to.lines)-1]; len(to.lines) != queuedLines+2 || last != "browser-sidecar: lost 10 lines: whoever reads this log was too slow\ny\n" {
			t.Errorf("%d lines, the last %q", len(to.lines), last)
		}
		p.Write([]byte("z\n"))
		begin := time.Now()
		p.close()
		if time.Since(begin) != flushTime {
			t.Errorf("closing took %v", time.Since(begin))
		}
		close(to.gate) // the writer ends with its process, here with the test
	})
}

func TestPumpOutlivesItsReader(t *testing.T) {
	to := &sink{gate: open(), err: io.ErrClosedPipe}
	p := newPump(to, nil)
	for range 3 {
		if _, err := p.Write([]byte("x\n")); err != nil {
			t.Error(err)
		}
	}
	begin := time.Now()
	p.close()
	if time.Since(begin) >= flushTime || len(to.lines) > 0 {
		t.Errorf("closing took %v, lines %q", time.Since(begin), to.lines)
	}
}

// TestOutputOrder has events before the ready line, and sessions that must not
// print any.
func TestOutputOrder(t *testing.T) {
	for _, c := range []struct {
		name            string
		lifeline, ready bool
		want            string
	}{
		{"lifeline", true, true, "ready pong crashed stopped"},
		{"no lifeline", false, true, "ready"},
		{"no start", true, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := &sink{gate: open()}
			o := newOutput(to, c.lifeline)
			o.event(proto.EventPong, "", nil)
			if c.ready {
				if err := o.ready(proto.Ready{Port: 1, Version: "1", PID: 1}); err != nil {
					t.Fatal(err)
				}
			}
			o.event(proto.EventCrashed, "", map[string]any{"what": "browser"})
			o.event(proto.EventStopped, proto.ReasonCommand, nil)
			o.close()
			var kinds []string
			for _, line := range to.lines {
				if e, err := proto.DecodeEvent([]byte(line)); err == nil {
					kinds = append(kinds, e.Type)
				} else if _, err := proto.DecodeReady([]byte(line)); err == nil {
					kinds = append(kinds, "ready")
				}
			}
			if got := strings.Join(kinds, " "); got != c.want || len(to.lines) != len(kinds) {
				t.Errorf("%q, want %q: %q", got, c.want, to.lines)
			}
		})
	}
}

// TestComplainTellsEverything checks the lines that people and supervisors read.
func TestComplainTellsEverything(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("two\nlines"), "browser-sidecar: two | lines\npillion-error: {\"code\":\"internal\",\"message\":\"two\\nlines\"}\n"},
		{&proto.Error{Code: proto.CodeBrowserMissing, Message: "no Chromium", Hint: "Install it"},
			"browser-sidecar: no Chromium\nbrowser-sidecar: Install it\npillion-error: {\"code\":\"browser_missing\",\"message\":\"no Chromium\",\"hint\":\"Install it\"}\n"},
		{&proto.LaunchError{Failures: []proto.Failure{{Key: "mode", Message: "mode must be x"}, {Key: "port", Message: "port must be y"}}},
			"browser-sidecar: invalid configuration: mode must be x\nbrowser-sidecar: invalid configuration: port must be y\n" +
				"pillion-error: {\"code\":\"config_invalid\",\"message\":\"mode must be x\",\"hint\":\"There is 1 more failure in the config\"}\n"},
	} {
		var b strings.Builder
		complain(&b, c.err)
		if b.String() != c.want {
			t.Errorf("%q\nwant\n%q", b.String(), c.want)
		}
	}
}
