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
	owed  map[*viewer]struct{} // who is waited for and has not got it yet
	any   bool                 // the first of them is enough
	first time.Time            // when the first viewer got it
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
