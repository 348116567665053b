package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/live"
)

// TestWordsForEachFarewell has the socket closed in every way that the page has
// words for, and reads them in a real browser; where it helps to try again by
// itself, the page does.
func TestWordsForEachFarewell(t *testing.T) {
	site := apptest.Start(t)
	hub, page := raised(t, browsertest.Open(t, site), func(o *live.Options) { o.MaxViewers = 1 })
	origin := strings.TrimSuffix(page, "/viewer")
	other, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(origin, "http")+"/live", http.Header{"Origin": {origin}})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.WriteJSON(map[string]any{"type": "auth", "ticket": ticketFor(t, proto.TicketView)}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := other.ReadMessage(); err != nil {
		t.Fatal(err)
	}

	s := &seat{t: t, hub: hub, person: browsertest.Free(t).Tabs()[0]}
	if _, err := s.person.Navigate(within(t), page+"#user=1&name=Ada&token="+apptest.Token); err != nil {
		t.Fatal(err)
	}
	// Words that are followed by a new try are short of life.
	browsertest.Eval(t, s.person.MainFrame(), `{
		const status = document.getElementById('status'); window.said = [status.textContent];
		new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true }); 0 }`)
	says := func(words string) {
		t.Helper()
		s.sees(words, fmt.Sprintf("said.includes(%q)", words))
		browsertest.Eval(t, s.person.MainFrame(), "said.length = 0")
	}
	says("As many people as can are watching already. Trying again.") // 4429
	other.Close()
	s.state("free")

	browsertest.Eval(t, s.person.MainFrame(), `{
		const send = WebSocket.prototype.send;
		WebSocket.prototype.send = function () { WebSocket.prototype.send = send; send.call(this, 'x'.repeat(70000)) }; 0 }`)
	s.clicks("#drive")
	says("The browser refused a message that was too large. Trying again.") // 1009
	s.state("free")

	hub.Revoke("1")
	says("You may not watch this browser any more.") // 4401
	s.sees("that it does not try again", "document.getElementById('watch').textContent === 'Try again'")

	// Her host hangs when it is asked for a ticket.
	browsertest.Eval(t, s.person.MainFrame(), "crypto.subtle.sign = () => new Promise(() => {}); 0") // in front of the real one
	s.clicks("#watch")
	says("The browser got no ticket in time. Trying again.") // 4408

	browsertest.Eval(t, s.person.MainFrame(), "delete crypto.subtle.sign")
	s.state("free")

	hub.Close()
	says("The browser has stopped.") // 1001
}
