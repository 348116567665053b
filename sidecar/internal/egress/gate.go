package egress

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"sync"
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

// memory follows whether the browser has the credentials at hand. It loses them
// with the process that makes its connections, which then all end; it is asked
// once more, and must be listening for the question before it comes.
//
// An end of a connection is no proof of a loss, and a request with credentials
// that is followed by an end is none of the contrary. Both are corrected by what
// comes next, and being wrong for a while costs little.
type memory struct {
	tell func(known bool)

	mu    sync.Mutex
	known bool
}

// set tells of a change. The lock is held meanwhile, so that changes are told in
// their order.
func (m *memory) set(known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != known {
		m.known = known
		m.tell(known)
	}
}
