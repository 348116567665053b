package proto

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/netip"
	"strings"
)

// StorageState is a saved sign-in: cookies and the localStorage of origins.
// Its JSON is the shape of the config's storage_state and of the answer of
// GET /storage-state; formatters show counts, never values.
type StorageState struct {
	Cookies []Cookie      `json:"cookies"`
	Origins []OriginState `json:"origins"`
}

// Cookie is one cookie of a StorageState, keys in wire order.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`  // a leading dot is allowed
	Path     string  `json:"path"`    // "" is written as "/"
	Expires  float64 `json:"expires"` // epoch seconds; -1 = with the session
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite"` // "Strict", "Lax" or "None"
}

// OriginState is the localStorage of one origin.
type OriginState struct {
	Origin       string      `json:"origin"`
	LocalStorage []NameValue `json:"localStorage"`
}

// NameValue is one localStorage item.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// sessionCookie is the expiry of a cookie that ends with the browser.
const sessionCookie = -1

// IsZero says whether there is nothing to restore.
func (s StorageState) IsZero() bool { return len(s.Cookies) == 0 && len(s.Origins) == 0 }

// String counts what is there.
func (s StorageState) String() string {
	return fmt.Sprintf("storage state(%d cookies, %d origins)", len(s.Cookies), len(s.Origins))
}

// Format prints [StorageState.String] for every verb and flag.
func (s StorageState) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// Format prints the cookie's name and domain, never its value.
func (c Cookie) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "cookie(%s for %s)", c.Name, c.Domain)
}

// Format prints the item's name, never its value.
func (n NameValue) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "item(%s)", n.Name)
}

// MarshalJSON writes the state in wire order, with empty arrays for nil.
func (s StorageState) MarshalJSON() ([]byte, error) {
	type wire StorageState // without this method
	w := wire{Cookies: make([]Cookie, 0, len(s.Cookies)), Origins: make([]OriginState, 0, len(s.Origins))}
	for _, c := range s.Cookies {
		w.Cookies = append(w.Cookies, c.normal())
	}
	for _, o := range s.Origins {
		if o.LocalStorage == nil {
			o.LocalStorage = []NameValue{}
		}
		w.Origins = append(w.Origins, o)
	}
	return encodeJSON(w)
}

// normal puts the default in the place of what the wire does not know.
func (c Cookie) normal() Cookie {
	c.Path = or(c.Path, "/")
	if math.IsNaN(c.Expires) || math.IsInf(c.Expires, 0) {
		c.Expires = sessionCookie
	}
	switch c.SameSite {
	case "Strict", "Lax", "None":
	default:
		c.SameSite = "Lax"
	}
	return c
}

// Filter keeps what belongs to the app: cookies whose domain is appHost or a
// parent of it, and the localStorage of exactly appOrigin. appHost is the
// host name of the app's URL without its port; appOrigin its serialised
// origin. The result shares the entries of s.
func (s StorageState) Filter(appHost, appOrigin string) StorageState {
	var kept StorageState
	for _, c := range s.Cookies {
		if cookieReaches(c.Domain, appHost) {
			kept.Cookies = append(kept.Cookies, c)
		}
	}
	for _, o := range s.Origins {
		if o.Origin == appOrigin {
			kept.Origins = append(kept.Origins, o)
		}
	}
	return kept
}

// cookieReaches says whether a browser would send a cookie of domain to host.
// Parents count at dots only, never for an address ("0.0.1" is no parent of
// 127.0.0.1), and never as a bare top-level name: a browser refuses such a
// cookie, and with it the whole batch that it came in.
func cookieReaches(domain, host string) bool {
	domain = bareHost(strings.TrimPrefix(domain, "."))
	host = bareHost(host)
	if domain == "" {
		return false
	}
	if domain == host {
		return true
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	return strings.Contains(domain, ".") && strings.HasSuffix(host, "."+domain)
}

// bareHost lower-cases a host and takes the brackets off an IPv6 address.
func bareHost(host string) string {
	host = strings.ToLower(host)
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	return host
}

// storageAnswer is the body of GET /storage-state.
type storageAnswer struct {
	StorageState StorageState `json:"storage_state"`
}

// Answer is the body of GET /storage-state.
func (s StorageState) Answer() ([]byte, error) { return encodeJSON(storageAnswer{s}) }

var _ json.Marshaler = StorageState{}
