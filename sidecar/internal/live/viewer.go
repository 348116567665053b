package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

const (
	// maxMessage is the largest message of a viewer.
	maxMessage = 64 << 10
	// ticketLimit is how long a socket gets to show its ticket.
	ticketLimit = 5 * time.Second
)

// viewer is one socket, from its handshake to its end. Its reader is the
// goroutine of its request; it has another one that writes.
type viewer struct {
	hub  *Hub
	conn *websocket.Conn
	out  *outbox

	// Set before it joins, and then only read.
	key    takeover.Key
	person takeover.Person
	wants  wants

	opened time.Time

	// The reader's.
	pace      bucket
	files     []File // that came for the file chooser
	fileBytes int
	pinged    atomic.Int64 // when the last ping was sent, in nanoseconds; 0 = answered
	delay     atomic.Int64 // what the last one took, in nanoseconds
}

// serve is the viewer's whole life. It returns when the socket is closed and
// nothing of the viewer runs any more.
func (v *viewer) serve() {
	v.conn.SetReadLimit(maxMessage)
	features, bye := v.authenticate()
	if bye != nil {
		v.hub.forget(v)
		dismiss(v.conn, bye.code, bye.reason)
		return
	}
	if !v.hub.join(v, features) {
		dismiss(v.conn, proto.CloseTooManyViewers, proto.CloseReasonTooManyViewers)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var writer sync.WaitGroup
	writer.Go(func() {
		defer cancel()
		if err := v.write(ctx.Done()); errors.Is(err, errFarewell) {
			// The reader waits for the answer, and no longer.
			cancel()
			_ = v.conn.SetReadDeadline(time.Now().Add(closeLimit))
			return
		}
		_ = v.conn.NetConn().Close() // the reader notices
	})
	v.read(ctx)
	cancel()
	v.hub.leave(v)
	_ = v.conn.NetConn().SetWriteDeadline(time.Now().Add(closeLimit)) // it may hang in a write
	writer.Wait()
	linger(v.conn.NetConn())
}

// authenticate reads the first message, which decides.
func (v *viewer) authenticate() (features []string, bye *farewell) {
	_ = v.conn.SetReadDeadline(time.Now().Add(ticketLimit)) // never fails
	if v.hub.isClosed() {
		v.hurry() // it may have been told before
	}
	kind, data, err := v.conn.ReadMessage()
	var late net.Error
	switch {
	case err != nil && v.hub.isClosed():
		return nil, &farewell{proto.CloseStopping, proto.CloseReasonStopping}
	case errors.As(err, &late) && late.Timeout():
		return nil, &farewell{proto.CloseNoTicket, proto.CloseReasonNoTicket}
	case errors.Is(err, websocket.ErrReadLimit):
		return nil, &farewell{proto.CloseTooBig, ""}
	case err != nil:
		return nil, &farewell{websocket.CloseNormalClosure, ""}
	}
	typ, f := readMessage(kind, data)
	ticket, ok := f.text("ticket")
	if typ != "auth" || !ok {
		return nil, &farewell{proto.CloseRefused, proto.CloseReasonNoTicketFirst}
	}
	claims, refusal := v.hub.verify(ticket)
	if refusal != proto.TicketAccepted {
		return nil, &farewell{proto.CloseRefused, string(refusal)}
	}
	v.person = takeover.Person{ID: claims.Subject, Name: claims.Name}
	v.wants, features = readWants(f)
	return features, nil
}

// hurry ends the time for the ticket.
func (v *viewer) hurry() { _ = v.conn.SetReadDeadline(time.Unix(1, 0)) } // never fails

// readMessage gives a message's type and fields; "" for whatever is none.
func readMessage(kind int, data []byte) (string, fields) {
	var f fields
	if kind != websocket.TextMessage || json.Unmarshal(data, &f) != nil {
		return "", nil
	}
	typ, _ := f.text("type")
	return typ, f
}

// read handles the viewer's messages until the socket ends.
func (v *viewer) read(ctx context.Context) {
	alive := func() {
		_ = v.conn.SetReadDeadline(time.Now().Add(silenceLimit)) // never fails
		if ctx.Err() != nil {
			_ = v.conn.SetReadDeadline(time.Now().Add(closeLimit))
		}
	}
	alive()
	v.conn.SetPongHandler(func(string) error {
		if at := v.pinged.Swap(0); at != 0 {
			v.delay.Store(max(time.Now().UnixNano()-at, 1))
			v.hub.paced()
		}
		alive()
		return nil
	})
	answer := v.conn.PingHandler()
	v.conn.SetPingHandler(func(data string) error {
		v.pace.take(ctx)
		return answer(data)
	})
	for {
		kind, r, err := v.conn.NextReader()
		if err != nil {
			return
		}
		data, err := io.ReadAll(r)
		if err != nil || ctx.Err() != nil {
			return
		}
		alive()
		v.pace.take(ctx)
		if typ, f := readMessage(kind, data); typ != "" {
			v.hub.handle(ctx, v, typ, f)
		}
	}
}

// send queues a message. A viewer that reads none of them is cut off.
func (v *viewer) send(message []byte, err error) {
	if err == nil && !v.out.send(message) {
		v.hub.log.Warn("a viewer does not read, and was disconnected")
		_ = v.conn.NetConn().Close() // reader and writer notice
	}
}
