package supervisor

import (
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

func TestBrowserTellsWhereItIs(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "good")
	if b.MCPURL() != "http://127.0.0.1:4321/mcp" || b.LiveURL() != "ws://127.0.0.1:4321/live" {
		t.Errorf("mcp %q, live %q", b.MCPURL(), b.LiveURL())
	}
	if b.MCPToken().Reveal() != testToken || b.Ready().Chromium.Flavour != "shell" {
		t.Errorf("token %q, ready %+v", b.MCPToken().Reveal(), b.Ready())
	}
}

func TestAnyVersion(t *testing.T) {
	t.Parallel()
	for _, expect := range []string{AnyVersion, "0.0.1"} {
		s, _ := fake(t, "old")
		s.ExpectVersion = expect
		b, err := s.Start(t.Context(), testLaunch())
		if err != nil {
			t.Fatal(err)
		}
		if err := stop(t, b); err != nil {
			t.Error(err)
		}
	}
}

// An event that can't be read is skipped, one of an unknown type is passed on.
func TestOddEvents(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "odd-events")
	var got []string
	for event := range b.Events() {
		got = append(got, event.Type+" "+event.Reason)
		if event.Reason == "after the odd ones" {
			break
		}
	}
	if want := "from-the-future |page after the odd ones"; strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}

// A host that never reads events must hold up neither the sidecar nor the end.
func TestANeverReadingHost(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "event-flood")
	if err := b.Revoke(t.Context(), "ada"); err != nil { // answered after all of the flood
		t.Fatal(err)
	}
	if err := stop(t, b); err != nil {
		t.Fatal(err)
	}
	var got []proto.Event
	for event := range b.Events() {
		got = append(got, event)
	}
	if len(got) != eventBacklog || got[len(got)-1].Type != proto.EventStopped {
		t.Errorf("%d events, the last %+v", len(got), got[len(got)-1])
	}
	if lost := b.Usage().EventsLost; lost != floodEvents+2-eventBacklog {
		t.Errorf("%d lost", lost)
	}
}

// A sidecar that logs more than a pipe holds must not block before it is ready.
func TestALogFlood(t *testing.T) {
	t.Parallel()
	b, _ := start(t, "log-flood")
	kept := 0
	for _, line := range b.tail.kept() {
		kept += len(line)
	}
	if kept > tailBytes || kept < tailBytes/2 {
		t.Errorf("kept %d bytes", kept)
	}
	if shown := b.tail.last(); len(shown) > shownLines*(shownChars+10) {
		t.Errorf("shows %d bytes", len(shown))
	}
}

// A sidecar that never reads its input can be started (with a config that no
// pipe holds), answers no command, and can be stopped.
func TestASidecarThatNeverReads(t *testing.T) {
	t.Parallel()
	s, p := fake(t, "never-reads")
	launch := testLaunch()
	launch.StorageState.Origins = []proto.OriginState{{
		Origin:       "http://127.0.0.1:3000",
		LocalStorage: []proto.NameValue{{Name: "big", Value: strings.Repeat("v", 1<<20)}},
	}}
	b, err := s.Start(t.Context(), launch)
	if err != nil {
		t.Fatal(err)
	}
	e := wantCode(t, b.Extend(ctxFor(t, 20*time.Millisecond), time.Now()), proto.CodeSidecarHung)
	if !strings.Contains(e.Message, "extend") {
		t.Errorf("got %q", e.Message)
	}
	wantCode(t, stop(t, b), proto.CodeSidecarExited) // exit status 1, by the signal
	p.waitGone()
}

func TestCommands(t *testing.T) {
	t.Parallel()
	b, p := start(t, "good")
	if got := p.wait("command"); !strings.Contains(got, `"type":"grease-`) {
		t.Errorf("the first command is %s", got)
	}
	if err := b.Extend(t.Context(), time.UnixMilli(1800000000123)); err != nil {
		t.Error(err)
	}
	if got := p.wait("command"); !strings.Contains(got, `"type":"extend","stop_at":1800000000123`) {
		t.Errorf("got %s", got)
	}
	if err := b.Revoke(t.Context(), "ada"); err != nil {
		t.Error(err)
	}
	if got := p.wait("command"); !strings.Contains(got, `"type":"revoke","user":"ada"`) {
		t.Errorf("got %s", got)
	}
	e := wantCode(t, b.Revoke(t.Context(), "nobody"), proto.CodeLiveOff)
	if !strings.Contains(e.Message, "no such user") {
		t.Errorf("got %q", e.Message)
	}
	wantCode(t, b.Revoke(t.Context(), ""), proto.CodeInvalidArguments)
	if err := stop(t, b); err != nil {
		t.Error(err)
	}
	for event := range b.Events() { // the answers are not among them
		if event.Type != proto.EventStopping && event.Type != proto.EventStopped {
			t.Errorf("event %+v", event)
		}
	}
}

func TestUsageRoundsUp(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for ran, want := range map[time.Duration]int{
		0: 0, time.Nanosecond: 1, time.Minute: 1, time.Minute + 1: 2, 59 * time.Minute: 59, -time.Minute: 0,
	} {
		if got := (Usage{Started: began, Stopped: began.Add(ran)}).Minutes(); got != want {
			t.Errorf("%v is %d minutes, want %d", ran, got, want)
		}
	}
}
