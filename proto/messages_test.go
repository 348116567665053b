package proto_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

func ready() proto.Ready {
	return proto.Ready{
		Ready: true, Port: 41234, Version: "0.1.0", PID: 4711, MCPURL: "http://127.0.0.1:41234/mcp",
		Chromium: proto.Chromium{Path: "/usr/lib/chromium/chromium-headless-shell", Version: "156.0.7777.1", Flavour: "shell"},
		Features: proto.Features{Sandbox: true, PrivateNetwork: true, UnprivilegedUser: true, Janitor: true},
	}
}

func TestReadyGolden(t *testing.T) {
	live := ready()
	live.LiveURL = "ws://127.0.0.1:41234/live"
	live.Features = proto.Features{Sandbox: true}
	for name, want := range map[string]proto.Ready{"ready.json": ready(), "ready-live.json": live} {
		golden(t, name, lines(t, want))
		got, err := proto.DecodeReady(readGolden(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A caller of the original reads the head of the line and sees its own line.
func TestReadyBeginsLikeTheOriginals(t *testing.T) {
	r := ready()
	r.Ready = false // a ready line always says true
	data, err := r.Encode()
	if head := `{"ready":true,"port":41234,"version":"0.1.0","pid":4711,`; err != nil || !strings.HasPrefix(string(data), head) {
		t.Errorf("got %s, %v", data, err)
	}
}

func TestDecodeReadyTolerates(t *testing.T) {
	for name, line := range map[string]string{
		"the original's line":   `{"ready":true,"port":1,"version":"1.9.0","pid":2}` + "\n",
		"unknown keys":          `{"ready":true,"port":1,"version":"1.9.0","pid":2,"new":[{"x":1}],"Port":7,"chromium":{"new":1},"features":{"new":true,"Sandbox":true}}`,
		"integers by value":     `{"ready":true,"port":1.0,"version":"1.9.0","pid":2e0}`,
		"nulls":                 `{"ready":true,"port":1,"version":"1.9.0","pid":2,"live_url":null,"chromium":null,"features":null}`,
		"another order":         `{"pid":2,"version":"1.9.0","port":1,"ready":true}`,
		"the last key of twins": `{"ready":false,"port":9,"ready":true,"port":1,"version":"1.9.0","pid":2}`,
	} {
		got, err := proto.DecodeReady([]byte(line))
		if want := (proto.Ready{Ready: true, Port: 1, Version: "1.9.0", PID: 2}); err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestDecodeReadyRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"nothing":           "",
		"a log line":        "Listening on http://127.0.0.1:3000",
		"an array":          "[]",
		"another object":    `{"level":"info","msg":"ready"}`,
		"not ready":         `{"ready":false,"port":1,"version":"1","pid":2}`,
		"ready as a number": `{"ready":1,"port":1,"version":"1","pid":2}`,
		"ready in capitals": `{"Ready":true,"port":1,"version":"1","pid":2}`,
		"no port":           `{"ready":true,"version":"1","pid":2}`,
		"port 0":            `{"ready":true,"port":0,"version":"1","pid":2}`,
		"port too large":    `{"ready":true,"port":65536,"version":"1","pid":2}`,
		"port beyond int":   `{"ready":true,"port":1e40,"version":"1","pid":2}`,
		"port a fraction":   `{"ready":true,"port":1.5,"version":"1","pid":2}`,
		"port a string":     `{"ready":true,"port":"1","version":"1","pid":2}`,
		"no version":        `{"ready":true,"port":1,"pid":2}`,
		"version a number":  `{"ready":true,"port":1,"version":1,"pid":2}`,
		"no pid":            `{"ready":true,"port":1,"version":"1"}`,
		"pid negative":      `{"ready":true,"port":1,"version":"1","pid":-2}`,
		"URL a number":      `{"ready":true,"port":1,"version":"1","pid":2,"mcp_url":5}`,
		"feature a string":  `{"ready":true,"port":1,"version":"1","pid":2,"features":{"sandbox":"yes"}}`,
		"two lines":         `{"ready":true,"port":1,"version":"1","pid":2}{}`,
		"nested deep":       strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		got, err := proto.DecodeReady([]byte(line))
		if err == nil {
			t.Errorf("%s: taken as %+v", name, got)
			continue
		}
		wantCode(t, err, proto.CodeReadyMalformed)
		if head := line[:min(len(line), 20)]; !strings.Contains(err.Error(), strconv.Quote(head)[1:len(strconv.Quote(head))-1]) {
			t.Errorf("%s: the error does not quote the line: %v", name, err)
		}
	}
	_, err := proto.DecodeReady(bytes.Repeat([]byte("\x1b[31m"), 10_000))
	if err == nil || len(err.Error()) > 1000 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a foreign line is quoted as %q", err)
	}
}

func TestCheckVersion(t *testing.T) {
	if err := proto.CheckVersion("1.2.3", "1.2.3"); err != nil {
		t.Error(err)
	}
	if err := proto.CheckVersion("1.2.3", ""); err != nil {
		t.Error(err)
	}
	err := proto.CheckVersion("1.2.3", "1.2.4")
	wantCode(t, err, proto.CodeVersionMismatch)
	if !strings.Contains(err.Error(), `"1.2.3"`) || !strings.Contains(err.Error(), `"1.2.4"`) {
		t.Error(err)
	}
}

// events is one event of each type, with the details that it documents.
func events() []proto.Event {
	const at = 1800000000000
	usage := object{"calls": 12.0, "bytes_in": 1048576.0, "bytes_out": 4096.0, "viewer_ms": 60000.0}
	return []proto.Event{
		{Type: proto.EventPage, At: at, Detail: object{"url": "http://127.0.0.1:3000/orders", "tab": 1.0, "tabs": 2.0}},
		{Type: proto.EventRefused, At: at + 1, Detail: object{"kind": "navigation", "target": "http://a.test", "reason": "is <not> the app & more", "code": "off_app"}},
		{Type: proto.EventCrashed, At: at + 2, Detail: object{"what": "renderer", "tab": 2.0, "code": "page_crashed"}},
		{Type: proto.EventTakeover, At: at + 3, Detail: object{"held": true, "by": "Zoë 木", "user": nil, "why": "taken"}},
		{Type: proto.EventWaiting, At: at + 3, Detail: object{"calls": 1.0, "tool": "browser_click", "since": at + 0.0}},
		{Type: proto.EventAsk, At: at + 3, Detail: object{"id": 1.0, "instructions": "Sign in, please", "until": at + 300000.0, "ended": "", "by": nil, "user": nil}},
		{Type: proto.EventUsage, At: at + 4, Detail: usage},
		{Type: proto.EventRecording, At: at + 4, Detail: object{"recorded": 321.0, "sent": 300.0, "dropped": 21.0, "reasons": object{"queue_full": 20.0, "too_large": 1.0}, "invalid": 3.0}},
		{Type: proto.EventFilm, At: at + 4, Detail: object{"artifact": "film-tab1-20270115T080000.000.mp4", "tab": 1.0, "from": at - 60000.0, "to": at + 0.0, "bytes": 204800.0}},
		{Type: proto.EventWarning, At: at + 5, Detail: object{"code": "user_unavailable", "message": "m", "hint": "h"}},
		{Type: proto.EventPong, At: at + 6, Detail: object{"id": "1"}},
		{Type: proto.EventExtended, At: at + 7, Detail: object{"id": "2", "stop_at": at + 60000.0}},
		{Type: proto.EventRevoked, At: at + 8, Detail: object{"id": "3", "user": "7", "viewers": 1.0}},
		{Type: proto.EventRejected, At: at + 9, Detail: object{"id": "4", "code": "command_unknown", "message": "m", "hint": ""}},
		{Type: proto.EventStopping, At: at + 10, Reason: proto.ReasonParentGone, Detail: object{"budget_ms": 8000.0}},
		{Type: proto.EventStopped, At: at + 11, Reason: proto.ReasonParentGone, Detail: object{"exit": 0.0, "forced": false, "usage": usage}},
	}
}

func TestEventsGolden(t *testing.T) {
	var all []encoder
	for _, e := range events() {
		all = append(all, e)
	}
	golden(t, "events.jsonl", lines(t, all...))
	r := proto.NewLineReader(bytes.NewReader(readGolden(t, "events.jsonl")))
	for _, want := range events() {
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		got, err := proto.DecodeEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDecodeEvent(t *testing.T) {
	got, err := proto.DecodeEvent([]byte(`{"at":1.8e12,"type":"of a later version","new":1,"Reason":"x","detail":{"n":1e999,"deep":[1,{"x":2}]}}`))
	want := proto.Event{Type: "of a later version", At: 1800000000000, Detail: object{"n": nil, "deep": []any{1.0, object{"x": 2.0}}}}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := got.Encode(); err != nil {
		t.Errorf("what was decoded can't be encoded: %v", err)
	}
	for _, line := range []string{"", "x", "[]", "{}", `{"type":"x"}`, `{"type":"","at":1}`, `{"type":1,"at":1}`,
		`{"type":"x","at":"1"}`, `{"type":"x","at":1.5}`, `{"type":"x","at":1e300}`, `{"type":"x","at":1,"reason":1}`, `{"type":"x","at":1,"detail":[]}`} {
		got, err := proto.DecodeEvent([]byte(line))
		if err == nil {
			t.Errorf("%s: taken as %+v", line, got)
			continue
		}
		wantCode(t, err, proto.CodeMessageMalformed)
	}
	if _, err := (proto.Event{At: 1}).Encode(); err == nil {
		t.Error("an event without a type was written")
	}
}

func commands() []proto.Command {
	return []proto.Command{
		{Type: proto.CommandPing, ID: "1"},
		{Type: proto.CommandExtend, StopAt: ptr(1800000060000.0), ID: "2"},
		{Type: proto.CommandRevoke, User: "7", ID: "3 <&>"},
		{Type: proto.CommandStop},
	}
}

func TestCommandsGolden(t *testing.T) {
	var all []encoder
	for _, c := range commands() {
		all = append(all, c)
	}
	golden(t, "commands.jsonl", lines(t, all...))
	r := proto.NewLineReader(bytes.NewReader(readGolden(t, "commands.jsonl")))
	for _, want := range commands() {
		line, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		got, err := proto.DecodeCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDecodeCommand(t *testing.T) {
	tests := []struct {
		line string
		want proto.Command
		code proto.Code
	}{
		{`{"type":"stop","new":1,"Type":"ping"}`, proto.Command{Type: "stop"}, ""},
		{`{"type":"extend","stop_at":"2026-11-30T17:30:00Z"}`, proto.Command{Type: "extend", StopAt: ptr(1796059800000.0)}, ""},
		{`{"type":"extend","stop_at":0}`, proto.Command{Type: "extend", StopAt: ptr(0.0)}, ""},
		{`{"type":"stop","stop_at":null,"user":null,"id":null}`, proto.Command{Type: "stop"}, ""},
		{`{"type":"dance","id":"5"}`, proto.Command{Type: "dance", ID: "5"}, proto.CodeCommandUnknown},
		{`{"type":"STOP"}`, proto.Command{Type: "STOP"}, proto.CodeCommandUnknown},
		{`{"id":"5"}`, proto.Command{ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":7,"id":"5"}`, proto.Command{ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":"extend","id":"5"}`, proto.Command{Type: "extend", ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":"extend","id":"5","stop_at":"soon"}`, proto.Command{Type: "extend", ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":"extend","id":"5","stop_at":1e999}`, proto.Command{Type: "extend", ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":"revoke","id":"5"}`, proto.Command{Type: "revoke", ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":"revoke","user":7,"id":"5"}`, proto.Command{Type: "revoke", ID: "5"}, proto.CodeInvalidArguments},
		{`{"type":"ping","id":5}`, proto.Command{Type: "ping"}, proto.CodeInvalidArguments},
		{"stop", proto.Command{}, proto.CodeMessageMalformed},
		{`"stop"`, proto.Command{}, proto.CodeMessageMalformed},
		{`{"type":"stop"} x`, proto.Command{}, proto.CodeMessageMalformed},
		{"", proto.Command{}, proto.CodeMessageMalformed},
	}
	for _, tt := range tests {
		got, err := proto.DecodeCommand([]byte(tt.line))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.line, diff)
		}
		if tt.code == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.line, err)
			}
			continue
		}
		wantCode(t, err, tt.code)
	}
	for _, c := range []proto.Command{{}, {Type: "x"}, {Type: "extend"}, {Type: "extend", StopAt: ptr(math.NaN())}, {Type: "revoke"}} {
		if data, err := c.Encode(); err == nil {
			t.Errorf("wrote %s", data)
		}
	}
}

func TestError(t *testing.T) {
	cause := errors.New("cause")
	e := &proto.Error{Code: proto.CodeStopping, Message: "the browser is stopping", Err: cause}
	var err error = fmt.Errorf("call tool: %w", e)
	if !errors.Is(err, proto.CodeStopping) || errors.Is(err, proto.CodeHeld) || !errors.Is(err, cause) || proto.CodeOf(err) != proto.CodeStopping {
		t.Error("the chain is not searched")
	}
	if proto.CodeOf(cause) != "" || proto.CodeOf(nil) != "" {
		t.Error("a code out of nothing")
	}
	if e.Error() != "the browser is stopping" {
		t.Error(e.Error())
	}
	e.Hint = "Start another one"
	if e.Error() != "the browser is stopping. Start another one" {
		t.Error(e.Error())
	}
	if data, err := json.Marshal(e); err != nil || string(data) != `{"code":"stopping","message":"the browser is stopping","hint":"Start another one"}` {
		t.Errorf("got %s, %v", data, err)
	}
}

func TestErrorLine(t *testing.T) {
	want := &proto.Error{Code: proto.CodeBrowserMissing, Message: "no\nChromium <here>", Hint: "apt-get install chromium"}
	line := want.Line()
	if strings.ContainsAny(line, "\n\r") || !strings.Contains(line, "<here>") {
		t.Errorf("the line is %q", line)
	}
	got, ok := proto.ParseErrorLine("  " + line + "\r\n")
	if !ok || *got != *want {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, other := range []string{"", "browser-sidecar: x", "pillion-error: ", "pillion-error: x", "pillion-error: {}", "x pillion-error: {\"code\":\"x\"}"} {
		if got, ok := proto.ParseErrorLine(other); ok {
			t.Errorf("%q is taken as %+v", other, got)
		}
	}
}

// Every code is documented, once, and looks like a code.
func TestCodes(t *testing.T) {
	documented := map[proto.Code]bool{}
	for _, info := range proto.Codes() {
		if documented[info.Code] {
			t.Errorf("%s is documented twice", info.Code)
		}
		documented[info.Code] = true
		if !strings.HasSuffix(info.Meaning, ".") || len(info.Meaning) < 20 || info.Meaning[0] < 'A' || info.Meaning[0] > 'Z' {
			t.Errorf("%s: the meaning is not a sentence: %q", info.Code, info.Meaning)
		}
		if strings.Trim(string(info.Code), "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("%s is no code", info.Code)
		}
	}
	file, err := parser.ParseFile(gotoken.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		declared++
		value, _ := strconv.Unquote(lit.Value)
		if !documented[proto.Code(value)] {
			t.Errorf("%s (%s) is not documented", spec.Names[0].Name, value)
		}
		camel := ""
		for part := range strings.SplitSeq(value, "_") {
			camel += strings.ToUpper(part[:1]) + part[1:]
		}
		if !strings.EqualFold(spec.Names[0].Name, "Code"+camel) {
			t.Errorf("%s is named unlike %q", spec.Names[0].Name, value)
		}
		return true
	})
	if declared != len(documented) {
		t.Errorf("%d codes are declared and %d documented", declared, len(documented))
	}
}
