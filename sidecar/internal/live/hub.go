package live

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// DefaultMaxViewers is how many people may watch at once.
const DefaultMaxViewers = 8

// Screen is what viewers see and touch. Its methods do not wait, and may be called
// from anywhere.
type Screen interface {
	// Watch starts and stops the pictures.
	Watch(on bool)
	// SetPace says how they are taken.
	SetPace(browser.Pace)
	// Mouse, Key, Text and Touch pass a person's input on to the tab on screen.
	Mouse(input.DispatchMouseEventParams)
	Key(input.DispatchKeyEventParams)
	Text(string)
	Touch(down []*input.TouchPoint, modifiers int64, cancel bool)
	// Release lets go of everything that was held down.
	Release()
}

// Options configure a [Hub]. Screen and Verify are needed.
type Options struct {
	Screen Screen
	// Verify checks a ticket and uses it up.
	Verify func(ticket string) (proto.Claims, proto.TicketRefusal)
	// AgentWait, Grace, MaxHold and IdleRelease are the lease's.
	AgentWait, Grace, MaxHold, IdleRelease time.Duration
	// MaxViewers is how many may watch at once; 0 = [DefaultMaxViewers].
	MaxViewers int
	// Controls are what a person may do beyond mouse and keyboard; nil: nothing.
	Controls Controls
	// OnTakeover is told each change of who drives; nil: nobody is.
	OnTakeover func(takeover.Change)
	// OnWaiting is told how many calls of agents wait for the driver; nil: nobody is.
	OnWaiting func(takeover.Waiting)
	// OnAsk is told what agents ask of people, and how it ended; nil: nobody is.
	OnAsk func(takeover.Answer)
	// Log takes what an operator should see; nil: nothing is logged.
	Log *slog.Logger
}

// Hub is the live view. Make it with [New], end it with [Hub.Close].
type Hub struct {
	opts     Options
	log      *slog.Logger
	lease    *takeover.Lease
	desk     *takeover.Desk
	pacer    pacer
	upgrader websocket.Upgrader
	work     sync.WaitGroup  // requests, and what people do
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc

	// relay is held while input is passed on, and while what is held down is let
	// go: nothing comes after that.
	relay sync.Mutex

	mu      sync.Mutex
	closed  bool
	nextKey takeover.Key
	shots   uint64
	fresh   []*viewer // sockets without a ticket, oldest first
	viewers map[takeover.Key]*viewer
	page    *proto.PageState
	tab     any   // what the page state is of
	last    *shot // the newest picture of that tab; nil when there is none
	area    *area // what it shows
	deck    deckMessages
	ask     *askState // what an agent asks; nil when none does
	picker  *PickerState
	saved   []DownloadState // the newest files that pages saved
	acts    int             // what people do that is not finished
	revoked map[string]int64
	watched time.Duration // with at least one viewer, until since
	since   time.Time     // when somebody began to watch; zero when nobody does
	pace    int           // step of the pictures' pace
	paceAt  time.Time     // when it was last changed
}

// New makes a hub. It starts nothing.
func New(o Options) *Hub {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxViewers == 0 {
		o.MaxViewers = DefaultMaxViewers
	}
	h := &Hub{
		opts: o, log: o.Log, viewers: map[takeover.Key]*viewer{}, revoked: map[string]int64{},
		upgrader: websocket.Upgrader{
			HandshakeTimeout: ticketLimit,
			// The listener has checked it, by rules of its own.
			CheckOrigin: func(*http.Request) bool { return true },
		},
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.lease = takeover.New(takeover.Options{
		AgentWait: o.AgentWait, Grace: o.Grace, MaxHold: o.MaxHold, IdleRelease: o.IdleRelease,
		OnChange: h.controlChanged, OnWaiting: h.waitingChanged,
	})
	h.desk = takeover.NewDesk(takeover.Clock{}, h.asked)
	return h
}

// Desk is where agents ask people.
func (h *Hub) Desk() *takeover.Desk { return h.desk }

// Lease is who drives.
func (h *Hub) Lease() *takeover.Lease { return h.lease }

// ServeHTTP takes over an upgrade whose guard has passed. It returns when the
// socket is closed.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		panic(http.ErrAbortHandler) // as for a socket that nobody would see to
	}
	defer h.work.Done()
	conn, err := h.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has its answer
	}
	if tcp, ok := conn.NetConn().(interface{ SetWriteBuffer(int) error }); ok {
		_ = tcp.SetWriteBuffer(sendBuffer) // it only makes slow lines slower
	}
	v := &viewer{hub: h, conn: conn, out: newOutbox(), opened: time.Now()}
	if bye := h.greet(v); bye != nil {
		dismiss(conn, bye.code, bye.reason)
		return
	}
	v.serve()
}

func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.work.Add(1)
	return true
}

func (h *Hub) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// freshAge is how long a socket without a ticket is safe from another one that
// wants its place. A viewer's page shows its ticket at once.
const freshAge = time.Second

// greet finds a place for a socket that has shown no ticket yet. There are as many
// of those as viewers; when all are taken, one that has long shown nothing gives
// way.
func (h *Hub) greet(v *viewer) *farewell {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return &farewell{proto.CloseStopping, proto.CloseReasonStopping}
	case len(h.viewers) >= h.opts.MaxViewers:
		return &farewell{proto.CloseTooManyViewers, proto.CloseReasonTooManyViewers}
	case len(h.fresh) >= h.opts.MaxViewers:
		oldest := h.fresh[0]
		if time.Since(oldest.opened) < freshAge {
			return &farewell{proto.CloseTooManyViewers, proto.CloseReasonTooManyViewers}
		}
		h.fresh = h.fresh[1:]
		oldest.hurry()
	}
	h.fresh = append(h.fresh, v)
	return nil
}

