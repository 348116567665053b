package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// maxUnspooled is how many batches wait in memory before the spool is used: a
// short hiccup of the ingest costs no disk.
const maxUnspooled = 4

// spool keeps batches in files while the ingest can't take them. Its directory is
// the session's own and goes with it.
type spool struct {
	dir   string
	limit int // bytes of all files

	mu   sync.Mutex
	n    int
	used int
}

// spooled is a batch in a file, and what is counted of it.
type spooled struct {
	path   string
	size   int
	counts map[place]int
}

// place is what a lost event is counted by.
type place struct {
	class class
	tab   int
}

// shadows stand for the events of a file that can't be read any more.
func (s *spooled) shadows() (items []item) {
	for p, n := range s.counts {
		for range n {
			items = append(items, item{class: p.class, tab: p.tab})
		}
	}
	return items
}

// openSpool makes the directory, which must not exist. limit is in bytes.
func openSpool(dir string, limit int) (*spool, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	return &spool{dir: dir, limit: limit}, nil
}

// store writes a batch to a file; nil where it does not fit or can't be written.
func (s *spool) store(b batch) *spooled {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	k := &spooled{counts: map[place]int{}}
	var head [10]byte
	for _, it := range b {
		k.counts[place{it.class, it.tab}]++
		head[0] = byte(it.class)
		binary.LittleEndian.PutUint32(head[1:], uint32(it.tab))
		binary.LittleEndian.PutUint32(head[5:], uint32(len(it.json)))
		_, _ = z.Write(head[:9])
		_, _ = z.Write(it.json)
	}
	_ = z.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.size = buf.Len(); s.used+k.size > s.limit {
		return nil
	}
	s.n++
	k.path = filepath.Join(s.dir, fmt.Sprintf("%08d", s.n))
	f, err := os.OpenFile(k.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	_, err = f.Write(buf.Bytes())
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(k.path) // the disk is full; what is left of the file goes with the session
		return nil
	}
	s.used += k.size
	return k
}

// load reads a batch back and removes its file.
func (s *spool) load(k *spooled) (batch, error) {
	defer s.forget(k)
	f, err := os.Open(k.path)
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	var b batch
	for {
		var head [9]byte
		if _, err := io.ReadFull(z, head[:]); err == io.EOF {
			return b, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the spool: %w", err)
		}
		it := item{class: class(head[0]), tab: int(binary.LittleEndian.Uint32(head[1:]))}
		it.json = make([]byte, binary.LittleEndian.Uint32(head[5:]))
		if _, err := io.ReadFull(z, it.json); err != nil {
			return nil, fmt.Errorf("read the spool: %w", err)
		}
		b = append(b, it)
	}
}

func (s *spool) forget(k *spooled) {
	_ = os.Remove(k.path)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= k.size
}
