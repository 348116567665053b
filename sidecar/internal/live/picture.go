package live

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Picture is one frame of what is on screen.
type Picture struct {
	JPEG          []byte
	Width, Height float64   // of the page area in CSS pixels
	OffsetTop     float64   // likewise
	Taken         time.Time // zero where unknown
	// Done is called once when whoever draws may go on; nil: nobody waits.
	Done func()
}

// shot is a picture on its way to viewers. What they have in common is made once,
// by the first who needs it.
type shot struct {
	Picture
	seq uint64

	encode sync.Once
	text   []byte

	// The pacer's.
	owed  map[*viewer]struct{} // who keeps up and has not got it yet
	done  bool
	timer *time.Timer
}

// message is the picture for viewers that read text.
func (s *shot) message() []byte {
	s.encode.Do(func() {
		s.text, _ = proto.LiveFrame{ // never fails
			Data:  base64.StdEncoding.EncodeToString(s.JPEG),
			Width: int(math.Round(s.Width)), Height: int(math.Round(s.Height)),
		}.Encode()
	})
	return s.text
}

// binaryHead is what stands before the JPEG for viewers that asked for binary
// frames: its own length in four bytes, big end first, and this as JSON.
type binaryHead struct {
	Type   string `json:"type"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Seq    uint64 `json:"seq"`
	AgeMS  int64  `json:"age_ms"` // of the picture when it is sent
}

func (s *shot) head(now time.Time) []byte {
	h := binaryHead{Type: "frame", Width: int(math.Round(s.Width)), Height: int(math.Round(s.Height)), Seq: s.seq}
	if !s.Taken.IsZero() {
		h.AgeMS = max(now.Sub(s.Taken).Milliseconds(), 0)
	}
	text, _ := json.Marshal(h) // never fails
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// ackLimit is how long a picture may keep Chromium from going on: a viewer that
// takes longer is behind, and not waited for until it has caught up.
const ackLimit = 250 * time.Millisecond

// pacer lets whoever draws go on when the viewers that keep up have got the
// picture.
type pacer struct {
	mu     sync.Mutex
	behind map[*viewer]bool
	open   []*shot // not done, oldest first
}

// offer counts a picture in, for the viewers that got it into their mailboxes.
func (p *pacer) offer(s *shot, to []*viewer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.owed = make(map[*viewer]struct{}, len(to))
	for _, v := range to {
		if !p.behind[v] {
			s.owed[v] = struct{}{}
		}
	}
	if len(s.owed) == 0 {
		p.finish(s)
		return
	}
	p.open = append(p.open, s)
	s.timer = time.AfterFunc(ackLimit, func() { p.late(s) })
}

// late gives up waiting for those who have not got s.
func (p *pacer) late(s *shot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v := range s.owed {
		p.setBehind(v)
	}
	p.sweep()
}

func (p *pacer) setBehind(v *viewer) {
	if p.behind == nil {
		p.behind = map[*viewer]bool{}
	}
	p.behind[v] = true
	for _, s := range p.open {
		delete(s.owed, v)
	}
}

// got says that v has s, and so does not want any earlier picture.
func (p *pacer) got(v *viewer, s *shot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.behind, v)
	for _, o := range p.open {
		if o.seq <= s.seq {
			delete(o.owed, v)
		}
	}
	p.sweep()
}

// left forgets a viewer.
func (p *pacer) left(v *viewer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.behind, v)
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
