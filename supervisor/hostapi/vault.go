package hostapi

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pillion-browser/pillion/proto"
)

// signInKeyBytes is the length of the key: AES-256.
const signInKeyBytes = 32

// vault seals saved sign-ins with AES-GCM. What a sealed text is bound to must
// be said again to open it: a sign-in that is moved to another owner or project
// does not open there.
type vault struct{ aead cipher.AEAD }

// vaultVersion is a sealed text's first byte.
const vaultVersion = 1

var errSealed = errors.New("the saved sign-in does not open: it was sealed with another key, or changed")

func newVault(key proto.Secret) (*vault, error) {
	raw := []byte(key.Reveal())
	defer clear(raw)
	if len(raw) != signInKeyBytes {
		return nil, fmt.Errorf("SignInKey must have %d bytes, not %d", signInKeyBytes, len(raw))
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &vault{aead}, nil
}

// seal encrypts text, bound to an owner and a project.
func (v *vault) seal(text []byte, owner, project string) []byte {
	return v.aead.Seal([]byte{vaultVersion}, nil, text, binding(owner, project))
}

// open decrypts what seal gave for the same owner and project.
func (v *vault) open(sealed []byte, owner, project string) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != vaultVersion {
		return nil, errSealed
	}
	text, err := v.aead.Open(nil, nil, sealed[1:], binding(owner, project))
	if err != nil {
		return nil, errSealed
	}
	return text, nil
}

// binding joins the two so that no other two give the same.
func binding(owner, project string) []byte {
	return fmt.Appendf(nil, "pillion/sign-in/v1 %q %q", owner, project)
}

// NewSignInKey makes a key for [Options.SignInKey].
func NewSignInKey() proto.Secret {
	raw := make([]byte, signInKeyBytes)
	rand.Read(raw) // never fails: it ends the program instead
	defer clear(raw)
	return proto.NewSecret(string(raw))
}
