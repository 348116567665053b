package supervisor

import (
	"crypto/rand"

	"github.com/pillion-browser/pillion/proto"
)

// tokenPrefix makes a browser's token recognisable to secret scanners.
const tokenPrefix = "aabrw_"

// newToken returns a bearer token: the prefix and 40 characters of base58,
// 234 random bits.
func newToken() proto.Secret {
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	const fair = 256 / len(base58) * len(base58) // bytes from here on would favour the first letters
	token := []byte(tokenPrefix)
	var b [1]byte
	for len(token) < len(tokenPrefix)+40 {
		rand.Read(b[:]) // never fails: it ends the program instead
		if int(b[0]) < fair {
			token = append(token, base58[int(b[0])%len(base58)])
		}
	}
	return proto.NewSecret(string(token))
}
