package proto

import (
	"fmt"
	"testing"
	"time"
)

// issueAndVerify uses up a fresh ticket.
func issueAndVerify(t *testing.T, v *TicketVerifier, id string, now time.Time) TicketRefusal {
	t.Helper()
	c := NewClaims(v.sessionID, TicketView, "", "", now)
	c.ID = id
	ticket, err := SignTicket(NewSecret("a token of the test"), c)
	if err != nil {
		t.Fatal(err)
	}
	_, refusal := v.Verify(ticket)
	return refusal
}

func TestUsedTicketsAreForgottenWhenExpired(t *testing.T) {
	now := time.Unix(1800000000, 0)
	v := NewTicketVerifier(NewSecret("a token of the test"), "s", func() time.Time { return now })
	issueAndVerify(t, v, "ticket-number-000001", now)
	now = now.Add(29 * time.Second)
	issueAndVerify(t, v, "ticket-number-000002", now)
	if len(v.used) != 2 {
		t.Errorf("%d are remembered", len(v.used))
	}
	now = now.Add(time.Second) // the first has just expired
	issueAndVerify(t, v, "ticket-number-000003", now)
	if _, first := v.used["ticket-number-000001"]; first || len(v.used) != 2 {
		t.Errorf("%v are remembered", v.used)
	}
	now = now.Add(time.Hour)
	issueAndVerify(t, v, "ticket-number-000004", now)
	if len(v.used) != 1 {
		t.Errorf("%d are remembered", len(v.used))
	}
}

// When the memory is full, new tickets wait; an old one is never forgotten
// early.
func TestUsedTicketsAreBounded(t *testing.T) {
	now := time.Unix(1800000000, 0)
	v := NewTicketVerifier(NewSecret("a token of the test"), "s", func() time.Time { return now })
	for i := range maxUsedTickets {
		if refusal := v.use(fmt.Sprintf("ticket-number-%06d", i), now.Unix()+30); refusal != TicketAccepted {
			t.Fatal(i, refusal)
		}
	}
	if refusal := issueAndVerify(t, v, "ticket-number-999999", now); refusal != TicketsExhausted {
		t.Errorf("got %q", refusal)
	}
	if refusal := issueAndVerify(t, v, "ticket-number-000000", now); refusal != TicketUsed {
		t.Errorf("got %q", refusal)
	}
	now = now.Add(30 * time.Second)
	if refusal := issueAndVerify(t, v, "ticket-number-999999", now); refusal != TicketAccepted {
		t.Errorf("got %q", refusal)
	}
}

// The two clocks: the wall clock is ahead for a while and comes back. What was
// used before and during the jump stays used, and fresh tickets are accepted.
func TestTicketsSurviveAJumpAheadAndBack(t *testing.T) {
	start := time.Unix(1800000000, 0)
	var wall time.Time
	v := NewTicketVerifier(NewSecret("a token of the test"), "s", func() time.Time { return wall })
	// The verifier's fields stand in for a monotonic clock: last is set so
	// that each reading says how much time really passed.
	set := func(w time.Time, passed time.Duration) {
		wall = w
		v.last = w.Add(-passed)
	}
	v.floor = start
	set(start, 0)
	if r := issueAndVerify(t, v, "ticket-number-000001", start); r != TicketAccepted {
		t.Fatal(r)
	}
	ahead := start.Add(365 * 24 * time.Hour)
	set(ahead, time.Second)
	if r := issueAndVerify(t, v, "ticket-number-000002", ahead); r != TicketAccepted {
		t.Errorf("during the jump: %s", r)
	}
	back := start.Add(2 * time.Second)
	set(back, time.Second)
	if r := issueAndVerify(t, v, "ticket-number-000001", start); r != TicketUsed {
		t.Errorf("after the jump, a used one: %q", r)
	}
	set(back, 0)
	if r := issueAndVerify(t, v, "ticket-number-000003", back); r != TicketAccepted {
		t.Errorf("after the jump, a fresh one: %q", r)
	}
	set(back, time.Minute) // the wall clock stands, a minute passes
	if r := issueAndVerify(t, v, "ticket-number-000004", back); r != TicketExpired {
		t.Errorf("a minute later: %q", r)
	}
}