// forget drops a socket that showed no ticket.
func (h *Hub) forget(v *viewer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unfresh(v)
}

func (h *Hub) unfresh(v *viewer) {
	for i, o := range h.fresh {
		if o == v {
			h.fresh = append(h.fresh[:i:i], h.fresh[i+1:]...)
			return
		}
	}
}

// verify checks a ticket. One that was given out before its person's permission
// was withdrawn is as good as expired.
func (h *Hub) verify(ticket string) (proto.Claims, proto.TicketRefusal) {
	claims, refusal := h.opts.Verify(ticket)
	if refusal != proto.TicketAccepted {
		return claims, refusal
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if claims.Subject != nil {
		if at, ok := h.revoked[*claims.Subject]; ok && claims.IssuedAt <= at {
			return proto.Claims{}, proto.TicketExpired
		}
	}
	return claims, proto.TicketAccepted
}

// join makes a viewer of a socket and tells it how things stand; false when there
// is no place.
func (h *Hub) join(v *viewer, features []string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unfresh(v)
	if h.closed {
		v.out.close(proto.CloseStopping, proto.CloseReasonStopping)
		return true
	}
	if len(h.viewers) >= h.opts.MaxViewers {
		return false
	}
	h.nextKey++
	v.key = h.nextKey
	holder, held := h.lease.Holder()
	v.send(proto.LiveReady{Control: controlState(v, holder, held), Agent: agentState(h.lease.Waiting()), Page: h.page}.Encode())
	if len(features) > 0 {
		v.send(featuresMessage(features))
		v.deal(deckMessages{}, h.deck)
	}
	if h.ask != nil {
		v.showAsk(h.ask)
	}
	if h.picker != nil {
		v.showPicker(h.picker)
	}
	if v.wants.downloads {
		for _, d := range h.saved {
			v.send(downloadMessage(d))
		}
	}
	if len(h.viewers) == 0 {
		h.since = time.Now()
	}
	h.viewers[v.key] = v
	if h.last != nil {
		v.out.show(h.last)
	}
	h.opts.Screen.Watch(true)
	return true
}

// leave forgets a viewer whose socket has ended.
func (h *Hub) leave(v *viewer) {
	h.mu.Lock()
	if h.viewers[v.key] == v {
		delete(h.viewers, v.key)
		if len(h.viewers) == 0 {
			h.opts.Screen.Watch(false)
			h.watched += time.Since(h.since)
			h.since = time.Time{}
		}
	}
	h.mu.Unlock()
	h.pacer.left(v)
	if h.lease.Holds(v.key) {
		h.letGo()
	}
	h.lease.Drop(v.key)
}

// letGo lets go of what the person held down. Input that is on its way comes
// before it.
func (h *Hub) letGo() {
	h.relay.Lock()
	defer h.relay.Unlock()
	h.opts.Screen.Release()
}

// Viewers is how many watch at this moment.
func (h *Hub) Viewers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.viewers)
}

// Watched is how long somebody has watched in all.
func (h *Hub) Watched() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return h.watched
	}
	return h.watched + time.Since(h.since)
}

// Revoke takes control from a person, closes their viewers and refuses the tickets
// that they still have. It gives the number of viewers.
func (h *Hub) Revoke(user string) int {
	now := time.Now().Unix()
	h.mu.Lock()
	for old, at := range h.revoked {
		if now-at > longestTicket {
			delete(h.revoked, old)
		}
	}
	h.revoked[user] = now
	var theirs []*viewer
	for _, v := range h.viewers {
		if v.person.ID != nil && *v.person.ID == user {
			theirs = append(theirs, v)
		}
	}
	h.mu.Unlock()
	h.lease.Revoke(user)
	for _, v := range theirs {
		v.out.close(proto.CloseRefused, closeReasonRevoked)
		// One that does not read must not see more for it.
		time.AfterFunc(closeLimit, func() { _ = v.conn.NetConn().Close() })
	}
	return len(theirs)
}

// longestTicket is more seconds than any ticket is good for.
const longestTicket = 120

// closeReasonRevoked comes with [proto.CloseRefused].
const closeReasonRevoked = "revoked"

// Halt ends driving by hand, and answers the calls of agents that wait for people:
// the browser stops.
func (h *Hub) Halt() {
	h.lease.Close()
	h.desk.Close()
}

// Close ends driving by hand and every socket, and returns when all are closed.
// Calls of agents that wait are told that the browser stops.
func (h *Hub) Close() {
	h.Halt()
	h.mu.Lock()
	h.closed = true
	h.cancel()
	for _, v := range h.fresh {
		v.hurry()
	}
	for _, v := range h.viewers {
		v.out.close(proto.CloseStopping, proto.CloseReasonStopping)
	}
	h.mu.Unlock()
	// A viewer that does not read gets no more time than its farewell.
	cut := time.AfterFunc(closeLimit, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, v := range h.viewers {
			_ = v.conn.NetConn().Close()
		}
	})
	defer cut.Stop()
	h.work.Wait()
}
