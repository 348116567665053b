package live

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// maxUnread is how many bytes of small messages a viewer may leave unread.
	// They are some hundreds each.
	maxUnread = 2 << 20
	// pingEvery is how often a viewer is asked for a sign of life, and the delay
	// to it measured.
	pingEvery = 5 * time.Second
	// silenceLimit is how long a viewer may give none. With the ordinary grace of
	// 10 s the control of a laptop that went to sleep is free after 30 s.
	silenceLimit = 20 * time.Second
	// closeLimit is how long a viewer gets to answer a close frame.
	closeLimit = time.Second
	// sendBuffer is how much the system may hold for a viewer. It would grow it to
	// megabytes otherwise, which are seconds of pictures on a slow line.
	sendBuffer = 128 << 10
)

// farewell is a close frame.
type farewell struct {
	code   int
	reason string
}

// outbox is what a viewer is to be sent: messages in their order, and the newest
// picture.
type outbox struct {
	mu       sync.Mutex
	messages [][]byte
	unread   int
	picture  *shot
	bye      *farewell
	wake     chan struct{}
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// send queues a message; false when too many are unread.
func (o *outbox) send(message []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bye != nil {
		return true
	}
	o.unread += len(message)
	if o.unread > maxUnread {
		return false
	}
	o.messages = append(o.messages, message)
	o.nudge()
	return true
}

// show replaces the picture.
func (o *outbox) show(s *shot) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bye == nil {
		o.picture = s
		o.nudge()
	}
}

// unshow takes a picture back that was not sent.
func (o *outbox) unshow() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.picture = nil
}

// close ends the conversation after the messages that are queued. Only the first
// farewell counts.
func (o *outbox) close(code int, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bye == nil {
		o.bye, o.picture = &farewell{code, reason}, nil
		o.nudge()
	}
}

// next is what to write now: a message, or else a picture, or else the farewell.
func (o *outbox) next() (message []byte, picture *shot, bye *farewell) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.messages) > 0:
		message = o.messages[0]
		o.messages = o.messages[1:]
		o.unread -= len(message)
	case o.picture != nil:
		picture, o.picture = o.picture, nil
	default:
		bye = o.bye
	}
	return message, picture, bye
}

var errFarewell = errors.New("farewell sent")

// write sends what comes into the outbox until the farewell is out, the socket
// fails or over is closed.
func (v *viewer) write(over <-chan struct{}) error {
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for {
		select {
		case <-over:
			return nil
		default:
		}
		message, picture, bye := v.out.next()
		deadline := time.Now().Add(silenceLimit)
		_ = v.conn.SetWriteDeadline(deadline) // never fails
		var err error
		switch {
		case message != nil:
			err = v.conn.WriteMessage(websocket.TextMessage, message)
		case picture != nil:
			if err = v.writePicture(picture); err == nil {
				v.hub.pacer.got(v, picture)
			}
		case bye != nil:
			_ = v.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(bye.code, bye.reason), time.Now().Add(closeLimit))
			return errFarewell
		default:
			select {
			case <-v.out.wake:
			case <-ping.C:
				v.pinged.Store(time.Now().UnixNano())
				err = v.conn.WriteControl(websocket.PingMessage, nil, deadline)
			case <-over:
				return nil
			}
		}
		if err != nil {
			return err
		}
		// A busy outbox must not put pings off for ever.
		select {
		case <-ping.C:
			v.pinged.Store(time.Now().UnixNano())
			if err := v.conn.WriteControl(websocket.PingMessage, nil, deadline); err != nil {
				return err
			}
		default:
		}
	}
}

func (v *viewer) writePicture(s *shot) error {
	if !v.wants.binary {
		return v.conn.WriteMessage(websocket.TextMessage, s.message())
	}
	w, err := v.conn.NextWriter(websocket.BinaryMessage)
	if err != nil {
		return err
	}
	if _, err := w.Write(s.head(time.Now())); err != nil {
		return err
	}
	if _, err := w.Write(s.JPEG); err != nil {
		return err
	}
	return w.Close()
}

// linger reads what a peer still sends until it closes, for a moment: a socket
// that is closed with unread bytes resets, and the close frame may be lost.
func linger(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(closeLimit)) // a closed one fails below
	var waste [4 << 10]byte
	for {
		if _, err := conn.Read(waste[:]); err != nil {
			break
		}
	}
	_ = conn.Close() // there is nothing to do about it
}

// dismiss closes a socket that never became a viewer's.
func dismiss(conn *websocket.Conn, code int, reason string) {
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(closeLimit))
	linger(conn.NetConn())
}
