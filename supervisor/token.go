package supervisor

import "github.com/pillion-browser/pillion/proto"

// tokenPrefix makes a browser's token recognisable to secret scanners.
const tokenPrefix = "aabrw_"

// newToken returns a bearer token of 234 random bits.
func newToken() proto.Secret { return proto.RandomToken(tokenPrefix, 40) }
