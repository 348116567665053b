package proto

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
)

// A live-view ticket lets one person watch, or take control of, one browser,
// once, within the next half minute. The host signs it with a key that it
// derives from the browser's token; the sidecar verifies it with the same key,
// so the token itself never reaches a page.
//
//	ticket  = payload "." mac
//	payload = base64url(JSON of the claims)
//	mac     = base64url(HMAC-SHA256(key, payload))
//	key     = HMAC-SHA256(token, ticketContext)

// Times of a ticket.
const (
	TicketLifetime = 30 * time.Second // what a host gives; enough to open a page
	ticketLongest  = 60               // seconds; what a sidecar accepts
	ticketSkew     = 5                // seconds that the host's clock may be ahead
)

// Sizes of a ticket, in characters.
const (
	ticketLength = 2048
	jtiShortest  = 16
	jtiLongest   = 64
	subLongest   = 256
	nameLongest  = 80
)

// ticketContext keeps the ticket key apart from every other use of the token.
const ticketContext = "activeagents/browser-live-ticket/v1"

// TicketMode is what a ticket allows.
type TicketMode string

// The two modes. Either lets its bearer watch.
const (
	TicketView    TicketMode = "view"
	TicketControl TicketMode = "control"
)

// Claims is what a ticket says.
type Claims struct {
	SessionID string     // the live view's session
	Subject   *string    // the person's id in the host; nil = anonymous
	Name      *string    // what other viewers and agents read; nil = none
	Mode      TicketMode // view or control
	IssuedAt  int64      // epoch seconds
	ExpiresAt int64      // epoch seconds, at most 60 after IssuedAt
	ID        string     // 16 to 64 of A-Z a-z 0-9 _ -; never used twice
}

// NewClaims makes the claims of a ticket that is valid from now for
// [TicketLifetime], with a random ID. An empty subject or name is none.
func NewClaims(sessionID string, mode TicketMode, subject, name string, now time.Time) Claims {
	var id [24]byte
	_, _ = rand.Read(id[:]) // never fails: the process ends where there is no randomness
	c := Claims{
		SessionID: sessionID,
		Mode:      mode,
		IssuedAt:  now.Unix(),
		ExpiresAt: now.Add(TicketLifetime).Unix(),
		ID:        base64.RawURLEncoding.EncodeToString(id[:]),
	}
	if subject != "" {
		c.Subject = &subject
	}
	if name != "" {
		name = utf16Cut(name, nameLongest)
		c.Name = &name
	}
	return c
}

// claimsWire is the payload, in the original's key order.
type claimsWire struct {
	V    int        `json:"v"`
	Sid  string     `json:"sid"`
	Sub  *string    `json:"sub"`
	Name *string    `json:"name"`
	Mode TicketMode `json:"mode"`
	Iat  int64      `json:"iat"`
	Exp  int64      `json:"exp"`
	Jti  string     `json:"jti"`
}

// ticketVersion is the claims' v.
const ticketVersion = 1

// SignTicket makes a ticket for the browser whose bearer token is token. It
// refuses claims that no sidecar would accept at any time, so that a mistake
// shows where it was made; its error is an [*Error] with
// [CodeInvalidArguments].
func SignTicket(token Secret, claims Claims) (string, error) {
	if err := claims.check(token); err != nil {
		return "", err
	}
	data, err := encodeJSON(claimsWire{
		ticketVersion, claims.SessionID, claims.Subject, claims.Name, claims.Mode,
		claims.IssuedAt, claims.ExpiresAt, claims.ID,
	})
	if err != nil {
		return "", fmt.Errorf("encode ticket claims: %w", err)
	}
	payload := base64.RawURLEncoding.EncodeToString(data)
	mac := base64.RawURLEncoding.EncodeToString(ticketMAC(ticketKey(token), payload))
	ticket := payload + "." + mac
	if len(ticket) > ticketLength {
		return "", badClaims("subject and name are too long for a ticket")
	}
	return ticket, nil
}

func (c Claims) check(token Secret) error {
	lifetime := c.ExpiresAt - c.IssuedAt
	switch {
	case token.IsZero():
		return badClaims("a ticket needs the browser's token")
	case c.SessionID == "":
		return badClaims("a ticket needs a session")
	case c.Mode != TicketView && c.Mode != TicketControl:
		return badClaims("a ticket's mode must be view or control")
	case lifetime <= 0 || lifetime > ticketLongest:
		return badClaims(fmt.Sprintf("a ticket's lifetime must be from 1 to %d seconds", ticketLongest))
	case !ticketID(c.ID):
		return badClaims("a ticket's ID must be 16 to 64 letters, digits, _ and -")
	}
	return nil
}

func badClaims(message string) error {
	return &Error{Code: CodeInvalidArguments, Message: message}
}

func ticketKey(token Secret) []byte {
	mac := hmac.New(sha256.New, []byte(token.Reveal()))
	mac.Write([]byte(ticketContext))
	return mac.Sum(nil)
}

func ticketMAC(key []byte, payload string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(payload))
	return mac.Sum(nil)
}

// ticketID says whether s can be a ticket's ID.
func ticketID(s string) bool {
	return len(s) >= jtiShortest && len(s) <= jtiLongest && urlSafe(s)
}

// urlSafe says whether s is of base64url's alphabet and not empty.
func urlSafe(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return s != ""
}
