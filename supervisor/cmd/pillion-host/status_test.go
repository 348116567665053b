package main

import (
	"errors"
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
	s := newStatus("http://app")
	before := s.read()
	for i := range 2 * shownEvents {
		s.event(proto.Event{Type: "page", At: int64(i)})
	}
	after := s.read()
	if len(after.Events) != shownEvents || after.Events[0].At.UnixMilli() != 2*shownEvents-1 {
		t.Errorf("%d events, first %+v", len(after.Events), after.Events[0])
	}
	if len(before.Events) != 0 || before.Revision == after.Revision {
		t.Errorf("before %+v", before)
	}
	s.failed(errors.New("no browser"))
	if b := s.read().Browser; b.Status != "failed" || b.Reason != "no browser" {
		t.Errorf("got %+v", b)
	}
}
