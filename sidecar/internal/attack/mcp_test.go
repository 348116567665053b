//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// message is a body of a row and what must come of it.
type message struct {
	body   string
	status int
	want   string // in the answer
}

// call is a message that calls a tool.
func call(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// messages are the rows of the protocol.
func messages() map[string]message {
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	return map[string]message{
		"S096": {initialize, 200, `"protocolVersion"`},
		"S097": {"{", 400, "-32700"},
		"S098": {"[]", 400, "-32600"},
		"S099": {`{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}`, 400, "-32600"},
		"S100": {call("browser_run_code_unsafe", `{"code":"async (page) => 1"}`), 200, "not available"},
		"S101": {call("browser_navigate", `"str"`), 200, `"code":-32603`},
		"S102": {call("browser_tabs", `{"action":"list"}`), 404, "-32001"},
		"S103": {call("browser_navigate", `{"url":`+deep+`}`), 0, ""},
		"S104": {call("browser_type", `{"target":"input","text":"a\u0000b\ud800c"}`), 200, "isError"},
	}
}

// mcpRow runs a row of the protocol. One of more.json is a body, and its why
// begins with the status and, after a space, what the answer must hold.
func mcpRow(t *testing.T, e *scene, r row) {
	c := e.client(t)
	if r.ID == "S105" {
		e.foreignSession(t, c)
		return
	}
	m, known := messages()[r.ID]
	if !known {
		m.body = r.Input
		head, _, _ := strings.Cut(r.Why, ":")
		if _, err := fmt.Sscan(head, &m.status, &m.want); err != nil && m.status == 0 {
			t.Fatalf("why begins with no status: %q", r.Why)
		}
	}
	header := map[string]string{}
	if r.ID == "S102" {
		header["Mcp-Session-Id"] = "00000000-0000-4000-8000-000000000000"
	}
	before := tabLines(c)
	a := c.Post(m.body, header)
	if m.status != 0 && a.Status != m.status || !strings.Contains(string(a.Body), m.want) {
		t.Errorf("answered with %d %.300s, want %d and %s", a.Status, a.Body, m.status, m.want)
	}
	if !r.allowed() && a.Status == http.StatusOK && !refusedBy(a.Body) {
		t.Errorf("went through: %.300s", a.Body)
	}
	if after := tabLines(c); strings.Join(after, "") != strings.Join(before, "") {
		t.Errorf("it did something: %q, before %q", after, before)
	}
	if strings.Contains(string(a.Body), "goroutine ") || strings.Contains(string(a.Body), ".go:") {
		t.Errorf("the answer tells of the inside: %.300s", a.Body)
	}
	e.stillServes(t)
}

// refusedBy says whether an answer is an error of either kind.
func refusedBy(body []byte) bool {
	var answer struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	return json.Unmarshal(body, &answer) == nil && (answer.Error != nil || answer.Result.IsError)
}

// foreignSession: a client that does not know a session's id can't end it.
func (e *scene) foreignSession(t *testing.T, c *apptest.MCPClient) {
	t.Helper()
	other := apptest.NewMCP(t, e.p.Ready.MCPURL, apptest.Token)
	other.Initialize()
	id := other.Session
	for _, guess := range []string{"", "*", id[:35], id + "0", strings.ToUpper(id), " ", id[:35] + "%30", "../" + id} {
		status, _, body := e.raw(t, "DELETE /mcp HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nMcp-Session-Id: "+guess+"\n\n")
		if guess == strings.ToUpper(id) && guess == id {
			continue // all digits
		}
		if status != http.StatusNotFound {
			t.Errorf("DELETE of %q: %d %s", guess, status, body)
		}
	}
	if status, _, body := e.raw(t, "DELETE /mcp HTTP/1.1\nHost: HOST\nMcp-Session-Id: "+id+"\n\n"); status != http.StatusUnauthorized {
		t.Errorf("DELETE without the token: %d %s", status, body)
	}
	if len(other.List()) == 0 {
		t.Error("the session is gone")
	}
	other.Close()
}
