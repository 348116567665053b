package proto_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func liveMessages() []encoder {
	page := &proto.PageState{URL: ptr("http://127.0.0.1:3000/orders"), Tab: 1, Tabs: 1}
	return []encoder{
		proto.LiveReady{Page: page},
		proto.LiveReady{
			Control: proto.ControlState{Held: true, Yours: true, By: ptr("Ada <&>"), Since: ptr(int64(1800000000000))},
			Agent:   proto.AgentState{Waiting: true, Tool: ptr("browser_click"), Since: ptr(int64(1800000001000))},
		},
		proto.LiveFrame{Data: "/9j/4AAQ", Width: 1280, Height: 800},
		proto.ControlState{},
		proto.ControlState{Held: true, Mine: true, Yours: true, By: ptr("Ada"), Since: ptr(int64(1800000000000))},
		proto.AgentState{},
		proto.AgentState{Waiting: true, Tool: ptr("browser_type"), Since: ptr(int64(1800000000000))},
		proto.LivePage{},
		proto.LivePage{Page: page},
		proto.LivePage{Page: &proto.PageState{Tab: 2, Tabs: 3}},
		proto.LiveError{Code: proto.CodeHeld, Message: "Ada is driving the browser"},
	}
}

func TestLiveGolden(t *testing.T) {
	golden(t, "live.jsonl", lines(t, liveMessages()...))
}

// The decoding side: a viewer, which reads by type and then by key.
func TestLiveReadBack(t *testing.T) {
	types := []string{"ready", "ready", "frame", "control", "control", "agent", "agent", "page", "page", "page", "error"}
	data := lines(t, liveMessages()...)
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var m struct {
			Type    string              `json:"type"`
			Held    bool                `json:"held"`
			Control *proto.ControlState `json:"control"`
			Page    *proto.PageState    `json:"page"`
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Type != types[i] {
			t.Errorf("message %d: %s %v", i, line, err)
		}
		if i == 1 && (m.Control == nil || !m.Control.Yours || *m.Control.By != "Ada <&>") {
			t.Errorf("control is %+v", m.Control)
		}
		if i == 8 && (m.Page == nil || m.Page.Tabs != 1) {
			t.Errorf("page is %+v", m.Page)
		}
	}
}
