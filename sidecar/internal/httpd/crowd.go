package httpd

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// maxCrowd bounds the connections on which nobody has shown the token. It is far
// above what agents have on their way at a time, and far below the descriptors of
// a process.
const maxCrowd = 256

// crowd is the connections on which nobody has shown the token yet. The oldest
// one is closed for one that is too many: whoever belongs here sends a request at
// once, and whoever only holds a place has held it longest.
type crowd struct {
	max int

	mu      sync.Mutex
	waiting *list.List // of net.Conn, oldest first
	place   map[net.Conn]*list.Element
}

func newCrowd(limit int) *crowd {
	return &crowd{max: limit, waiting: list.New(), place: map[net.Conn]*list.Element{}}
}

// follow is the server's hook for what happens to connections.
func (c *crowd) follow(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		c.enter(conn)
	case http.StateClosed, http.StateHijacked:
		c.leave(conn)
	}
}

func (c *crowd) enter(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.place[conn] = c.waiting.PushBack(conn)
	if c.waiting.Len() > c.max {
		// Its goroutine finds it closed, and tells so here.
		_ = c.waiting.Front().Value.(net.Conn).Close()
		delete(c.place, c.waiting.Remove(c.waiting.Front()).(net.Conn))
	}
}

func (c *crowd) leave(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.place[conn]; e != nil {
		c.waiting.Remove(e)
		delete(c.place, conn)
	}
}

type connKey struct{}

// remember puts a connection into the context of its requests.
func remember(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// known takes a request's connection out of the crowd.
func (c *crowd) known(r *http.Request) {
	if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		c.leave(conn)
	}
}
