package main

import (
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestEventText(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]proto.Event{
		"":                   {Type: "usage", Detail: map[string]any{"calls": 3.0}},
		"expired":            {Type: proto.EventStopping, Reason: proto.ReasonExpired},
		"http://app/orders":  {Type: proto.EventPage, Detail: map[string]any{"url": "http://app/orders", "tab": 1.0}},
		"connection, a:1, x": {Type: proto.EventRefused, Detail: map[string]any{"target": "a:1", "kind": "connection", "reason": "x"}},
		"renderer":           {Type: proto.EventCrashed, Detail: map[string]any{"what": "renderer", "by": nil}},
	} {
		if got := eventText(e); got != want {
			t.Errorf("%+v: %q, want %q", e, got, want)
		}
	}
}

func TestStatusKeepsTheNewestEvents(t *testing.T) {
	t.Parallel()
	s := &status{}
	before := s.readEvents()
	for i := range 2 * shownEvents {
		s.event(shop, proto.Event{Type: "page", At: int64(i)})
		s.event(shop, proto.Event{Type: proto.EventUsage, At: int64(i)})
	}
	after := s.readEvents()
	if len(after) != shownEvents || after[0].At.UnixMilli() != 2*shownEvents-1 || len(before) != 0 {
		t.Errorf("%d events, first %+v; before %d", len(after), after[0], len(before))
	}
	if s.readAgent() != nil {
		t.Error("an agent where there is none")
	}
}
