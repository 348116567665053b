package egress

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// issuer makes certificates, the first of which signs the others.
type issuer struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer(t testing.TB) *issuer {
	i := &issuer{t: t}
	c := i.issue(x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, 0)
	i.cert, i.key = c.Leaf, c.PrivateKey.(*ecdsa.PrivateKey)
	return i
}

// issue signs a template that ends so long from now, or in an hour.
func (i *issuer) issue(template x509.Certificate, end time.Duration) tls.Certificate {
	i.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	now := time.Now()
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(now.UnixNano()), now.Add(-24*time.Hour), now.Add(time.Hour)
	if end != 0 {
		template.NotAfter = now.Add(end)
	}
	parent, signer := i.cert, i.key
	if parent == nil {
		parent, signer = &template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, &key.PublicKey, signer)
	if err != nil {
		i.t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		i.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func forIP(ip string) x509.Certificate {
	return x509.Certificate{IPAddresses: []net.IP{net.ParseIP(ip)}, KeyUsage: x509.KeyUsageDigitalSignature}
}

func TestVoucherJudges(t *testing.T) {
	ca, stranger := newIssuer(t), newIssuer(t)
	middle := ca.issue(x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, 0)
	under := &issuer{t: t, cert: middle.Leaf, key: middle.PrivateKey.(*ecdsa.PrivateKey)}
	right, name := ca.issue(forIP("127.0.0.1"), 0), ca.issue(x509.Certificate{DNSNames: []string{"localhost"}}, 0)
	old, wrong := ca.issue(forIP("127.0.0.1"), -time.Hour), ca.issue(forIP("127.0.0.9"), 0)
	deep := under.issue(forIP("127.0.0.1"), 0)
	client := ca.issue(x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, 0)
	for _, tt := range []struct {
		name    string
		trusted []*x509.Certificate
		chain   []*x509.Certificate
		good    bool
	}{
		{"leads to it", []*x509.Certificate{ca.cert}, []*x509.Certificate{right.Leaf}, true},
		{"one of two", []*x509.Certificate{stranger.cert, ca.cert}, []*x509.Certificate{right.Leaf}, true},
		{"by way of another", []*x509.Certificate{ca.cert}, []*x509.Certificate{deep.Leaf, middle.Leaf}, true},
		{"another is missing", []*x509.Certificate{ca.cert}, []*x509.Certificate{deep.Leaf}, false},
		{"an alias's name", []*x509.Certificate{ca.cert}, []*x509.Certificate{name.Leaf}, true},
		{"is it itself, expired and of another name", []*x509.Certificate{wrong.Leaf, old.Leaf}, []*x509.Certificate{old.Leaf}, true},
		{"another name", []*x509.Certificate{ca.cert}, []*x509.Certificate{wrong.Leaf}, false},
		{"expired", []*x509.Certificate{ca.cert}, []*x509.Certificate{old.Leaf}, false},
		{"for clients", []*x509.Certificate{ca.cert}, []*x509.Certificate{client.Leaf}, false},
		{"a stranger's", []*x509.Certificate{stranger.cert}, []*x509.Certificate{right.Leaf}, false},
		{"the authority behind a stranger's", []*x509.Certificate{ca.cert}, []*x509.Certificate{stranger.cert, ca.cert}, false},
		{"none", []*x509.Certificate{ca.cert}, nil, false},
		{"anything", nil, []*x509.Certificate{old.Leaf}, true},
	} {
		v, err := NewVoucher(tt.trusted)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.judge(tt.chain, []string{"127.0.0.1", "localhost", "[::1]"}, time.Now()); (err == nil) != tt.good {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A tunnel to the app's host shows a certificate of the session's key, and what the
// server speaks; one to another host shows the server's own.
func TestTunnelsThatAreVouchedFor(t *testing.T) {
	i := newIssuer(t)
	shown := i.issue(forIP("192.0.2.1"), -time.Hour)
	serve := func(host string, h2 bool) (*httptest.Server, string) {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, r.Proto+" "+r.Host+" "+string(body))
		}))
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Listener.Close()
		s.Listener, s.EnableHTTP2, s.TLS = l, h2, &tls.Config{Certificates: []tls.Certificate{shown}}
		s.StartTLS()
		t.Cleanup(s.Close)
		return s, l.Addr().String()
	}
	_, app := serve("127.0.0.1", true)
	_, old := serve("127.0.0.1", false)
	_, other := serve("127.0.0.2", true)
	plain := newSite(t, "127.0.0.1:0", nil)
	port := func(addr string) int { return int((&site{host: addr}).port()) }

	v, err := NewVoucher(nil)
	if err != nil {
		t.Fatal(err)
	}
	strict, err := NewVoucher([]*x509.Certificate{newIssuer(t).cert})
	if err != nil {
		t.Fatal(err)
	}
	launch := proto.Launch{AppURL: "https://" + app, AllowHosts: []proto.AllowedHost{
		{Host: "127.0.0.1", Port: port(old)}, {Host: "127.0.0.2", Port: port(other)}, {Host: "127.0.0.1", Port: port(plain.host)},
	}}
	p := startFor(t, launch, Options{Vouch: v})
	open := func(p *running, to string) net.Conn {
		t.Helper()
		c := p.dialRaw()
		_, _ = io.WriteString(c, "CONNECT "+to+" HTTP/1.1\r\n\r\n")
		if got := readAnswerHead(t, c); got != http.StatusOK {
			t.Fatalf("CONNECT %s: %d", to, got)
		}
		return c
	}
	for _, tt := range []struct {
		to, protocol string
		ours         bool
	}{{app, "h2", true}, {old, "http/1.1", true}, {other, "h2", false}} {
		c := tls.Client(open(p, tt.to), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
		if err := c.Handshake(); err != nil {
			t.Errorf("%s: %v", tt.to, err)
			continue
		}
		s := c.ConnectionState()
		sum := sha256.Sum256(s.PeerCertificates[0].RawSubjectPublicKeyInfo)
		if ours := base64.StdEncoding.EncodeToString(sum[:]) == v.KeyHash(); ours != tt.ours || s.NegotiatedProtocol != tt.protocol && tt.ours {
			t.Errorf("%s: our certificate %v, protocol %q", tt.to, ours, s.NegotiatedProtocol)
		}
		if err := s.PeerCertificates[0].VerifyHostname(strings.Split(tt.to, ":")[0]); tt.ours && err != nil {
			t.Errorf("%s: %v", tt.to, err)
		}
		_ = c.Close()
	}
	// Bytes both ways, and an end in good order.
	c := tls.Client(open(p, old), &tls.Config{InsecureSkipVerify: true})
	body := strings.Repeat("x", 1<<20)
	go func() {
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 1048576\r\n\r\n"+body)
	}()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(resp.Body)
	if err != nil || string(all) != "HTTP/1.1 h "+body {
		t.Errorf("%d bytes, %v", len(all), err)
	}
	if rest, err := io.ReadAll(c); err != nil || len(rest) > 0 {
		t.Errorf("the end: %q, %v", rest, err)
	}
	// What is not TLS passes: a WebSocket of a plain port of the app's host.
	raw := open(p, plain.host)
	_, _ = io.WriteString(raw, "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if all, err := io.ReadAll(raw); err != nil || !strings.Contains(string(all), "hello") {
		t.Errorf("plain bytes: %q, %v", all, err)
	}
	// TLS to what speaks none, and nonsense for a hello, end the tunnel alone.
	for _, hello := range []string{"", "\x16\x03\x01\x00\x05hello", "\x16"} {
		raw := open(p, plain.host)
		if hello == "" {
			if err := tls.Client(raw, &tls.Config{InsecureSkipVerify: true}).Handshake(); err == nil {
				t.Error("a handshake with what speaks no TLS")
			}
			continue
		}
		_, _ = io.WriteString(raw, hello)
		_ = raw.(*net.TCPConn).CloseWrite()
		_, _ = io.ReadAll(raw) // ends
	}
	// A certificate that leads nowhere: nothing is shown, and it is told.
	told := make(chan Refusal, 1)
	q := startFor(t, launch, Options{Vouch: strict, OnRefusal: func(r Refusal) { told <- r }})
	if err := tls.Client(open(q, app), &tls.Config{InsecureSkipVerify: true}).Handshake(); err == nil {
		t.Error("a certificate that leads nowhere was vouched for")
	}
	if r := <-told; r.Rule != RuleCertificate || r.Setting != "app_ca" || r.Record().Target != app {
		t.Errorf("told %+v", r)
	}
}

// readAnswerHead reads the head of an answer to CONNECT and nothing beyond it.
func readAnswerHead(t testing.TB, c net.Conn) (status int) {
	t.Helper()
	var head []byte
	for one := make([]byte, 1); !strings.HasSuffix(string(head), "\r\n\r\n"); head = append(head, one...) {
		if _, err := c.Read(one); err != nil {
			t.Fatalf("%q: %v", head, err)
		}
	}
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(head))), &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
