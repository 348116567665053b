package chrome

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
)

// maxMessage bounds a message of the browser's. The largest that anybody needs is
// a picture of a long page, of some ten megabytes; a page can make others as large
// as it likes, by what it logs, throws or returns, and each costs several times its
// size to read.
const maxMessage = 64 << 20

// sieve passes on the browser's messages whole, each with the zero byte that ends
// it. One over the limit is not kept: an answer becomes an error of its call, an
// event is lost.
type sieve struct {
	from  io.ReadCloser
	in    *bufio.Reader
	log   *slog.Logger
	limit int

	message []byte // what is passed on
	rest    []byte // of it, what is still to be read
}

func newSieve(from io.ReadCloser, log *slog.Logger) *sieve {
	return &sieve{from: from, in: bufio.NewReaderSize(from, sieveBuffer), log: log, limit: maxMessage}
}

const (
	sieveBuffer = 64 << 10
	// keptBuffer is how large the buffer of a message may stay after it.
	keptBuffer = 1 << 20
)

func (s *sieve) Close() error { return s.from.Close() }

func (s *sieve) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		if err := s.next(); err != nil && len(s.rest) == 0 {
			return 0, err
		}
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// next reads one message, or what there is of it before an error.
func (s *sieve) next() error {
	if cap(s.message) > keptBuffer {
		s.message = nil
	}
	s.message = s.message[:0]
	size := 0
	for {
		part, err := s.in.ReadSlice(0)
		if size += len(part); size <= s.limit {
			s.message = append(s.message, part...)
		} else if len(s.message) > sieveBuffer {
			s.message = bytes.Clone(s.message[:sieveBuffer]) // its head is enough
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case size > s.limit && err == nil:
			s.message = tooLarge(s.message, size)
			if s.log != nil {
				s.log.Warn("dropped a message of the browser's that is too large", "bytes", size, "answer", len(s.message) > 0)
			}
		}
		s.rest = s.message
		return err
	}
}

// answers begins the browser's answers, which start with the call's number.
var answers = regexp.MustCompile(`^\{"id":(\d{1,18}),`)

// tooLarge is what stands for a message of which only the head is known.
func tooLarge(head []byte, size int) []byte {
	m := answers.FindSubmatch(head)
	if m == nil {
		return nil
	}
	return fmt.Appendf(nil, `{"id":%s,"error":{"code":-32000,"message":"the browser's answer is %d bytes, over the limit of %d"}}`+"\x00", m[1], size, maxMessage)
}
