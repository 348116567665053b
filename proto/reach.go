package proto

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Egress says what pages may connect to.
type Egress string

// The egress modes. In each of them the app's own origin and the origins of
// Launch.AllowOrigins can be reached, and the address of a name is checked.
const (
	// EgressOpen adds every public address, and what Launch.AllowHosts names.
	EgressOpen Egress = "open"
	// EgressAppOnly adds nothing. Names of others are not even looked up.
	EgressAppOnly Egress = "app-only"
	// EgressAllowList adds the hosts of Launch.AllowHosts and nothing else.
	EgressAllowList Egress = "allow-list"
)

// AllowedOrigin is an origin whose pages count as the app's: tabs may show them,
// and pages may load from them. On the wire it is the origin as a string, such as
// "https://login.example.com", or {"origin": …, "private": true}.
//
// An origin of an IP address, or of localhost, is what it says. A name must
// resolve to public addresses unless Private is set. A storage state has nothing of
// such an origin: it is AppURL's alone.
type AllowedOrigin struct {
	Origin string // serialised: scheme, host and the port where it is not the scheme's own
	// Private lets a name lead to private and loopback addresses, to those that it
	// has at its first use.
	Private bool
}

// AllowedHost is a host that pages may load from and no tab may show. On the wire
// it is a string or, with private, {"host": …, "private": true}:
//
//	"cdn.example.com"        one name, on ports 80 and 443
//	"*.example.com"          every name below it, not itself, on ports 80 and 443
//	"api.example.com:8443"   that port alone; so also for "*.example.com:8443"
//	"127.0.0.1:4000"         that address; "[::1]:4000"
//	"localhost:4000"         this machine, never what a DNS server says
//	{"host": "db.corp.example:8080", "private": true}
//
// The last three reach what the address rule refuses, and so name their port. A
// name without private must resolve to public addresses, also when it is listed.
type AllowedHost struct {
	Host    string // serialised: a name, "*." and a name, 192.0.2.1 or [2001:db8::1]
	Port    int    // 0 = 80 and 443
	Private bool   // as in AllowedOrigin
}

// Bounds of what a config may list: far above any list that is kept by hand.
const (
	maxAllowed = 1000
	maxAppCA   = 256 << 10 // bytes: some hundred certificates
)

// The rules of an entry. A host is shown as an example, never as it was given.
const (
	ruleOrigin   = "must be an origin such as http://localhost:5173, without path, query, fragment and user"
	ruleHost     = "must be a host such as example.com, *.example.com, api.example.com:8443 or 127.0.0.1:4000"
	rulePort     = "must name its port, as every IP address, localhost and every private host must"
	ruleWildcard = "must not be private and a wildcard at once"
)

// reach checks the keys of what may be reached beside the app.
func (c *checker) reach(l *Launch, doc map[string]any, app URL) {
	l.Egress = Egress(c.oneOf("egress", doc["egress"], string(EgressOpen), string(EgressAppOnly), string(EgressAllowList)))
	for i, v := range c.entries("allow_origins", doc["allow_origins"]) {
		if o, rule := c.allowedOrigin(v); rule != "" {
			c.failEntry("allow_origins", i, rule)
		} else {
			l.AllowOrigins = append(l.AllowOrigins, o)
		}
	}
	hosts := c.entries("allow_hosts", doc["allow_hosts"])
	for i, v := range hosts {
		if h, rule := c.allowedHost(v); rule != "" {
			c.failEntry("allow_hosts", i, rule)
		} else {
			l.AllowHosts = append(l.AllowHosts, h)
		}
	}
	if l.Egress == EgressAppOnly && len(hosts) > 0 {
		c.fail("allow_hosts", "must be empty where egress is app-only, which reaches the app alone; allow-list reaches both")
	}
	l.LoopbackAliases = c.flag("loopback_aliases", doc["loopback_aliases"])
	if l.LoopbackAliases && app.Hostname != "" && !IsLoopbackAlias(app.Hostname) {
		c.warn("loopback_aliases", "has no meaning for an app_url that is not localhost, 127.0.0.1 or [::1]")
	}
	l.IgnoreHTTPSErrors = c.flag("ignore_https_errors", doc["ignore_https_errors"])
	l.AppCA = c.text("app_ca", doc["app_ca"])
	switch {
	case l.AppCA == "":
	case len(l.AppCA) > maxAppCA || len(ParseCertificates(l.AppCA)) == 0:
		c.fail("app_ca", "must be one or more certificates in PEM and nothing else")
	case l.IgnoreHTTPSErrors:
		c.fail("app_ca", "must not stand beside ignore_https_errors, which takes every certificate")
	}
}

// IsLoopbackAlias says whether a serialised host is one of the three names that
// Launch.LoopbackAliases makes one app of.
func IsLoopbackAlias(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}

