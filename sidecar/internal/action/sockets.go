package action

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// replyBound is how long the answer to a message over a WebSocket is waited for:
// pages that are rendered by their server work that way, and answer at once.
const replyBound = 300 * time.Millisecond

// sockets counts the messages of a page's WebSockets during an action.
type sockets struct {
	mu      sync.Mutex
	asked   map[network.RequestID]bool // sent something and heard nothing since
	answers int
	changed chan struct{} // takes one token per answer, none when it has one
	off     []func()
}

func listenSockets(session *cdp.Session) *sockets {
	k := &sockets{asked: map[network.RequestID]bool{}, changed: make(chan struct{}, 1)}
	k.off = []func(){
		cdp.On(session, network.WebSocketFrameSent, func(ev network.EventWebSocketFrameSent) { k.sent(ev.RequestID) }),
		cdp.On(session, network.WebSocketFrameReceived, func(ev network.EventWebSocketFrameReceived) { k.heard(ev.RequestID) }),
		cdp.On(session, network.WebSocketClosed, func(ev network.EventWebSocketClosed) { k.heard(ev.RequestID) }),
	}
	return k
}

func (k *sockets) stop() {
	for _, off := range k.off {
		off()
	}
}

func (k *sockets) sent(id network.RequestID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked[id] = true
}

func (k *sockets) heard(id network.RequestID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.asked[id] {
		return // pushed by the server, or news beside the answer
	}
	delete(k.asked, id)
	k.answers++
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

func (k *sockets) open() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.asked) > 0
}

// received is the number of answers so far.
func (k *sockets) received() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.answers
}

// awaitReply waits until everything that the page said over a WebSocket since
// the action has got an answer, or for a moment after the action.
func (s *scene) awaitReply() error {
	timer := time.NewTimer(max(time.Until(s.began.Add(replyBound)), 0))
	defer timer.Stop()
	for s.sockets.open() {
		select {
		case <-s.sockets.changed:
		case <-timer.C:
			return nil
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
	return nil
}
