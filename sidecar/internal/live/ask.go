package live

import (
	"encoding/json"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// askState is what an agent asks, as viewers are told.
type askState struct {
	ID           uint64 `json:"id"`
	Instructions string `json:"instructions"`
	Since        int64  `json:"since"` // epoch milliseconds
	Until        int64  `json:"until"`
}

func askMessage(a *askState) []byte {
	b, _ := json.Marshal(struct { // never fails
		Type string    `json:"type"`
		Ask  *askState `json:"ask"`
	}{"ask", a})
	return b
}

// asked tells who wants to know what an agent asks, or that it does no more.
func (h *Hub) asked(a takeover.Answer) {
	var open *askState
	if a.Ending == takeover.StillOpen {
		open = &askState{a.ID, a.Instructions, a.Since.UnixMilli(), a.Until.UnixMilli()}
	}
	h.mu.Lock()
	h.ask = open
	for _, v := range h.viewers {
		v.showAsk(open)
	}
	h.mu.Unlock()
	if h.opts.OnAsk != nil {
		h.opts.OnAsk(a)
	}
}

// showAsk tells one viewer. Called with the hub's lock held.
func (v *viewer) showAsk(a *askState) {
	if !v.wants.ask {
		return
	}
	v.send(askMessage(a), nil)
	if a != nil {
		v.hub.desk.Shown()
	}
}

// answer takes a person's word that what was asked is done, or will not be. Who
// does not drive needs a control ticket: it is as good as taking control and
// handing it back.
func (h *Hub) answer(v *viewer, f fields) {
	id, ok := f.whole("id", 1, 1<<53)
	if !v.wants.ask || !ok {
		return
	}
	if !h.lease.Holds(v.key) {
		if !h.mayDrive(v, f) {
			return
		}
		if by, held := h.lease.Holder(); held && !by.Person.Is(v.person) {
			v.complain(&proto.Error{Code: proto.CodeHeld, Message: by.Person.Called("Somebody else") + " is driving the browser"})
			return
		}
	}
	if f.flag("done") {
		// Control first, so that the agent finds the browser free.
		h.lease.Release(v.key)
		h.desk.Answer(uint64(id), takeover.Done, v.person)
		return
	}
	h.desk.Answer(uint64(id), takeover.Declined, v.person)
	h.lease.Release(v.key)
}

// mayDrive uses up the control ticket of a message; a viewer without a good one
// of its own is told.
func (h *Hub) mayDrive(v *viewer, f fields) bool {
	ticket, _ := f.text("ticket")
	claims, refusal := h.verify(ticket)
	if refusal != proto.TicketAccepted || claims.Mode != proto.TicketControl || !sameText(claims.Subject, v.person.ID) {
		v.send(proto.LiveError{Code: proto.CodeViewOnly, Message: "A valid control ticket of your own is needed to drive this browser"}.Encode())
		return false
	}
	return true
}
