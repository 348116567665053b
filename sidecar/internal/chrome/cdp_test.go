//go:build linux

package chrome

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
)

// askWithin bounds one command; a loaded machine needs seconds for a first one.
const askWithin = 30 * time.Second

// ask sends one command and returns its result. One at a time.
func (b *browserUnderTest) ask(t *testing.T, session, method string, params any) map[string]any {
	t.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(askWithin, b.Kill)
	defer timer.Stop()
	b.asked++
	ask := cdproto.Message{ID: b.asked, SessionID: target.SessionID(session), Method: cdproto.MethodType(method), Params: text}
	if err := b.Transport().Write(context.Background(), &ask); err != nil {
		t.Fatalf("%s: %v", method, b.Explain(err))
	}
	for {
		var answer cdproto.Message
		if err := b.Transport().Read(context.Background(), &answer); err != nil {
			t.Fatalf("%s: %v\n%s", method, b.Explain(err), b.Output())
		}
		if answer.ID != ask.ID {
			continue
		}
		if answer.Error != nil {
			t.Fatalf("%s: %v", method, answer.Error)
		}
		var result map[string]any
		if err := json.Unmarshal(answer.Result, &result); err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// tab opens a page and returns a session on it.
func (b *browserUnderTest) tab(t *testing.T, url string) string {
	t.Helper()
	made := b.ask(t, "", "Target.createTarget", map[string]any{"url": url})
	attached := b.ask(t, "", "Target.attachToTarget", map[string]any{"targetId": made["targetId"], "flatten": true})
	return attached["sessionId"].(string)
}

// evaluate returns the JSON value of an expression in a page.
func (b *browserUnderTest) evaluate(t *testing.T, session, expression string) any {
	t.Helper()
	result := b.ask(t, session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	return result["result"].(map[string]any)["value"]
}
