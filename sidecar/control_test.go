package main_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// answers waits for the events that answer commands, and lists them in order.
func answers(t *testing.T, p *apptest.Process, n int) (found []proto.Event) {
	t.Helper()
	kinds := []string{proto.EventPong, proto.EventExtended, proto.EventRevoked, proto.EventRejected}
	apptest.Await(t, "the answers", func() bool {
		found = slices.DeleteFunc(p.Events(), func(e proto.Event) bool { return !slices.Contains(kinds, e.Type) })
		return len(found) >= n
	})
	return found
}

// TestCommands sends each command and everything that is none. Each gets one
// answer with its id, in order, and nothing disturbs the session.
func TestCommands(t *testing.T) {
	t.Parallel()
	const far = 4102444800000.0
	type want = map[string]any
	rejected := func(id string, code proto.Code) want { return want{"id": id, "code": string(code)} }
	cases := []struct {
		line, answer string
		detail       want
	}{
		{`{"type":"ping","id":"1"}`, proto.EventPong, want{"id": "1"}},
		{`{"type":"ping"}`, proto.EventPong, want{"id": ""}},
		{`  {"id":"<&>\u2028","type":"ping","later":[1]}  `, proto.EventPong, want{"id": "<&>\u2028"}},
		{`{"type":"extend","stop_at":4102444800000,"id":"2"}`, proto.EventExtended, want{"id": "2", "stop_at": far}},
		{`{"type":"extend","stop_at":"2100-01-01T00:00:00Z"}`, proto.EventExtended, want{"id": "", "stop_at": far}},
		{`{"type":"revoke","user":"ada","id":"3"}`, proto.EventRejected, rejected("3", proto.CodeLiveOff)},
		{`{"type":"extend","id":"4"}`, proto.EventRejected, rejected("4", proto.CodeInvalidArguments)},
		{`{"type":"extend","stop_at":"soon","id":"5"}`, proto.EventRejected, rejected("5", proto.CodeInvalidArguments)},
		{`{"type":"revoke","id":"6"}`, proto.EventRejected, rejected("6", proto.CodeInvalidArguments)},
		{`{"type":"fly","id":"7"}`, proto.EventRejected, rejected("7", proto.CodeCommandUnknown)},
		{`{"Type":"ping","id":"8"}`, proto.EventRejected, rejected("8", proto.CodeInvalidArguments)},
		{`{"type":7,"id":"9"}`, proto.EventRejected, rejected("9", proto.CodeInvalidArguments)},
		{`ping`, proto.EventRejected, rejected("", proto.CodeMessageMalformed)},
		{`["ping"]`, proto.EventRejected, rejected("", proto.CodeMessageMalformed)},
		{`null`, proto.EventRejected, rejected("", proto.CodeMessageMalformed)},
		{"\x00\xff\xfe\x01", proto.EventRejected, rejected("", proto.CodeMessageMalformed)},
		{`{"type":"ping","id":"` + strings.Repeat("x", proto.MaxLine) + `"}`, proto.EventRejected, rejected("", proto.CodeMessageTooLong)},
		{strings.Repeat("[", 100_000), proto.EventRejected, rejected("", proto.CodeMessageMalformed)},
		{`{"type":"ping","id":"last"}`, proto.EventPong, want{"id": "last"}},
	}
	p := apptest.Sidecar(t, apptest.Config{"app_url": deadApp})
	for _, c := range cases {
		p.SendLine(c.line)
		p.SendLine("") // blank lines are nothing
	}
	got := answers(t, p, len(cases))
	if len(got) != len(cases) {
		t.Errorf("%d answers to %d commands", len(got), len(cases))
	}
	for i, c := range cases {
		e := got[i]
		for k := range c.detail {
			if e.Type != c.answer || e.Detail[k] != c.detail[k] {
				t.Errorf("%.80q is answered with %+v; want %s %v", c.line, e, c.answer, c.detail)
				break
			}
		}
		if message, _ := e.Detail["message"].(string); (e.Type == proto.EventRejected) != (message != "") {
			t.Errorf("%.80q: message %q", c.line, message)
		}
	}
	p.SendLine(`{"type":"stop"}`)
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	wantEnd(t, p, proto.ReasonCommand, 0, false)
}

// TestEarlyCommands sends commands in one write with the config, whose end lies
// in the past. They hold from the start on, and their answers follow the ready
// line.
func TestEarlyCommands(t *testing.T) {
	t.Parallel()
	dir := apptest.Workdir(t)
	config := encode(t, apptest.Config{"app_url": deadApp, "token": apptest.Token, "workdir": dir, "lifeline": true, "stop_at": 1})
	p := apptest.Spawn(t, append(config, `{"type":"ping","id":"early"}{"type":"extend","stop_at":1e300,"id":"never"}
{"type":"extend","stop_at":1e300,"id":"far"}`...))
	p.Workdir = dir
	p.AwaitReady(apptest.Token)
	got := answers(t, p, 2)
	if got[0].Type != proto.EventRejected || got[1].Type != proto.EventExtended || got[1].Detail["id"] != "far" {
		t.Errorf("answers: %+v", got)
	}
	p.MCP.Initialize() // it goes on
	p.SendLine(`{"type":"ping","id":"late"}`)
	if last := answers(t, p, 3)[2]; last.Type != proto.EventPong || last.Detail["id"] != "late" {
		t.Errorf("answer: %+v", last)
	}
	if p.Stop() != 0 {
		t.Error("no clean end")
	}
}

// TestStopAt ends sessions at their time: one that a command brought nearer, one
// that it put into the past.
func TestStopAt(t *testing.T) {
	soon := func() float64 { return float64(time.Now().Add(200 * time.Millisecond).UnixMilli()) }
	for name, at := range map[string]func() float64{"nearer": soon, "past": func() float64 { return -1.5 }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := apptest.Sidecar(t, apptest.Config{"app_url": deadApp, "stop_at": "2100-01-01"})
			end := at()
			p.Send(proto.Command{Type: proto.CommandExtend, StopAt: &end, ID: "x"})
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if now := float64(time.Now().UnixMilli()); now < end {
				t.Errorf("ended %v ms too early", end-now)
			}
			wantEnd(t, p, proto.ReasonExpired, 0, false)
			if got := answers(t, p, 1)[0]; !maps.Equal(got.Detail, map[string]any{"id": "x", "stop_at": end}) {
				t.Errorf("answer %+v", got)
			}
		})
	}
}
