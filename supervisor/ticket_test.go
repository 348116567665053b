package supervisor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

func TestTicketOpensThisBrowserAlone(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "good")
	ticket, err := b.Ticket(Viewer{ID: "7", Name: "Ada"}, proto.TicketControl)
	if err != nil {
		t.Fatal(err)
	}
	if ticket.URL != b.LiveURL() || time.Until(ticket.ExpiresAt) > proto.TicketLifetime {
		t.Errorf("got %+v", ticket)
	}
	verifier := proto.NewTicketVerifier(b.MCPToken(), "sandbox-1", time.Now)
	claims, refusal := verifier.Verify(ticket.Ticket)
	if refusal != "" || *claims.Subject != "7" || *claims.Name != "Ada" || claims.Mode != proto.TicketControl {
		t.Errorf("refused %q, claims %+v", refusal, claims)
	}
	other := proto.NewTicketVerifier(newToken(), "sandbox-1", time.Now)
	if _, refusal := other.Verify(ticket.Ticket); refusal == "" {
		t.Error("another browser accepts it")
	}
	answer, _ := json.Marshal(ticket)
	for _, key := range []string{`{"ticket":"`, `"mode":"control"`, `"expires_at":"20`, `"url":"ws://127.0.0.1:4321/live"}`} {
		if !strings.Contains(string(answer), key) {
			t.Errorf("%s lacks %s", answer, key)
		}
	}
}

func TestTicketsThatCannotBe(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "good")
	_, err := b.Ticket(Viewer{}, "drive")
	wantCode(t, err, proto.CodeInvalidArguments)
	if err := stop(t, b); err != nil {
		t.Fatal(err)
	}
	_, err = b.Ticket(Viewer{}, proto.TicketView)
	wantCode(t, err, proto.CodeSidecarExited)

	s, _ := fake(t, "good")
	launch := testLaunch()
	launch.Live = nil
	blind, err := s.Start(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	_, err = blind.Ticket(Viewer{}, proto.TicketView)
	wantCode(t, err, proto.CodeLiveOff)
	if blind.LiveURL() != "" {
		t.Errorf("live at %q", blind.LiveURL())
	}
	if err := stop(t, blind); err != nil {
		t.Error(err)
	}
}
