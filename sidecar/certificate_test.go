package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/testdata/app"
)

// authority issues certificates that no browser knows of.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	a.key = a.newKey()
	now := time.Now()
	a.cert = a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "A private authority"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, a.key)
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

// sign makes a certificate of a template; without a parent it signs itself.
func (a *authority) sign(template, parent *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	a.t.Helper()
	signer := a.key
	if parent == nil {
		parent, signer = template, key
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
}

// issue signs a certificate for an address; expired makes one of yesterday.
func (a *authority) issue(ip string, expired bool) tls.Certificate {
	a.t.Helper()
	key, end := a.newKey(), time.Now().Add(time.Hour)
	if expired {
		end = time.Now().Add(-time.Hour)
	}
	cert := a.sign(&x509.Certificate{
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: end, IPAddresses: []net.IP{net.ParseIP(ip)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.cert, key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

func (a *authority) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
}

// tlsSite serves the site under test over TLS, HTTP/2 included, on an address of
// loopback.
func tlsSite(t *testing.T, host string, cert tls.Certificate) (site *app.App, origin string) {
	t.Helper()
	site = app.New()
	server := httptest.NewUnstartedServer(site)
	ln, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	server.Listener.Close()
	server.Listener, server.EnableHTTP2 = ln, true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(func() { site.Close(); server.Close() })
	return site, "https://" + ln.Addr().String()
}

// echoed says something through a WebSocket of the app and waits for it to come back.
const echoed = `() => new Promise((ok, no) => {
	const s = new WebSocket('/ws'); s.onopen = () => s.send('hello'); s.onmessage = (e) => ok(e.data); s.onerror = () => no('failed');
})`

// TestTheAppsOwnCertificate: the app's host may have a certificate that is good for
// nothing, on every port of it that the config names, and no other host may.
func TestTheAppsOwnCertificate(t *testing.T) {
	for _, flavour := range flavours() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			ca := newAuthority(t)
			site, origin := tlsSite(t, "127.0.0.1", ca.issue("192.0.2.1", true))
			_, second := tlsSite(t, "127.0.0.1", ca.issue("192.0.2.1", true))
			other, elsewhere := tlsSite(t, "127.0.0.2", ca.issue("127.0.0.2", false))
			p := apptest.Sidecar(t, apptest.Config{
				"app_url": origin, "chromium": flavour, "ignore_https_errors": true, "allow_origins": []any{second, elsewhere},
			})
			c := p.MCP
			c.Initialize()
			c.Must("browser_navigate", apptest.Args{"url": "/leave?to=" + url.QueryEscape(second+"/lab")})
			if got := resultJSON(c.Must("browser_evaluate", apptest.Args{"function": "() => [isSecureContext, performance.getEntriesByType('navigation')[0].nextHopProtocol].join()"})); got != `"true,h2"` {
				t.Errorf("the app's page: %s", got)
			}
			if got := resultJSON(c.Must("browser_evaluate", apptest.Args{"function": echoed})); got != `"hello"` {
				t.Errorf("a WebSocket: %s", got)
			}
			if site.Hits("/leave") == 0 {
				t.Error("the app was not asked")
			}
			c.Must("browser_click", apptest.Args{"target": "#link"})
			shows(t, c, "another port of the app's host", second)

			r := c.Call("browser_navigate", apptest.Args{"url": elsewhere + "/lab"})
			if !r.IsError || !strings.Contains(r.Text, "net::ERR_CERT_AUTHORITY_INVALID") {
				t.Errorf("another host:\n%s", r.Text)
			}
			if n := len(other.Requests()); n > 0 {
				t.Errorf("another host was asked %d times", n)
			}
		})
	}
}

// TestTheAppsAuthority: with certificates in the config the app's must lead to them.
// Where none does, or the config says nothing, not a request is sent.
func TestTheAppsAuthority(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	for _, tt := range []struct {
		name    string
		config  apptest.Config
		refused string // in the tool's answer; "" = the page loads
		rule    string // of the record of the refusal
	}{
		{"leads to it", apptest.Config{"app_ca": ca.pem()}, "", ""},
		{"leads to one of two, full Chromium", apptest.Config{"app_ca": stranger.pem() + ca.pem(), "chromium": "full"}, "", ""},
		{"leads elsewhere", apptest.Config{"app_ca": stranger.pem()}, "net::ERR_", "app_certificate"},
		{"nothing said", nil, "net::ERR_CERT_AUTHORITY_INVALID", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			site, origin := tlsSite(t, "127.0.0.1", ca.issue("127.0.0.1", false))
			p := apptest.Sidecar(t, apptest.Config{"app_url": origin}, tt.config)
			p.MCP.Initialize()
			r := p.MCP.Call("browser_navigate", apptest.Args{"url": "/lab"})
			if tt.refused == "" {
				if r.IsError || site.Hits("/lab") == 0 {
					t.Errorf("%s", r.Text)
				}
				return
			}
			if !r.IsError || !strings.Contains(r.Text, tt.refused) {
				t.Errorf("%s", r.Text)
			}
			if tt.rule == "" && !strings.Contains(r.Text, "app_ca") {
				t.Errorf("the answer names no setting:\n%s", r.Text)
			}
			if tt.rule != "" && fmt.Sprint(p.AwaitEvent("refused").Detail["rule"]) != tt.rule {
				t.Errorf("told %v", p.Events())
			}
			if n := len(site.Requests()); n > 0 {
				t.Errorf("the app was asked %d times", n)
			}
		})
	}
}
