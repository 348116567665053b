package main_test

import (
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestAgentAsksAPerson has an agent ask for what it can't do itself.
func TestAgentAsksAPerson(t *testing.T) {
	site := apptest.Start(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL()}, liveConfig(apptest.Config{"ask_person": true, "agent_wait_ms": 20000}))
	c := p.MCP
	c.Initialize()
	c.Must("browser_navigate", apptest.Args{"url": "/keys"})

	// Nobody is there.
	if text := c.Must("browser_ask_person", apptest.Args{"instructions": "Sign in", "timeout": 1}); !strings.Contains(text,
		"Nobody was watching within 1 s") || !strings.Contains(text, "- Ended: nobody_watching") {
		t.Errorf("nobody there:\n%s", text)
	}

	d := dashboardOf(t, p, "1", "Ada", "ask", "tabs")
	asked := later(c, "browser_ask_person", apptest.Args{"instructions": " Go to the lab <b>\n"})
	d.await("the request", func() bool { return strings.Contains(d.ask, `"instructions":"Go to the lab \u003cb\u003e"`) })
	d.takeOver()
	click := later(c, "browser_click", apptest.Args{"target": "#nothing"})
	d.await("the click to wait", func() bool { return d.agent.Waiting && *d.agent.Tool == "browser_click" })
	d.send(map[string]any{"type": "open", "url": "/lab"})
	d.await("the lab", func() bool { return d.page != nil && d.page.URL != nil && strings.HasSuffix(*d.page.URL, "/lab") })
	d.send(map[string]any{"type": "answer", "id": 2, "done": true})
	r := <-asked
	for _, want := range []string{
		"### Result\nAda handed the browser back.\n- Ended: handed_back\n- By: Ada\n- Took: ",
		"\n- Page before: " + site.URL() + "/keys\n- Page after: " + site.URL() + "/lab\n", "### Snapshot\n",
	} {
		if r.IsError || !strings.Contains(r.Text, want) {
			t.Errorf("handed back: lacks %q in\n%.600s", want, r.Text)
		}
	}
	if r := <-click; strings.Contains(r.Text, "driving") {
		t.Errorf("the click that waited: %s", r.Text)
	}

	// What a person does on a page that the agent knows is told as changes.
	c.Must("browser_navigate", apptest.Args{"url": "/keys"})
	c.Must("browser_snapshot", nil)
	x, y := centre(t, c, "#field")
	asked = later(c, "browser_ask_person", apptest.Args{"instructions": "Fill it in"})
	d.await("the request", func() bool { return strings.Contains(d.ask, "Fill it in") })
	d.takeOver()
	d.click(x, y)
	d.send(map[string]any{"type": "text", "text": "by hand"})
	d.handBack()
	if r := <-asked; !strings.Contains(r.Text, "# changes since the last snapshot") || !strings.Contains(r.Text, "by hand") {
		t.Errorf("changes:\n%s", r.Text)
	}

	asked = later(c, "browser_ask_person", apptest.Args{"instructions": "Decide"})
	d.await("the request", func() bool { return strings.Contains(d.ask, "Decide") })
	d.send(map[string]any{"type": "answer", "id": 4, "ticket": ticketOf(t, "1", "Ada", proto.TicketControl)})
	if r := <-asked; !strings.Contains(r.Text, "Ada declined.\n- Ended: declined\n- By: Ada\n") {
		t.Errorf("declined:\n%s", r.Text)
	}

	// A stop answers the call.
	asked = later(c, "browser_ask_person", apptest.Args{"instructions": "Wait"})
	d.await("the request", func() bool { return strings.Contains(d.ask, "Wait") })
	if code := p.Stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if r := <-asked; !r.IsError || !strings.Contains(r.Text, "The browser is stopping") {
		t.Errorf("at the stop: %s", r.Text)
	}
	var told []string
	for _, e := range p.Events() {
		if e.Type == proto.EventAsk {
			by, _ := e.Detail["by"].(string)
			told = append(told, strings.TrimSpace(e.Detail["instructions"].(string)+" "+e.Detail["ended"].(string)+" "+by))
		}
	}
	want := "Sign in, Sign in nobody_watching, Go to the lab <b>, Go to the lab <b> handed_back Ada, Fill it in, Fill it in handed_back Ada, Decide, Decide declined Ada, Wait"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("the supervisor was told %q\nwant %q", got, want)
	}
}

// later runs a tool beside the test.
func later(c *apptest.MCPClient, tool string, args apptest.Args) <-chan apptest.Result {
	done := make(chan apptest.Result, 1)
	go func() { done <- c.Call(tool, args) }()
	return done
}
