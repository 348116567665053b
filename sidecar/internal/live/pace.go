package live

import (
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// paces are the steps between a picture that is sharp and one that is soon there.
// More frames in flight make a machine that has time draw more of them.
func paces() []browser.Pace {
	return []browser.Pace{
		{Quality: 60, InFlight: 4}, // of somebody near
		browser.DefaultPace(),
		{Quality: 40, InFlight: 2},
		{Quality: 25, InFlight: 1},
	}
}

const (
	ordinaryPace = 1
	// slowDelay makes the pictures cheaper: a person notices a quarter of a second
	// between hand and eye. quickDelay makes them better again.
	slowDelay  = 250 * time.Millisecond
	quickDelay = 60 * time.Millisecond
	// paceEvery keeps one bad moment from counting twice.
	paceEvery = 10 * time.Second
)

// paced looks whether the delays of the viewers ask for another pace: of the slowest
// that keeps up, or of the quickest where none does. The ping queues behind the
// pictures, so its delay is that of a picture.
func (h *Hub) paced() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if now.Sub(h.paceAt) < paceEvery {
		return
	}
	var worst, best time.Duration
	for _, v := range h.viewers {
		delay := time.Duration(v.delay.Load())
		if !h.pacer.isBehind(v) {
			worst = max(worst, delay)
		}
		if delay > 0 && (best == 0 || delay < best) {
			best = delay
		}
	}
	worst = max(worst, best)
	steps := paces()
	next := h.pace
	switch {
	case worst > slowDelay:
		next = min(next+1, len(steps)-1-ordinaryPace)
	case worst < quickDelay:
		next = max(next-1, -ordinaryPace)
	}
	if next != h.pace {
		h.pace, h.paceAt = next, now
		h.opts.Screen.SetPace(steps[ordinaryPace+next])
	}
}
