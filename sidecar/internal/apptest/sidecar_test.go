package apptest

import (
	"os"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

// fake makes Sidecar start this test binary.
func fake(t *testing.T, character string) {
	t.Helper()
	t.Setenv(SidecarEnv, os.Args[0])
	t.Setenv(fakeEnv, character)
}

// hasty is a sidecar whose leak check does not wait long.
func hasty(t testing.TB) *Process {
	p := Sidecar(t)
	p.grace = shortGrace
	return p
}

func TestSidecarIsStartedCalledAndStopped(t *testing.T) {
	fake(t, "good")
	p := Sidecar(t, Config{"app_url": "http://127.0.0.1:1"})
	p.MCP.Initialize()
	if tools := p.MCP.List(); len(tools) != 1 || tools[0].Name != "echo" || !tools[0].Annotations.ReadOnlyHint {
		t.Errorf("tools: %+v", tools)
	}
	r := p.MCP.Call("say", Args{"a": 1})
	if r.Text != "say\nmap[a:1]" || r.IsError || len(r.Images) != 1 || string(r.Images[0].Data) != "\x01\x02" {
		t.Errorf("result: %+v", r)
	}
	if r := p.MCP.Call("fail", nil); !r.IsError {
		t.Error("a tool's error is lost")
	}
	p.Send(proto.Command{Type: proto.CommandPing, ID: "x"})
	if e := p.AwaitEvent(proto.EventPong); e.Detail["id"] != "x" {
		t.Errorf("pong: %+v", e)
	}
	if a := p.MCP.Close(); a.Status != 200 {
		t.Errorf("close: %d", a.Status)
	}
	if code := p.Stop(); code != 0 || p.Running() {
		t.Errorf("exit code %d, running %v", code, p.Running())
	}
	p.AwaitEvent(proto.EventStopped)
	if !strings.Contains(p.Stderr(), "fake: ready") {
		t.Errorf("log: %q", p.Stderr())
	}
}

func TestSidecarFailuresAreTold(t *testing.T) {
	for _, c := range []struct {
		name, character, want string
		do                    func(t testing.TB)
	}{
		{"start refused", "refuses", "ended with 3 before it was ready:\nfake: invalid configuration", func(t testing.TB) { Sidecar(t) }},
		{"profile left", "messy", "profile", func(t testing.TB) { hasty(t).Stop() }},
		{"profile left by a kill", "good", "profile", func(t testing.TB) { hasty(t).Kill() }},
		{"wrong token", "good", "status 401", func(t testing.TB) {
			p := Sidecar(t)
			NewMCP(t, p.Ready.MCPURL, "wrong").Initialize()
		}},
		{"unknown tool", "good", "-32601 Method not found", func(t testing.TB) { Sidecar(t).MCP.Call("missing", nil) }},
		{"tool error", "good", "fail", func(t testing.TB) { Sidecar(t).MCP.Must("fail", nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake(t, c.character)
			if got := strings.Join(attempt(t, c.do), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("failures %q do not tell %q", got, c.want)
			}
		})
	}
}

func TestEndOfStdinEndsALifeline(t *testing.T) {
	fake(t, "good")
	p := Sidecar(t)
	p.CloseStdin()
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestRefIsFound(t *testing.T) {
	c := NewMCP(t, "", "")
	snapshot := "- main [ref=e1]:\n  - textbox \"Password\" [active] [ref=f1e12]: x\n  - textbox \"Password again\" [ref=e3]"
	if ref := c.Ref(snapshot, `textbox "Password"`); ref != "f1e12" {
		t.Errorf("ref %q", ref)
	}
	if got := attempt(t, func(t testing.TB) { NewMCP(t, "", "").Ref(snapshot, "button") }); len(got) != 1 {
		t.Errorf("a ref that is not there: %q", got)
	}
}
