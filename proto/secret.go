package proto

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// secretMask is what every formatter and logger shows in a secret's place.
const secretMask = "[secret]"

// errSecretEncoded stops an encoder that met a secret by accident.
var errSecretEncoded = errors.New("a secret is not encoded by itself: call Reveal where it must be sent")

// Secret is a string that no formatter, logger or encoder shows. The zero
// value is the empty secret, which matches nothing.
//
// The value sits behind a pointer: fmt can't call the methods of a Secret that
// is an unexported field of another struct, and then prints an address instead
// of the text. So == compares identities; use [Secret.Equal].
type Secret struct{ v *string }

// NewSecret wraps s.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{&s}
}

// RandomToken returns a bearer token: the prefix, by which scanners for secrets
// recognise it, and so many characters of base58, each worth 5.86 random bits.
func RandomToken(prefix string, length int) Secret {
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	const fair = 256 / len(base58) * len(base58) // bytes from here on would favour the first letters
	token := []byte(prefix)
	var b [1]byte
	for len(token) < len(prefix)+length {
		rand.Read(b[:]) // never fails: it ends the program instead
		if int(b[0]) < fair {
			token = append(token, base58[int(b[0])%len(base58)])
		}
	}
	return NewSecret(string(token))
}

// Reveal returns the value, for the one place that must send it.
func (s Secret) Reveal() string {
	if s.v == nil {
		return ""
	}
	return *s.v
}

// IsZero says whether the secret is empty.
func (s Secret) IsZero() bool { return s.v == nil }

// Equal says whether two secrets hold the same text, in a time that depends on
// neither text but for its length.
func (s Secret) Equal(other Secret) bool {
	a, b := sha256.Sum256([]byte(s.Reveal())), sha256.Sum256([]byte(other.Reveal()))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// Matches is [Secret.Equal] for text that a stranger sent. An empty secret
// matches nothing, so a token that was never set lets nobody in.
func (s Secret) Matches(text string) bool {
	return !s.IsZero() && s.Equal(NewSecret(text))
}

// String shows that there is a secret, not what it is.
func (s Secret) String() string { return secretMask }

// GoString is String.
func (s Secret) GoString() string { return secretMask }

// Format prints the mask for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, secretMask) }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(secretMask) }

// MarshalJSON always fails: a mask in a config would look like a token, and
// the text would be a leak.
func (s Secret) MarshalJSON() ([]byte, error) { return nil, errSecretEncoded }

// MarshalText always fails, for the other encoders.
func (s Secret) MarshalText() ([]byte, error) { return nil, errSecretEncoded }
