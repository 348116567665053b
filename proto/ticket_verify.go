package proto

import (
	"crypto/hmac"
	"encoding/base64"
	"strings"
	"sync"
	"time"
	"unicode"
)

// TicketRefusal says why a ticket was refused; it is the reason of the close
// frame. The empty refusal means that the ticket was accepted.
type TicketRefusal string

// The refusals. All but the last are the original's words.
const (
	TicketAccepted   TicketRefusal = ""
	TicketMalformed  TicketRefusal = "malformed"
	TicketForged     TicketRefusal = "bad signature"
	TicketForeign    TicketRefusal = "another sandbox"
	TicketBadMode    TicketRefusal = "unknown mode"
	TicketBadTimes   TicketRefusal = "bad lifetime"
	TicketTooEarly   TicketRefusal = "issued in the future"
	TicketExpired    TicketRefusal = "expired"
	TicketUsed       TicketRefusal = "already used"
	TicketsExhausted TicketRefusal = "too many tickets"
)

// maxUsedTickets bounds the memory of used tickets. A ticket is remembered for
// at most 65 s, so it takes sixty valid tickets a second to get there; then
// new ones are refused, because forgetting an old one would let it in again.
const maxUsedTickets = 4096

// TicketVerifier verifies the tickets of one browser and remembers which were
// used. It is safe for concurrent use: of two viewers with one ticket, exactly
// one gets in.
//
// # Why two clocks
//
// A ticket's times are wall-clock times, and a wall clock can be set back. A
// verifier that forgot used tickets by the wall clock alone would accept them
// a second time. It therefore also counts the time that has passed since it
// was made, which never runs backwards, and takes the later of the wall clock
// and start + passed as "now". Used tickets are forgotten by start + passed
// alone: a ticket that is forgotten has expired for good.
//
// A clock that jumps ahead and is put right again does no harm. One that was
// ahead when the verifier was made, and is set back by more than a ticket's
// lifetime later, makes fresh tickets look expired until the wall clock has
// caught up: the live view refuses, and a new browser cures it.
type TicketVerifier struct {
	key       []byte // nil = refuse all
	sessionID string
	now       func() time.Time

	mu    sync.Mutex
	last  time.Time        // the last reading of now
	floor time.Time        // start + passed
	used  map[string]int64 // ID → ExpiresAt
}

// NewTicketVerifier makes a verifier for the browser with this bearer token
// and this live-view session; where either is empty it refuses every ticket.
// now is usually time.Now, whose readings know how much time has really
// passed. A clock of another kind may run back; it then counts as standing.
func NewTicketVerifier(token Secret, sessionID string, now func() time.Time) *TicketVerifier {
	start := now()
	v := &TicketVerifier{
		sessionID: sessionID,
		now:       now,
		last:      start,
		floor:     start,
		used:      make(map[string]int64),
	}
	if !token.IsZero() && sessionID != "" {
		v.key = ticketKey(token)
	}
	return v
}

// Verify checks a ticket, and uses it up if it is accepted. A ticket that is
// refused, for whatever reason, is not used up.
//
// Nothing of the payload is looked at before its signature holds. The
// subject and the name come cut to 256 and 80 characters, and the name without
// characters that could break out of a line of text.
func (v *TicketVerifier) Verify(ticket string) (Claims, TicketRefusal) {
	if len(ticket) > ticketLength {
		return Claims{}, TicketMalformed
	}
	payload, signature, _ := strings.Cut(ticket, ".")
	if !urlSafe(payload) || !urlSafe(signature) {
		return Claims{}, TicketMalformed
	}
	mac, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || v.key == nil || !hmac.Equal(mac, ticketMAC(v.key, payload)) {
		return Claims{}, TicketForged
	}
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return Claims{}, TicketMalformed
	}
	obj, err := decodeObject(data)
	if err != nil {
		return Claims{}, TicketMalformed
	}
	return v.claims(obj)
}

// claims checks signed claims. The order of the checks is what a caller sees
// of a ticket with several faults.
func (v *TicketVerifier) claims(obj map[string]any) (Claims, TicketRefusal) {
	if version, ok := number(obj["v"]); !ok || version != ticketVersion {
		return Claims{}, TicketMalformed
	}
	if obj["sid"] != v.sessionID {
		return Claims{}, TicketForeign
	}
	mode, _ := obj["mode"].(string)
	if TicketMode(mode) != TicketView && TicketMode(mode) != TicketControl {
		return Claims{}, TicketBadMode
	}
	iat, ok1 := whole(obj["iat"])
	exp, ok2 := whole(obj["exp"])
	if !ok1 || !ok2 || exp <= iat || exp-iat > ticketLongest {
		return Claims{}, TicketBadTimes
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	// Whole seconds are exact: iat and exp have no fraction, so cutting one
	// off "now" changes neither comparison.
	now := float64(v.observe())
	if iat > now+ticketSkew {
		return Claims{}, TicketTooEarly
	}
	if exp <= now {
		return Claims{}, TicketExpired
	}
	jti, _ := obj["jti"].(string)
	subject, ok1 := optionalText(obj["sub"], subLongest)
	name, ok2 := optionalText(obj["name"], nameLongest)
	if !ticketID(jti) || !ok1 || !ok2 {
		return Claims{}, TicketMalformed
	}
	if refusal := v.use(jti, int64(exp)); refusal != TicketAccepted {
		return Claims{}, refusal
	}
	if name != nil {
		*name = oneLine(*name)
	}
	return Claims{
		SessionID: v.sessionID,
		Subject:   subject,
		Name:      name,
		Mode:      TicketMode(mode),
		IssuedAt:  int64(iat),
		ExpiresAt: int64(exp),
		ID:        jti,
	}, TicketAccepted
}

// observe reads the clock, advances floor by the time that has passed, and
// returns the later of the two in epoch seconds.
func (v *TicketVerifier) observe() int64 {
	now := v.now()
	// Between two readings of time.Now this is monotonic time, whatever the
	// wall clock did.
	if passed := now.Sub(v.last); passed > 0 {
		v.floor = v.floor.Add(passed)
	}
	v.last = now
	return max(now.Unix(), v.floor.Unix())
}

// use records an ID, after it has forgotten those that no clock can revive.
func (v *TicketVerifier) use(id string, exp int64) TicketRefusal {
	for old, end := range v.used {
		if end <= v.floor.Unix() {
			delete(v.used, old)
		}
	}
	if _, seen := v.used[id]; seen {
		return TicketUsed
	}
	if len(v.used) >= maxUsedTickets {
		return TicketsExhausted
	}
	v.used[id] = exp
	return TicketAccepted
}

// optionalText is a string cut to n characters, or nil for null and a missing
// key.
func optionalText(v any, n int) (*string, bool) {
	if v == nil {
		return nil, true
	}
	s, ok := v.(string)
	if !ok {
		return nil, false
	}
	s = utf16Cut(s, n)
	return &s, true
}

// oneLine puts a space in the place of every character that moves the cursor
// or changes the direction of text: names are shown inside of sentences that
// agents and people act on.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return ' '
		}
		return r
	}, s)
}
