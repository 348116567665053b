package egress

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// challenge is the field of a 407 that makes a client send Basic credentials.
const challenge = `Basic realm="sandbox browser"`

// gate knows the one pair of credentials that opens the proxy.
type gate struct {
	open bool // no credentials are asked for
	sum  [sha256.Size]byte
}

func newGate(c Credentials) gate {
	if c.User.IsZero() && c.Password.IsZero() {
		return gate{open: true}
	}
	pair := c.User.Reveal() + ":" + c.Password.Reveal()
	return gate{sum: sha256.Sum256([]byte(base64.StdEncoding.EncodeToString([]byte(pair))))}
}

// admits says whether a request carries the credentials. Its time depends on the
// length of what a stranger sent and on nothing else.
func (g gate) admits(h head) bool {
	if g.open {
		return true
	}
	values := h.all("Proxy-Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, pair, _ := strings.Cut(values[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimLeft(pair, " ")))
	return strings.EqualFold(scheme, "Basic") && subtle.ConstantTimeCompare(sum[:], g.sum[:]) == 1
}
