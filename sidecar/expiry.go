package main

import "time"

// clocks are the two that an end is held against. A wall clock can be set, in
// both directions, and runs on while the machine sleeps; a monotonic one can't
// be set, and may stand still meanwhile.
type clocks struct {
	wall      func() time.Time
	monotonic func() time.Duration // since some moment
}

func systemClocks() clocks {
	began := time.Now()
	return clocks{
		wall:      func() time.Time { return time.Now().Round(0) },
		monotonic: func() time.Duration { return time.Since(began) },
	}
}

// expiry is a moment at which a session ends, on both clocks. What comes first
// counts: a clock that is set back gives nobody more time.
type expiry struct {
	wall      float64 // epoch milliseconds
	monotonic time.Duration
}

// expiryAt takes epoch milliseconds as a config or a command has them: any
// number, past and far ones included.
func (c clocks) expiryAt(ms float64) expiry {
	return expiry{wall: ms, monotonic: c.monotonic() + c.wallLeft(ms)}
}

// left is the time until the end; it has come when that is not above zero.
func (c clocks) left(e expiry) time.Duration {
	return min(e.monotonic-c.monotonic(), c.wallLeft(e.wall))
}

// farthest keeps sums of durations from overflowing: more than a century.
const farthest = time.Duration(1 << 62)

func (c clocks) wallLeft(ms float64) time.Duration {
	const most = float64(farthest / time.Millisecond)
	left := ms - float64(c.wall().UnixMicro())/1000
	return time.Duration(min(max(left, -most), most) * float64(time.Millisecond))
}
