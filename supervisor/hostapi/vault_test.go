package hostapi

import (
	"bytes"
	"io"
	"testing"
)

// What is sealed opens for the same owner and project, with the same key, as it
// was sealed, and in no other way.
func TestVault(t *testing.T) {
	t.Parallel()
	v, err := newVault(NewSignInKey())
	if err != nil {
		t.Fatal(err)
	}
	other, err := newVault(NewSignInKey())
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(`{"cookies":[]}`)
	sealed := v.seal(text, "acme", "shop")
	if got, err := v.open(sealed, "acme", "shop"); err != nil || !bytes.Equal(got, text) {
		t.Errorf("got %q, %v", got, err)
	}
	if bytes.Equal(sealed, v.seal(text, "acme", "shop")) {
		t.Error("the same text is sealed the same twice")
	}
	cut, bent, newer := bytes.Clone(sealed[:len(sealed)-1]), bytes.Clone(sealed), bytes.Clone(sealed)
	bent[len(bent)/2] ^= 1
	newer[0]++
	for name, open := range map[string]func() ([]byte, error){
		"another owner":   func() ([]byte, error) { return v.open(sealed, "rival", "shop") },
		"another project": func() ([]byte, error) { return v.open(sealed, "acme", "other") },
		"another key":     func() ([]byte, error) { return other.open(sealed, "acme", "shop") },
		"names that join": func() ([]byte, error) { return v.open(sealed, `acme" "shop`, "") },
		"a cut one":       func() ([]byte, error) { return v.open(cut, "acme", "shop") },
		"a bent one":      func() ([]byte, error) { return v.open(bent, "acme", "shop") },
		"a newer version": func() ([]byte, error) { return v.open(newer, "acme", "shop") },
		"nothing":         func() ([]byte, error) { return v.open(nil, "acme", "shop") },
	} {
		if got, err := open(); err == nil {
			t.Errorf("%s opens to %q", name, got)
		}
	}
}

func FuzzVaultOpen(f *testing.F) {
	v, err := newVault(NewSignInKey())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte{vaultVersion})
	f.Add(bytes.Repeat([]byte{vaultVersion}, 64))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if text, err := v.open(sealed, "acme", "shop"); err == nil {
			t.Errorf("%x opens to %q", sealed, text)
		}
	})
}

// spy remembers where it was read into, as a look at the memory would.
type spy struct {
	left int
	into [][]byte
}

func (s *spy) Read(p []byte) (int, error) {
	n := min(len(p), s.left)
	if n == 0 {
		return 0, io.EOF
	}
	for i := range n {
		p[i] = 'x'
	}
	s.left -= n
	s.into = append(s.into, p[:n])
	return n, nil
}

func TestReadOnceLeavesNoCopy(t *testing.T) {
	t.Parallel()
	const limit = 3 * firstRead
	for length, fits := range map[int]bool{0: true, 1: true, firstRead: true, firstRead + 1: true, limit: true, limit + 1: false} {
		s := &spy{left: length}
		data, err := readOnce(s, limit)
		if (err == nil) != fits || fits && !bytes.Equal(data, bytes.Repeat([]byte("x"), length)) {
			t.Errorf("of %d bytes: %d, %v", length, len(data), err)
		}
		clear(data)
		for _, p := range s.into {
			if bytes.Contains(p, []byte("x")) {
				t.Errorf("of %d bytes a copy is left", length)
			}
		}
	}
}
