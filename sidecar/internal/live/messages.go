package live

import (
	"context"
	"encoding/json"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

func controlState(v *viewer, h takeover.Holder, held bool) proto.ControlState {
	if !held {
		return proto.ControlState{}
	}
	mine := h.Key == v.key
	return proto.ControlState{
		Held: true, Mine: mine, Yours: mine || h.Person.Is(v.person), By: h.Person.Name, Since: new(h.Since.UnixMilli()),
	}
}

func agentState(w takeover.Waiting) proto.AgentState {
	if w.Calls == 0 {
		return proto.AgentState{}
	}
	return proto.AgentState{Waiting: true, Tool: &w.Tool, Since: new(w.Since.UnixMilli())}
}

// featuresMessage answers a viewer that asked for features with those it gets.
func featuresMessage(features []string) ([]byte, error) {
	return json.Marshal(struct {
		Type     string   `json:"type"`
		Features []string `json:"features"`
	}{"features", features})
}

// each sends every viewer a message of its own. Called with the hub's lock held.
func (h *Hub) each(message func(v *viewer) ([]byte, error)) {
	for _, v := range h.viewers {
		v.send(message(v))
	}
}

func (h *Hub) controlChanged(c takeover.Change) {
	if c.Reason != takeover.Taken {
		h.letGo()
	}
	if c.Reason == takeover.HandedBack {
		h.desk.Answer(0, takeover.Done, c.Holder.Person)
	}
	h.mu.Lock()
	h.each(func(v *viewer) ([]byte, error) { return controlState(v, c.Holder, c.Held).Encode() })
	h.mu.Unlock()
	if h.opts.OnTakeover != nil {
		h.opts.OnTakeover(c)
	}
}

func (h *Hub) waitingChanged(w takeover.Waiting) {
	message, err := agentState(w).Encode()
	h.mu.Lock()
	h.each(func(*viewer) ([]byte, error) { return message, err })
	h.mu.Unlock()
	if h.opts.OnWaiting != nil {
		h.opts.OnWaiting(w)
	}
}

// Show tells what is on screen; nil is nothing. Tab is any value that is another
// for another tab: then no picture of the one before is shown any more.
func (h *Hub) Show(page *proto.PageState, tab any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// While nobody watches no pictures come, so the last one may be of long ago.
	if moved := h.page == nil || page == nil || !sameText(h.page.URL, page.URL); tab != h.tab || moved && len(h.viewers) == 0 {
		h.last, h.area = nil, nil
		for _, v := range h.viewers {
			v.out.unshow()
		}
	}
	h.page, h.tab = page, tab
	message, err := proto.LivePage{Page: page}.Encode()
	h.each(func(*viewer) ([]byte, error) { return message, err })
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// Draw shows a picture of what is on screen to everybody.
func (h *Hub) Draw(p Picture) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shots++
	s := &shot{Picture: p, seq: h.shots}
	h.last, h.area = s, &area{p.Width, p.Height, p.OffsetTop}
	to := make([]*viewer, 0, len(h.viewers))
	for _, v := range h.viewers {
		to = append(to, v)
	}
	h.pacer.offer(s, to)
	for _, v := range to {
		v.out.show(s)
	}
}

// handle obeys a viewer's message. What is unknown, or malformed, does nothing.
func (h *Hub) handle(ctx context.Context, v *viewer, typ string, f fields) {
	switch typ {
	case "take_control":
		h.take(ctx, v, f)
	case "hand_back":
		h.lease.Release(v.key)
	case "answer":
		h.answer(v, f)
	case "mouse", "wheel", "key", "text", "touch":
		h.input(v, typ, f)
	default:
		h.control(v, typ, f)
	}
}

// input passes input on while its viewer drives.
func (h *Hub) input(v *viewer, typ string, f fields) {
	h.mu.Lock()
	area := h.area
	h.mu.Unlock()
	var send func(Screen)
	switch typ {
	case "mouse", "wheel":
		p, ok := f.mouse(area)
		if typ == "wheel" {
			p, ok = f.wheel(area)
		}
		if ok {
			send = func(s Screen) { s.Mouse(p) }
		}
	case "key":
		if p, ok := f.key(v.wants.mac); ok {
			send = func(s Screen) { s.Key(p) }
		}
	case "touch":
		if down, ok := f.touch(area); ok && v.wants.touch {
			send = func(s Screen) { s.Touch(down, f.modifiers(), f.flag("cancel")) }
		}
	case "text":
		if text, ok := f.inserted(); ok {
			send = func(s Screen) { s.Text(text) }
		}
	}
	if send == nil {
		return
	}
	h.relay.Lock()
	defer h.relay.Unlock()
	if h.lease.Holds(v.key) {
		send(h.opts.Screen)
		h.lease.Touch(v.key)
	}
}

// take gives a viewer control, if its ticket and the lease allow it. Each try
// needs a ticket of its own.
func (h *Hub) take(ctx context.Context, v *viewer, f fields) {
	if !h.mayDrive(v, f) {
		return
	}
	if refused := h.lease.Acquire(v.key, v.person); refused != nil {
		message := "The browser is stopping"
		if refused.By != nil {
			message = refused.By.Person.Called("Somebody else") + " is driving the browser"
		}
		v.send(proto.LiveError{Code: proto.CodeHeld, Message: message}.Encode())
		return
	}
	if v.wants.modals && h.opts.Controls != nil {
		h.opts.Controls.Hold()
	}
	// The person's input waits in the socket for the agent's action to end.
	h.lease.Settle(ctx)
}
