package deliver

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// maxUnspooled is how many batches wait in memory before the spool is used: a
// short hiccup of the ingest costs no disk.
const maxUnspooled = 4

// spool keeps batches on disk while the ingest can't take them: in one file without
// a name, which ends with the process however that ends.
type spool struct {
	limit int64 // bytes of the file

	mu   sync.Mutex
	file *os.File
	end  int64 // of what is in use; back at 0 whenever nothing is
	live int   // batches in it
}

// spooled is a batch in the spool, and what is counted of it.
type spooled struct {
	at, size int64
	counts   map[origin]int
}

// origin is what a lost event is counted by.
type origin struct {
	class Class
	tab   int
}

// shadows stand for the events of a batch that can't be read any more.
func (s *spooled) shadows() (items []Item) {
	for o, n := range s.counts {
		items = append(items, slices.Repeat([]Item{{Class: o.class, Tab: o.tab}}, n)...)
	}
	return items
}

// openSpool makes the file in a directory that nobody else writes to.
func openSpool(dir string, limit int) (*spool, error) {
	f, err := os.CreateTemp(dir, ".spool-*")
	if err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	// A system that can't take the name from an open file leaves it to the session's
	// end.
	_ = os.Remove(f.Name())
	return &spool{limit: int64(limit), file: f}, nil
}

func (s *spool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// store writes a batch; nil where it does not fit or can't be written.
func (s *spool) store(b batch) *spooled {
	packed := packItems(b)
	k := &spooled{size: int64(len(packed)), counts: map[origin]int{}}
	for _, it := range b {
		k.counts[origin{it.Class, it.Tab}]++
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end+k.size > s.limit {
		return nil
	}
	if _, err := s.file.WriteAt(packed, s.end); err != nil {
		return nil // the disk is full, most likely
	}
	k.at = s.end
	s.end += k.size
	s.live++
	return k
}

// load reads a batch back and lets its place go.
func (s *spool) load(k *spooled) (batch, error) {
	defer s.forget(k)
	packed := make([]byte, k.size)
	if _, err := s.file.ReadAt(packed, k.at); err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	return unpackItems(packed)
}

func (s *spool) forget(*spooled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live--; s.live == 0 {
		s.end = 0
		_ = s.file.Truncate(0) // it is written over in any case
	}
}

const (
	itemHead = 1 + 4 + 4 // an item's class, tab and length
	maxItem  = 1 << 30   // bytes; above every limit of a batch that makes sense
)

// errTornSpool says that the file is not what was written.
var errTornSpool = errors.New("the spool is torn")

// packItems writes a batch with what its lost events would be counted by.
func packItems(b batch) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	var head [itemHead]byte
	for _, it := range b {
		head[0] = byte(it.Class)
		binary.LittleEndian.PutUint32(head[1:], uint32(it.Tab))
		binary.LittleEndian.PutUint32(head[5:], uint32(len(it.JSON)))
		_, _ = z.Write(head[:]) // a buffer takes everything
		_, _ = z.Write(it.JSON)
	}
	_ = z.Close()
	return buf.Bytes()
}

func unpackItems(packed []byte) (b batch, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	for {
		var head [itemHead]byte
		if _, err := io.ReadFull(z, head[:]); errors.Is(err, io.EOF) {
			return b, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the spool: %w", err)
		}
		it := Item{Class: Class(head[0]), Tab: int(binary.LittleEndian.Uint32(head[1:]))}
		size := int64(binary.LittleEndian.Uint32(head[5:]))
		var json bytes.Buffer // grows with what is there, whatever the head says
		if n, err := io.CopyN(&json, z, min(size, maxItem)); n != size || err != nil {
			return nil, errTornSpool
		}
		it.JSON = json.Bytes()
		b = append(b, it)
	}
}
