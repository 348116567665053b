//go:build linux

package attack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// forge makes a ticket as a forger would, out of any claims and key.
func forge(claims map[string]any, key []byte) string {
	b, err := json.Marshal(claims)
	if err != nil {
		panic(err) // of values of ours: never
	}
	payload := base64.RawURLEncoding.EncodeToString(b)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(payload))
	return payload + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// derivedKey is the key of tickets, by its definition.
func derivedKey() []byte {
	mac := hmac.New(sha256.New, []byte(apptest.Token))
	mac.Write([]byte("activeagents/browser-live-ticket/v1"))
	return mac.Sum(nil)
}

// goodClaims are those of a ticket that is taken.
func goodClaims(now time.Time) map[string]any {
	return map[string]any{
		"v": 1, "sid": liveSession, "sub": "u1", "name": "Ada", "mode": "view",
		"iat": now.Unix(), "exp": now.Unix() + 30, "jti": "0123456789abcdef0123",
	}
}

// ticketRow runs a row of tickets on the real socket. One of more.json is a change
// of good claims, or a text that stands in the ticket's place.
func ticketRow(t *testing.T, e *scene, r row) {
	now := time.Now()
	claims := goodClaims(now)
	claims["jti"] = "0123456789abcdef" + r.ID
	change := map[string]map[string]any{
		"S194": {"iat": now.Unix() - 31, "exp": now.Unix() - 1},
		"S197": {"sid": "session-2"},
		"S202": {"iat": now.Unix() + 60, "exp": now.Unix() + 90},
	}[r.ID]
	if strings.HasPrefix(r.ID, "M") && r.How != "text" {
		if err := json.Unmarshal([]byte(r.Input), &change); err != nil {
			t.Fatalf("the row is no change: %v", err)
		}
		for _, key := range []string{"iat", "exp"} { // relative to now
			if n, ok := change[key].(float64); ok && n < 1e6 {
				change[key] = float64(now.Unix()) + n
			}
		}
	}
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == "absent" })
	text := forge(claims, derivedKey())
	switch r.ID {
	case "S193":
		e.present(t, text, true)
	case "S195":
		text = flipLast(text)
	case "S196":
		_, mac, _ := strings.Cut(text, ".")
		claims["mode"] = "control"
		payload, _, _ := strings.Cut(forge(claims, derivedKey()), ".")
		text = payload + "." + mac
	case "S198":
		text = forge(claims, []byte(apptest.Token))
	case "S199":
		e.firstMessage(t, "")
		return
	case "S200":
		if got := e.knock(t, "/live?ticket="+text, liveOrigin, ""); got != http.StatusBadRequest {
			t.Errorf("answered with %d", got)
		}
		return
	case "S201":
		e.silent(t)
		return
	case "S203":
		for _, odd := range []string{
			base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + text, text + ".", text + ".x", "." + text,
		} {
			e.present(t, odd, false)
		}
		text, _, _ = strings.Cut(text, ".")
	case "S204":
		e.names(t, now)
		return
	case "S205":
		clockSetBack(t, text, now)
		e.note("with a clock in the test's hands, on the verifier")
		return
	}
	if r.How == "text" {
		text = strings.ReplaceAll(r.Input, "TICKET", text)
	}
	e.present(t, text, r.allowed())
}

// flipLast changes one bit of the signature, one that counts.
func flipLast(ticket string) string {
	payload, mac, _ := strings.Cut(ticket, ".")
	b, _ := base64.RawURLEncoding.DecodeString(mac)
	b[len(b)-1] ^= 1
	return payload + "." + base64.RawURLEncoding.EncodeToString(b)
}

// present shows a ticket on a socket of its own: a good one opens the view, any
// other closes the socket, and nothing comes before.
func (e *scene) present(t *testing.T, text string, good bool) {
	t.Helper()
	v := e.socket(t)
	defer v.Close()
	v.say(apptest.Args{"type": "auth", "ticket": text})
	message, code := v.next()
	if good && (code != 0 || message["type"] != "ready") {
		t.Errorf("%.60q: closed with %d, %v", text, code, message)
	}
	if !good && code != proto.CloseRefused {
		t.Errorf("%.60q: %d, %v", text, code, message)
	}
}

// firstMessage: anything but a ticket closes the socket, and nothing comes before.
func (e *scene) firstMessage(t *testing.T, text string) {
	t.Helper()
	for _, text := range []string{text, "{}", "[]", "null", `"auth"`, `{"type":"auth"}`, `{"type":"auth","ticket":7}`, `{"type":"auth","ticket":null}`, `{"type":"hello"}`, "\x00"} {
		v := e.socket(t)
		v.say(text)
		if message, code := v.next(); code != proto.CloseRefused {
			t.Errorf("%q: %d, %v", text, code, message)
		}
		v.Close()
	}
}

// silent: a socket that shows nothing is closed after five seconds, and nothing
// was sent to it.
func (e *scene) silent(t *testing.T) {
	t.Helper()
	v := e.socket(t)
	begin := time.Now()
	message, code := v.next()
	if took := time.Since(begin); code != proto.CloseNoTicket || took < 3*time.Second || took > 10*time.Second {
		t.Errorf("after %v: %d, %v", took, code, message)
	}
}

// clockSetBack: a used ticket stays used, whatever the clock says.
func clockSetBack(t *testing.T, text string, now time.Time) {
	t.Helper()
	clock := now
	v := proto.NewTicketVerifier(proto.NewSecret(apptest.Token), liveSession, func() time.Time { return clock })
	if _, refusal := v.Verify(text); refusal != proto.TicketAccepted {
		t.Fatalf("the first time: %q", refusal)
	}
	for _, step := range []time.Duration{-10 * time.Minute, -24 * time.Hour, 10 * time.Second, -10 * time.Minute} {
		clock = now.Add(step)
		if _, refusal := v.Verify(text); refusal == proto.TicketAccepted {
			t.Errorf("accepted again with the clock at %v", step)
		}
	}
}

// names: what a name may hold is cut to one short line, for other viewers and for
// the agent.
func (e *scene) names(t *testing.T, now time.Time) {
	t.Helper()
	for i, name := range []string{strings.Repeat("x", 10_000), "a\nb\r\x00\x1b[2Jc", "\u202eevil\u2066", strings.Repeat("\U0001f469", 60), "<img src=x onerror=alert(1)>"} {
		claims := goodClaims(now)
		claims["name"], claims["mode"] = name, "control"
		claims["jti"] = fmt.Sprintf("0123456789abcdef-view-%d", i)
		v := e.socket(t)
		v.say(apptest.Args{"type": "auth", "ticket": forge(claims, derivedKey())})
		if _, code := v.next(); code != 0 {
			if code != proto.CloseRefused || len(name) < 1000 {
				t.Errorf("%.20q: closed with %d", name, code)
			}
			continue
		}
		claims["jti"] = fmt.Sprintf("0123456789abcdef-take-%d", i)
		v.say(apptest.Args{"type": "take_control", "ticket": forge(claims, derivedKey())})
		by, _ := v.until("control")["by"].(string)
		if len(by) > 4*80 || strings.ContainsAny(by, "\n\r\x00\x1b\u202e\u2066") {
			t.Errorf("the name is told as %q", by)
		}
		v.say(`{"type":"hand_back"}`)
		v.Close()
	}
}
