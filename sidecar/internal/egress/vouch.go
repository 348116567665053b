package egress

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Voucher lets the app's host have a certificate that Chromium would refuse. The
// proxy ends TLS there in Chromium's place, judges the certificate by its own
// rule, and shows Chromium one of a key that was made for this session and that
// Chromium is told to believe. No other host gets one: for all others the proxy
// passes bytes on, and Chromium judges as ever.
type Voucher struct {
	trusted []*x509.Certificate // nil = whatever the app's host shows
	roots   *x509.CertPool
	key     *ecdsa.PrivateKey
	hash    string

	mu     sync.Mutex
	leaves map[string]*tls.Certificate // by host
}

// leafLife is longer than any session.
const leafLife = 365 * 24 * time.Hour

// NewVoucher makes one that takes certificates which lead to one of trusted, are
// one of them, or are good for everybody. With none it takes every certificate.
func NewVoucher(trusted []*x509.Certificate) (*Voucher, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the session's TLS key: %w", err)
	}
	spki, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("make the session's TLS key: %w", err)
	}
	sum := sha256.Sum256(spki)
	v := &Voucher{
		trusted: trusted, key: key, hash: base64.StdEncoding.EncodeToString(sum[:]), leaves: map[string]*tls.Certificate{},
	}
	if v.roots, err = x509.SystemCertPool(); err != nil {
		v.roots = x509.NewCertPool() // a system without any
	}
	for _, cert := range trusted {
		v.roots.AddCert(cert)
	}
	return v, nil
}

// KeyHash is the base64 of the SHA-256 of the session's public key, which is how
// Chromium is told to believe it.
func (v *Voucher) KeyHash() string { return v.hash }

// leaf is what Chromium is shown for a host.
func (v *Voucher) leaf(host string) (*tls.Certificate, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c := v.leaves[host]; c != nil {
		return c, nil
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		NotBefore:    now.Add(-time.Hour), NotAfter: now.Add(leafLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &v.key.PublicKey, v.key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: v.key}
	v.leaves[host] = c
	return c, nil
}

var errNotVouched = errors.New("the certificate leads to none that is trusted")

// judge looks at the certificates that a server showed for one of the app's names.
func (v *Voucher) judge(chain []*x509.Certificate, names []string, now time.Time) error {
	if v.trusted == nil {
		return nil
	}
	if len(chain) == 0 {
		return errNotVouched
	}
	if slices.ContainsFunc(v.trusted, chain[0].Equal) {
		return nil
	}
	between := x509.NewCertPool()
	for _, cert := range chain[1:] {
		between.AddCert(cert)
	}
	for _, name := range names {
		o := x509.VerifyOptions{DNSName: bare(name), Roots: v.roots, Intermediates: between, CurrentTime: now}
		if _, err := chain[0].Verify(o); err == nil {
			return nil
		}
	}
	return errNotVouched
}

// bare is a serialised host without brackets.
func bare(host string) string { return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]") }

// firstOfTLS is the first byte of every TLS connection.
const firstOfTLS = 0x16

// vouch carries a tunnel to the app's host. TLS ends here, both ways; anything else
// passes as in every tunnel, and so does a client that says nothing.
func (c *client) vouch(pl place, server *conn) {
	_ = c.conn.SetReadDeadline(time.Now().Add(c.p.limits.FirstByte))
	first, err := c.br.Peek(1)
	if err != nil {
		return
	}
	_ = c.conn.SetReadDeadline(time.Time{})
	if first[0] != firstOfTLS {
		c.carry(server)
		return
	}
	near, far, err := c.handshake(pl, server)
	switch {
	case errors.Is(err, errNotVouched):
		if c.p.ctx.Err() == nil {
			c.p.refused(refusalOf(pl, RuleCertificate, reasonCertificate, settingCA))
		}
		return
	case err != nil:
		return
	}
	secure := &client{p: c.p, known: c.known, conn: &conn{Conn: near, p: c.p}}
	secure.br = bufio.NewReader(secure.conn)
	secure.carry(&conn{Conn: far, p: c.p})
}

// handshake shakes hands with the client and, when its hello is there, with the
// server, so that both speak the same protocol afterwards.
func (c *client) handshake(pl place, server *conn) (near, far *tls.Conn, err error) {
	ctx, cancel := context.WithTimeout(c.p.ctx, c.p.limits.Head)
	defer cancel()
	v, host := c.p.opts.Vouch, bare(pl.host)
	leaf, err := v.leaf(host)
	if err != nil {
		return nil, nil, err
	}
	var refused error
	near = tls.Server(buffered{c.conn, c.br}, &tls.Config{
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			far = tls.Client(server, &tls.Config{
				ServerName: host, NextProtos: hello.SupportedProtos,
				// Judged here, by the voucher's rule.
				InsecureSkipVerify: true,
				VerifyConnection: func(s tls.ConnectionState) error {
					return v.judge(s.PeerCertificates, c.p.opts.App.Hosts(), time.Now())
				},
			})
			if refused = far.HandshakeContext(ctx); refused != nil {
				return nil, refused
			}
			agreed := &tls.Config{Certificates: []tls.Certificate{*leaf}}
			if p := far.ConnectionState().NegotiatedProtocol; p != "" {
				agreed.NextProtos = []string{p}
			}
			return agreed, nil
		},
	})
	if err := near.HandshakeContext(ctx); err != nil {
		if refused != nil {
			err = refused
		}
		return nil, nil, err
	}
	return near, far, nil
}

// buffered is a connection of which some is read already.
type buffered struct {
	net.Conn
	br *bufio.Reader
}

func (b buffered) Read(p []byte) (int, error) { return b.br.Read(p) }
