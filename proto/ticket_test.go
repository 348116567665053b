package proto_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

const (
	session = "11111111-2222-4333-8444-555555555555"
	issued  = 1800000000 // epoch seconds; most tickets of the tests are issued then
)

// clock is a wall clock that a test sets. It has no monotonic part.
type clock struct{ ns atomic.Int64 }

func at(seconds float64) *clock {
	c := new(clock)
	c.set(seconds)
	return c
}

func (c *clock) set(seconds float64) { c.ns.Store(int64(seconds*1000) * 1e6) } // to the millisecond
func (c *clock) now() time.Time      { return time.Unix(0, c.ns.Load()) }

type vector struct {
	Name       string              `json:"name"`
	SignedWith string              `json:"signed_with"`
	Token      string              `json:"token"`
	Session    string              `json:"session"`
	Now        float64             `json:"now"`
	Claims     json.RawMessage     `json:"claims"`
	Ticket     string              `json:"ticket"`
	Refusal    proto.TicketRefusal `json:"refusal"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	var all []vector
	if err := json.Unmarshal(readGolden(t, "tickets.json"), &all); err != nil || len(all) != 16 {
		t.Fatal(len(all), err)
	}
	return all
}

// signRaw signs a payload of any kind, as the original's host would.
func signRaw(token, payload string) string {
	mac := func(key, message string) string {
		h := hmac.New(sha256.New, []byte(key))
		h.Write([]byte(message))
		return string(h.Sum(nil))
	}
	p := base64.RawURLEncoding.EncodeToString([]byte(payload))
	key := mac(token, "activeagents/browser-live-ticket/v1")
	return p + "." + base64.RawURLEncoding.EncodeToString([]byte(mac(key, p)))
}

// claimsJSON is good claims with keys replaced; a nil value takes one away.
func claimsJSON(pairs ...any) string {
	doc := object{"v": 1, "sid": session, "sub": "7", "name": "Grace", "mode": "view",
		"iat": issued, "exp": issued + 30, "jti": "ticket-test-000000001"}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(doc, pairs[i].(string))
			continue
		}
		doc[pairs[i].(string)] = pairs[i+1]
	}
	data, _ := json.Marshal(doc)
	return string(data)
}

func verifier(now func() time.Time) *proto.TicketVerifier {
	return proto.NewTicketVerifier(proto.NewSecret(token), session, now)
}

func TestTicketVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			tv := proto.NewTicketVerifier(proto.NewSecret(v.Token), v.Session, at(v.Now).now)
			got, refusal := tv.Verify(v.Ticket)
			if refusal != v.Refusal {
				t.Fatalf("got %q, want %q", refusal, v.Refusal)
			}
			if signRaw(v.SignedWith, string(v.Claims)) != v.Ticket {
				t.Error("the vector's claims do not give its ticket")
			}
			if refusal != proto.TicketAccepted {
				if diff := cmp.Diff(proto.Claims{}, got); diff != "" {
					t.Errorf("a refused ticket gave claims: %s", diff)
				}
				return
			}
			var c struct {
				Sub, Name *string
				Mode      proto.TicketMode
				Iat, Exp  int64
				Jti       string
			}
			if err := json.Unmarshal(v.Claims, &c); err != nil {
				t.Fatal(err)
			}
			want := proto.Claims{SessionID: v.Session, Subject: c.Sub, Name: c.Name, Mode: c.Mode, IssuedAt: c.Iat, ExpiresAt: c.Exp, ID: c.Jti}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			// And the other way round: our signature is theirs.
			if !strings.Contains(string(v.Claims), `"sub"`) {
				return // absent keys are null when we write
			}
			if ticket, err := proto.SignTicket(proto.NewSecret(v.SignedWith), got); err != nil || ticket != v.Ticket {
				t.Errorf("signed %s, %v", ticket, err)
			}
		})
	}
}

func TestTicketTimes(t *testing.T) {
	v1 := signRaw(token, claimsJSON())
	for now, want := range map[float64]proto.TicketRefusal{
		issued: "", issued - 5: "", issued - 5.001: proto.TicketTooEarly,
		issued + 29.999: "", issued + 30: proto.TicketExpired, issued + 30.001: proto.TicketExpired,
		issued - 10: proto.TicketTooEarly, issued - 4: "", issued + 600: proto.TicketExpired,
	} {
		if _, got := verifier(at(now).now).Verify(v1); got != want {
			t.Errorf("at %.3f: %q, want %q", now, got, want)
		}
	}
}

func TestTicketRefusals(t *testing.T) {
	sign := func(pairs ...any) string { return signRaw(token, claimsJSON(pairs...)) }
	good := sign()
	payload, signature, _ := strings.Cut(good, ".")
	otherPayload, otherSignature, _ := strings.Cut(sign("mode", "control"), ".")
	rawKey := func() string { // the token itself as the key
		h := hmac.New(sha256.New, []byte(token))
		h.Write([]byte(payload))
		return payload + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	}
	flipped := []byte(signature)
	flipped[0] ^= 1
	tests := []struct {
		name, ticket string
		want         proto.TicketRefusal
	}{
		{"empty", "", "malformed"},
		{"no dot", payload, "malformed"},
		{"two dots", good + ".", "malformed"},
		{"three parts, as a token with a header", "eyJhbGciOiJub25lIn0." + good, "malformed"},
		{"no payload", "." + signature, "malformed"},
		{"no signature", payload + ".", "malformed"},
		{"a space", good + " ", "malformed"},
		{"a newline", good + "\n", "malformed"},
		{"padding", good + "=", "malformed"},
		{"plain base64", strings.Repeat("+", 20) + "." + signature, "malformed"},
		{"3000 characters", strings.Repeat("a", 3000), "malformed"},
		{"2049 characters", strings.Repeat("a", 2049-44) + "." + signature, "malformed"},
		{"2048 characters", strings.Repeat("a", 2048-44) + "." + signature, "bad signature"},
		{"one bit of the signature", payload + "." + string(flipped), "bad signature"},
		{"a short signature", payload + "." + signature[:42], "bad signature"},
		{"a signature with one more character", payload + "." + signature + "A", "bad signature"},
		{"a signature with two more characters", payload + "." + signature + "AA", "bad signature"},
		{"an altered payload", otherPayload + "." + signature, "bad signature"},
		{"another ticket's signature", payload + "." + otherSignature, "bad signature"},
		{"the token as the key", rawKey(), "bad signature"},
		{"another token", signRaw(token+"x", claimsJSON()), "bad signature"},
		{"not JSON", signRaw(token, "x"), "malformed"},
		{"two values", signRaw(token, claimsJSON()+"{}"), "malformed"},
		{"an array", signRaw(token, "[]"), "malformed"},
		{"null", signRaw(token, "null"), "malformed"},
		{"nested deep", signRaw(token, strings.Repeat("[", 200)+strings.Repeat("]", 200)), "malformed"},
		{"v a string", sign("v", "1"), "malformed"},
		{"v missing", sign("v", nil), "malformed"},
		{"v true", sign("v", true), "malformed"},
		{"sid missing", sign("sid", nil), "another sandbox"},
		{"sid in capitals", sign("sid", nil, "SID", session), "another sandbox"},
		{"sid a number", sign("sid", 1), "another sandbox"},
		{"sid an object", sign("sid", object{}), "another sandbox"},
		{"mode missing", sign("mode", nil), "unknown mode"},
		{"mode in capitals", sign("mode", "View"), "unknown mode"},
		{"iat missing", sign("iat", nil), "bad lifetime"},
		{"iat a string", sign("iat", "1800000000"), "bad lifetime"},
		{"exp null", sign("exp", null), "bad lifetime"},
		{"exp a fraction", sign("exp", issued+30.5), "bad lifetime"},
		{"exp is iat", sign("exp", issued), "bad lifetime"},
		{"exp before iat", sign("exp", issued-1), "bad lifetime"},
		{"exp infinite", signRaw(token, strings.Replace(claimsJSON(), "1800000030", "1e999", 1)), "bad lifetime"},
		{"iat far ahead", sign("iat", issued+10, "exp", issued+30), "issued in the future"},
		{"iat a little ahead", sign("iat", issued+4, "exp", issued+30), ""},
		{"iat beyond a double's integers", sign("iat", 1e300, "exp", 1e300), "bad lifetime"},
		{"expired", sign("iat", issued-30, "exp", issued), "expired"},
		{"expired a second ago", sign("iat", issued-30, "exp", issued-1), "expired"},
		{"jti missing", sign("jti", nil), "malformed"},
		{"jti of 15", sign("jti", strings.Repeat("a", 15)), "malformed"},
		{"jti of 16", sign("jti", strings.Repeat("a", 16)), ""},
		{"jti of 64", sign("jti", strings.Repeat("-", 64)), ""},
		{"jti of 65", sign("jti", strings.Repeat("a", 65)), "malformed"},
		{"jti with a dot", sign("jti", strings.Repeat("a", 16)+"."), "malformed"},
		{"jti a number", sign("jti", 1), "malformed"},
		{"sub a number", sign("sub", 7), "malformed"},
		{"name an object", sign("name", object{}), "malformed"},
		{"name of 10 kB", sign("name", strings.Repeat("x", 10_000)), "malformed"},
		{"numbers in other spellings", signRaw(token, strings.NewReplacer(`"v":1`, `"v":1.0`, `"iat":1800000000`, `"iat":1.8e9`).Replace(claimsJSON())), ""},
		{"a key twice", signRaw(token, `{"v":2,`+claimsJSON()[1:]), ""},
		{"unknown claims", sign("aud", "x"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := verifier(at(issued).now).Verify(tt.ticket); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Each check comes before the next: a ticket with all later faults, too, shows
// the first.
func TestTicketOrderOfChecks(t *testing.T) {
	faults := []struct {
		pairs []any
		want  proto.TicketRefusal
	}{
		{[]any{"v", 2}, "malformed"},
		{[]any{"sid", "x"}, "another sandbox"},
		{[]any{"mode", "x"}, "unknown mode"},
		{[]any{"iat", issued + 100, "exp", issued + 50}, "bad lifetime"},
		{[]any{"iat", issued + 10, "exp", issued + 20}, "issued in the future"},
		{[]any{"iat", issued - 60, "exp", issued - 10}, "expired"},
		{[]any{"jti", "x", "sub", 1}, "malformed"},
	}
	for i := range faults {
		var pairs []any
		for j := len(faults) - 1; j >= i; j-- { // the earliest fault is applied last
			pairs = append(pairs, faults[j].pairs...)
		}
		if _, got := verifier(at(issued).now).Verify(signRaw(token, claimsJSON(pairs...))); got != faults[i].want {
			t.Errorf("fault %d: got %q, want %q", i, got, faults[i].want)
		}
		forged := signRaw("another token", claimsJSON(pairs...))
		if _, got := verifier(at(issued).now).Verify(forged); got != "bad signature" {
			t.Errorf("fault %d, forged: got %q", i, got)
		}
	}
}

func TestTicketClaimsAreCutAndTame(t *testing.T) {
	ticket := signRaw(token, claimsJSON("sub", strings.Repeat("s", 300), "name", strings.Repeat("n", 79)+"😀"))
	got, refusal := verifier(at(issued).now).Verify(ticket)
	if refusal != "" || *got.Subject != strings.Repeat("s", 256) || *got.Name != strings.Repeat("n", 79) {
		t.Errorf("got %+v, %q", got, refusal)
	}
	ticket = signRaw(token, claimsJSON("name", "A\n### Result\u2028\x1b[1m\u202Eb<i>\u0085"))
	got, refusal = verifier(at(issued).now).Verify(ticket)
	if want := "A ### Result  [1m b<i> "; refusal != "" || *got.Name != want {
		t.Errorf("got %q, %q, want %q", *got.Name, refusal, want)
	}
}

func TestTicketIsUsedOnce(t *testing.T) {
	c := at(issued)
	v := verifier(c.now)
	ticket := signRaw(token, claimsJSON())
	for i, want := range []proto.TicketRefusal{"", "already used", "already used"} {
		if _, got := v.Verify(ticket); got != want {
			t.Errorf("use %d: %q", i, got)
		}
	}
	// The other ticket of the same person is another ticket; the same id in
	// other claims is not.
	if _, got := v.Verify(signRaw(token, claimsJSON("jti", "ticket-test-000000002"))); got != "" {
		t.Errorf("second ticket: %q", got)
	}
	if _, got := v.Verify(signRaw(token, claimsJSON("mode", "control"))); got != "already used" {
		t.Errorf("same id: %q", got)
	}
}

// A refused ticket is not used up.
func TestTicketRefusedIsNotUsed(t *testing.T) {
	c := at(issued - 10)
	v := verifier(c.now)
	ticket := signRaw(token, claimsJSON())
	if _, got := v.Verify(ticket); got != "issued in the future" {
		t.Fatal(got)
	}
	c.set(issued)
	if _, got := v.Verify(ticket); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestTicketOneWinsTheRace(t *testing.T) {
	for i := range 20 {
		v := verifier(at(issued).now)
		ticket := signRaw(token, claimsJSON("jti", fmt.Sprintf("ticket-race-%08d", i)))
		var accepted atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, refusal := v.Verify(ticket); refusal == proto.TicketAccepted {
					accepted.Add(1)
				}
			})
		}
		wg.Wait()
		if n := accepted.Load(); n != 1 {
			t.Fatalf("%d got in", n)
		}
	}
}

func TestTicketClockSetBack(t *testing.T) {
	ticket := signRaw(token, claimsJSON())
	unused := signRaw(token, claimsJSON("jti", "ticket-test-000000002"))
	t.Run("after use", func(t *testing.T) {
		c := at(issued)
		v := verifier(c.now)
		v.Verify(ticket)
		c.set(issued - 600)
		if _, got := v.Verify(ticket); got != "already used" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("after the ticket was forgotten", func(t *testing.T) {
		c := at(issued)
		v := verifier(c.now)
		v.Verify(ticket)
		c.set(issued + 700)
		v.Verify(signRaw(token, claimsJSON("iat", issued+700, "exp", issued+730, "jti", "ticket-test-000000003")))
		for _, back := range []float64{issued + 690, issued + 20, issued, issued - 100_000} {
			c.set(back)
			if _, got := v.Verify(ticket); got == "" {
				t.Errorf("at %.0f a used ticket was accepted again", back)
			}
			if _, got := v.Verify(unused); got == "" {
				t.Errorf("at %.0f an expired ticket was accepted", back)
			}
		}
	})
}

func TestTicketVerifierWithoutSecrets(t *testing.T) {
	for _, v := range []*proto.TicketVerifier{
		proto.NewTicketVerifier(proto.Secret{}, session, at(issued).now),
		proto.NewTicketVerifier(proto.NewSecret(token), "", at(issued).now),
	} {
		for _, ticket := range []string{signRaw("", claimsJSON()), signRaw(token, claimsJSON("sid", ""))} {
			if _, got := v.Verify(ticket); got != "bad signature" {
				t.Errorf("got %q", got)
			}
		}
	}
}

func TestSignTicket(t *testing.T) {
	now := time.Unix(issued, 999_000_000)
	c := proto.NewClaims(session, proto.TicketControl, "42", strings.Repeat("n", 100), now)
	if c.IssuedAt != issued || c.ExpiresAt != issued+30 || len(c.ID) != 32 || *c.Subject != "42" || len(*c.Name) != 80 {
		t.Errorf("claims are %+v", c)
	}
	if other := proto.NewClaims(session, proto.TicketView, "", "", now); other.ID == c.ID || other.Subject != nil || other.Name != nil {
		t.Errorf("claims are %+v", other)
	}
	ticket, err := proto.SignTicket(proto.NewSecret(token), c)
	if err != nil {
		t.Fatal(err)
	}
	got, refusal := verifier(func() time.Time { return now }).Verify(ticket)
	if diff := cmp.Diff(c, got); refusal != "" || diff != "" {
		t.Errorf("%q %s", refusal, diff)
	}

	refuse := func(name string, secret proto.Secret, change func(*proto.Claims)) {
		t.Helper()
		bad := c
		change(&bad)
		ticket, err := proto.SignTicket(secret, bad)
		if ticket != "" {
			t.Errorf("%s: signed", name)
		}
		wantCode(t, err, proto.CodeInvalidArguments)
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%s: the error shows the token", name)
		}
	}
	secret := proto.NewSecret(token)
	refuse("no token", proto.Secret{}, func(*proto.Claims) {})
	refuse("no session", secret, func(c *proto.Claims) { c.SessionID = "" })
	refuse("no mode", secret, func(c *proto.Claims) { c.Mode = "" })
	refuse("no lifetime", secret, func(c *proto.Claims) { c.ExpiresAt = c.IssuedAt })
	refuse("61 seconds", secret, func(c *proto.Claims) { c.ExpiresAt = c.IssuedAt + 61 })
	refuse("no id", secret, func(c *proto.Claims) { c.ID = "" })
	refuse("too long", secret, func(c *proto.Claims) { c.Subject = ptr(strings.Repeat("x", 2000)) })
}
