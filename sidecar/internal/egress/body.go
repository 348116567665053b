package egress

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

var errBodyDone = errors.New("request body is no longer read")

// body is a request's body on a client's connection. While the exchange lasts
// nobody else reads that connection; once the body is through, body itself reads
// on, to notice a client that leaves.
//
// Its reader is the transport, in a goroutine of the transport's. finish takes
// the connection back.
type body struct {
	c    *client
	gone func() // called when the client leaves while it waits

	stopping atomic.Bool
	mu       sync.Mutex // held while reading
	left     int64
	watch    chan struct{} // closed when the watcher has ended; nil = not started
	err      error         // why the body or the watcher ended, if the client is the cause
}

// newBody begins an exchange. Without a body to wait for, it watches at once.
func newBody(c *client, length int64, gone func()) *body {
	b := &body{c: c, left: length, gone: gone}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchIfThrough()
	return b
}

func (b *body) Read(buf []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return 0, io.EOF
	}
	// The order matters: finish sets the flag before its own deadline, so that one
	// of the two ends this read.
	_ = b.c.conn.SetReadDeadline(time.Now().Add(b.c.p.limits.Silence))
	if b.stopping.Load() {
		return 0, errBodyDone
	}
	n, err := b.c.br.Read(buf[:min(int64(len(buf)), b.left)])
	b.left -= int64(n)
	if err != nil {
		b.err = err
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return n, err
	}
	b.watchIfThrough()
	return n, nil
}

// Close is the transport's; the connection is not its to close.
func (b *body) Close() error { return nil }

// watchIfThrough waits for the client to leave, or to send its next request,
// once the body has been read. Called with the lock held.
func (b *body) watchIfThrough() {
	if b.left > 0 || b.watch != nil {
		return
	}
	b.watch = make(chan struct{})
	_ = b.c.conn.SetReadDeadline(time.Time{})
	if b.stopping.Load() {
		close(b.watch)
		return
	}
	go func() { // finish waits for it
		defer close(b.watch)
		_, err := b.c.br.Peek(1)
		if err != nil && !b.stopping.Load() {
			b.err = err
			b.gone()
		}
	}()
}

// finish takes the connection back from the transport and says whether another
// request can follow: the body was read, and the client is still there.
func (b *body) finish() bool {
	b.stopping.Store(true)
	_ = b.c.conn.SetReadDeadline(time.Unix(1, 0))
	b.mu.Lock()
	watch := b.watch
	b.mu.Unlock()
	if watch != nil {
		<-watch
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.c.conn.SetReadDeadline(time.Time{})
	return b.left == 0 && b.err == nil
}
