package live

import (
	"sync"
	"time"
)

const (
	// ackLimit is how long a picture may keep Chromium from going on where no
	// viewer has got it yet.
	ackLimit = 250 * time.Millisecond
	// keepUp is how much later than the quickest viewer another one may have a
	// picture and still be waited for. With the ordinary number of frames in
	// flight that costs the quickest none of 60 pictures a second.
	keepUp = 50 * time.Millisecond
	// A viewer that fell behind is waited for again when it has kept up for the
	// probation; each time that it has failed doubles it, so that lines that come
	// and go cost the others less and less. Whoever has kept up for pardon is new.
	probation    = 2 * time.Second
	maxProbation = time.Minute
	pardon       = 2 * maxProbation
)

// pacer lets whoever draws go on when the slowest viewer that keeps up has got the
// picture, or the quickest where none keeps up.
type pacer struct {
	mu   sync.Mutex
	lags map[*viewer]*lag
	open []*shot // not done, oldest first
}

// lag is the past of a viewer that fell behind.
type lag struct {
	behind    bool
	quick     time.Time // since when it keeps up again; zero = it does not
	probation time.Duration
}

// offer counts a picture in, for the viewers that got it into their mailboxes.
func (p *pacer) offer(s *shot, to []*viewer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.owed = make(map[*viewer]struct{}, len(to))
	for _, v := range to {
		if !p.late(v) {
			s.owed[v] = struct{}{}
		}
	}
	if len(s.owed) == 0 {
		s.any = true
		for _, v := range to {
			s.owed[v] = struct{}{}
		}
	}
	if len(s.owed) == 0 {
		p.finish(s)
		return
	}
	p.open = append(p.open, s)
	s.timer = time.AfterFunc(ackLimit, func() { p.giveUp(s) })
}

// late says whether a viewer is behind. Called with the lock held.
func (p *pacer) late(v *viewer) bool { return p.lags[v] != nil && p.lags[v].behind }

// giveUp ends the wait for those who have not got s.
func (p *pacer) giveUp(s *shot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v := range s.owed {
		p.fall(v)
	}
	clear(s.owed) // also of those who were behind before
	p.sweep()
}

// fall sets a viewer behind: no picture waits for it as for one that keeps up.
func (p *pacer) fall(v *viewer) {
	if p.late(v) {
		return
	}
	old := p.lags[v]
	if old == nil || time.Since(old.quick) > pardon {
		old = &lag{probation: probation / 2}
	}
	if p.lags == nil {
		p.lags = map[*viewer]*lag{}
	}
	p.lags[v] = &lag{behind: true, probation: min(2*old.probation, maxProbation)}
	for _, s := range p.open {
		if !s.any {
			delete(s.owed, v)
		}
	}
}

// got says that v has s, and so does not want any earlier picture.
func (p *pacer) got(v *viewer, s *shot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for _, o := range p.open {
		if o.seq > s.seq {
			continue
		}
		delete(o.owed, v)
		if o.first.IsZero() {
			o.first = now
			o.timer.Reset(keepUp) // if it has fired it does nothing a second time
		}
		if o.any {
			clear(o.owed)
		}
	}
	if s.first.IsZero() {
		s.first = now
	}
	p.judge(v, now.Sub(s.first) <= keepUp, now)
	p.sweep()
}

// judge counts a picture that a viewer got in time, or not, towards its probation.
func (p *pacer) judge(v *viewer, quick bool, now time.Time) {
	l := p.lags[v]
	switch {
	case l == nil || !l.behind:
	case !quick:
		l.quick = time.Time{}
	case l.quick.IsZero():
		l.quick = now
	case now.Sub(l.quick) >= l.probation:
		l.behind, l.quick = false, now
	}
}

// left forgets a viewer.
func (p *pacer) left(v *viewer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.lags, v)
	for _, s := range p.open {
		delete(s.owed, v)
	}
	p.sweep()
}

// sweep finishes what nobody is owed any more. Called with the lock held.
func (p *pacer) sweep() {
	kept := p.open[:0]
	for _, s := range p.open {
		if len(s.owed) == 0 {
			p.finish(s)
		} else {
			kept = append(kept, s)
		}
	}
	clear(p.open[len(kept):])
	p.open = kept
}

func (p *pacer) finish(s *shot) {
	if s.timer != nil {
		s.timer.Stop()
	}
	if !s.done && s.Done != nil {
		s.Done()
	}
	s.done = true
}

// isBehind says whether a viewer does not keep up.
func (p *pacer) isBehind(v *viewer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late(v)
}
