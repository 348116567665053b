package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// fakeClocks are two clocks that a test moves apart.
type fakeClocks struct {
	wall      time.Time
	monotonic time.Duration
}

func (f *fakeClocks) clocks() clocks {
	return clocks{wall: func() time.Time { return f.wall }, monotonic: func() time.Duration { return f.monotonic }}
}

// TestExpiry moves each clock alone: whichever is further ends the session.
func TestExpiry(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		name            string
		in              time.Duration // the end, from the start on
		wall, monotonic time.Duration // how far the clocks went
		left            time.Duration
	}{
		{"nothing passed", hour, 0, 0, hour},
		{"both went", hour, 20 * time.Minute, 20 * time.Minute, 40 * time.Minute},
		{"reached", hour, hour, hour, 0},
		{"in the past from the start on", -hour, 0, 0, -hour},
		{"the machine slept", hour, 2 * hour, time.Minute, -hour},
		{"the wall clock was set forward", hour, 24 * hour, time.Minute, -23 * hour},
		{"the wall clock was set back", hour, -24 * hour, 50 * time.Minute, 10 * time.Minute},
		{"it was set back and the time is over", hour, -24 * hour, hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeClocks{time.UnixMilli(1_800_000_000_000), 7 * time.Second}
			e := f.clocks().expiryAt(float64(f.wall.Add(c.in).UnixMilli()))
			f.wall, f.monotonic = f.wall.Add(c.wall), f.monotonic+c.monotonic
			if got := f.clocks().left(e); got != c.left {
				t.Errorf("%v left, want %v", got, c.left)
			}
		})
	}
}

// TestExpiryTakesAnyNumber has ends that no clock reaches, and one between two
// milliseconds.
func TestExpiryTakesAnyNumber(t *testing.T) {
	f := &fakeClocks{wall: time.UnixMilli(1_800_000_000_000)}
	const century = 100 * 365 * 24 * time.Hour
	for _, ms := range []float64{math.MaxFloat64, 1e300, 1 << 62, 1 << 53} {
		if left := f.clocks().left(f.clocks().expiryAt(ms)); left < century {
			t.Errorf("%v: %v left", ms, left)
		}
		if left := f.clocks().left(f.clocks().expiryAt(-ms)); left > -century {
			t.Errorf("%v: %v left", -ms, left)
		}
	}
	if left := f.clocks().left(f.clocks().expiryAt(1_800_000_000_000.5)); left != 500*time.Microsecond {
		t.Errorf("%v left of half a millisecond", left)
	}
}

// TestControlKeepsTime brings ends nearer and moves them away, on a clock that
// runs as fast as the test.
func TestControlKeepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := func(d time.Duration) float64 { return float64(time.Now().Add(d).UnixMilli()) }
		first := in(time.Hour)
		reasons := make(chan string, 1)
		c := newControl(nil, &first, nil, reasons, nil)
		time.Sleep(2 * time.Hour) // a start that takes so long is still begun
		c.setEnd(in(30 * 24 * time.Hour))
		c.keepTime()
		defer c.close()

		time.Sleep(29 * 24 * time.Hour)
		synctest.Wait()
		if len(reasons) > 0 {
			t.Fatal("stopped a day too early")
		}
		c.setEnd(in(48 * time.Hour))
		c.setEnd(in(time.Minute))
		begin := time.Now()
		if reason := <-reasons; reason != proto.ReasonExpired || time.Since(begin) != time.Minute {
			t.Errorf("%s after %v, want a minute", reason, time.Since(begin))
		}
	})
}

// TestWatchdogEndsAStopThatHangs holds a stop up for ever: when the budget is
// used up, the last event and the process's end come all the same.
func TestWatchdogEndsAStopThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		s := newSession(proto.Launch{Lifeline: true, Token: proto.NewSecret(strings.Repeat("x", 40))}, &stdout, &stderr)
		if err := s.out.ready(proto.Ready{Port: 1, Version: "1", PID: 1}); err != nil {
			t.Fatal(err)
		}
		release, exited := make(chan struct{}), make(chan int)
		s.exit = func(code int) { exited <- code }
		begin := time.Now()
		go s.finish(&signals{}, ending{reason: proto.ReasonExpired, code: 3}, func() { <-release })
		if code := <-exited; code != 3 || time.Since(begin) != stopBudget {
			t.Errorf("exit code %d after %v, want %v", code, time.Since(begin), stopBudget)
		}
		if out := stdout.String(); !strings.Contains(out, `"type":"stopped"`) || !strings.Contains(out, `"forced":true`) {
			t.Errorf("stdout: %s", out)
		}
		if log := stderr.String(); !strings.Contains(log, "the stop ran out of its time") {
			t.Errorf("stderr: %s", log)
		}
		close(release)
		synctest.Wait()
	})
}