// ParseCertificates reads a text of certificates in PEM. It gives none where
// anything else is in it but white space, or one of them can't be read.
func ParseCertificates(text string) []*x509.Certificate {
	var list []*x509.Certificate
	rest := []byte(strings.TrimSpace(text))
	for len(rest) > 0 {
		if !strings.HasPrefix(string(rest), "-----BEGIN CERTIFICATE-----") {
			return nil
		}
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return nil
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil
		}
		list = append(list, cert)
		rest = []byte(strings.TrimSpace(string(rest)))
	}
	return list
}

// entries is an array of bounded length.
func (c *checker) entries(key string, v any) []any {
	list := c.array(key, v)
	if len(list) > maxAllowed {
		c.fail(key, fmt.Sprintf("must not have more than %d entries", maxAllowed))
		return nil
	}
	return list
}

// failEntry names an entry by its number from 1, because its own text may be a
// secret that was put in the wrong place.
func (c *checker) failEntry(key string, i int, rule string) {
	c.fail(key, fmt.Sprintf("entry %d %s", i+1, rule))
}

// entry takes an entry apart: a string, or an object of a string and private.
func entry(v any, key string) (text string, private, ok bool) {
	if s, isText := v.(string); isText {
		return s, false, true
	}
	obj, isObject := v.(map[string]any)
	if !isObject {
		return "", false, false
	}
	text, ok = obj[key].(string)
	for k, v := range obj {
		switch {
		case k == key:
		case k == "private" && (v == nil || v == true || v == false):
			private = v == true
		default:
			// What widens a wall is not to be guessed at.
			return "", false, false
		}
	}
	return text, private, ok
}

func (c *checker) allowedOrigin(v any) (o AllowedOrigin, rule string) {
	raw, private, ok := entry(v, "origin")
	u, err := c.parseURL(raw)
	if !ok || err != nil || !web(u) || u.Path != "/" || u.Query != "" || u.Fragment != "" || userInfo(u) || u.Port == "0" || strings.Contains(u.Hostname, "*") {
		return AllowedOrigin{}, ruleOrigin
	}
	return AllowedOrigin{Origin: u.Origin, Private: private}, ""
}

func (c *checker) allowedHost(v any) (h AllowedHost, rule string) {
	raw, private, ok := entry(v, "host")
	name, wildcard := strings.CutPrefix(raw, "*.")
	name, port, portOK := cutPort(name)
	// A bare host: no user, no path, no second port.
	plain := !strings.ContainsAny(name, `/\?#@*`) && (strings.HasPrefix(name, "[") || !strings.Contains(name, ":"))
	u, err := c.parseURL("http://" + name + "/")
	if !ok || !portOK || !plain || err != nil || u.Host != u.Hostname || u.Path != "/" || userInfo(u) {
		return AllowedHost{}, ruleHost
	}
	addr, ipErr := netip.ParseAddr(strings.Trim(u.Hostname, "[]"))
	literal, local := ipErr == nil && addr.IsValid(), u.Hostname == "localhost" || strings.HasSuffix(u.Hostname, ".localhost")
	switch {
	case wildcard && (literal || !local && !strings.Contains(strings.TrimSuffix(u.Hostname, "."), ".")):
		return AllowedHost{}, ruleHost // *.com is most of the internet
	case wildcard && private:
		return AllowedHost{}, ruleWildcard
	case port == 0 && (literal || local || private):
		return AllowedHost{}, rulePort
	}
	h = AllowedHost{Host: u.Hostname, Port: port, Private: private}
	if wildcard {
		h.Host = "*." + h.Host
	}
	return h, ""
}

// cutPort takes the port off the end of a host; 0 for none, false for a bad one.
func cutPort(host string) (bare string, port int, ok bool) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.HasSuffix(host, "]") {
		return host, 0, true
	}
	digits := host[i+1:]
	n, err := strconv.Atoi(digits)
	ok = err == nil && n > 0 && n <= 65535 && strings.Trim(digits, "0123456789") == ""
	return host[:i], n, ok
}

// MarshalJSON writes the entry as a config has it.
func (o AllowedOrigin) MarshalJSON() ([]byte, error) {
	if !o.Private {
		return encodeJSON(o.Origin)
	}
	return encodeJSON(struct {
		Origin  string `json:"origin"`
		Private bool   `json:"private"`
	}{o.Origin, true})
}

// MarshalJSON writes the entry as a config has it.
func (h AllowedHost) MarshalJSON() ([]byte, error) {
	host := h.Host
	if h.Port != 0 {
		host += ":" + strconv.Itoa(h.Port)
	}
	if !h.Private {
		return encodeJSON(host)
	}
	return encodeJSON(struct {
		Host    string `json:"host"`
		Private bool   `json:"private"`
	}{host, true})
}
