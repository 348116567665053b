package egress

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if left := leftovers(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines are left:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leftovers waits for the goroutines of this package and of net/http to end.
func leftovers() string {
	var left []string
	for range 100 {
		left = nil
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		for _, g := range strings.Split(string(buf), "\n\n") {
			if !strings.Contains(g, "TestMain") && (strings.Contains(g, "internal/egress") || strings.Contains(g, "net/http")) {
				left = append(left, g)
			}
		}
		if len(left) == 0 {
			return ""
		}
		time.Sleep(20 * time.Millisecond)
	}
	return strings.Join(left, "\n\n")
}

// patience is how long a test waits for what must happen.
const patience = 10 * time.Second

// fakeResolver answers from a table and counts. An answer is a list of addresses;
// several lists, by "|", are given one after the other.
type fakeResolver struct {
	mu    sync.Mutex
	names map[string]string
	asked map[string]int
	hold  chan struct{} // if set, answers wait for it
}

func (f *fakeResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	f.mu.Lock()
	if f.asked == nil {
		f.asked = map[string]int{}
	}
	n := f.asked[host]
	f.asked[host]++
	answers := strings.Split(f.names[host], "|")
	f.mu.Unlock()
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var addrs []netip.Addr
	for _, a := range strings.Fields(answers[min(n, len(answers)-1)]) {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

func (f *fakeResolver) count(host string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[host]
}

// list is every name that was looked up, once.
func (f *fakeResolver) list() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(f.asked)), " ")
}

// public is the one loopback address that tests may count as public.
var public = netip.MustParseAddr("127.0.0.2")

func insecurePublic(a netip.Addr) bool { return a == public }

// running is a proxy under test.
type running struct {
	*Proxy
	addr string
	t    testing.TB
}

// start runs a proxy for the app at the given URL.
func start(t testing.TB, app string, opts Options) *running {
	t.Helper()
	pin, err := policy.NewApp(app)
	if err != nil {
		t.Fatal(err)
	}
	return startApp(t, pin, opts)
}

// startApp runs a proxy for an app with what its config adds.
func startApp(t testing.TB, app policy.App, opts Options) *running {
	t.Helper()
	opts.App = app
	if opts.Resolver == nil {
		opts.Resolver = &fakeResolver{}
	}
	p := New(opts)
	p.fence = func(a netip.Addr) bool { return a.IsLoopback() }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(l) }()
	t.Cleanup(func() {
		p.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &running{p, l.Addr().String(), t}
}

// dialRaw opens a connection to the proxy.
func (r *running) dialRaw() *net.TCPConn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return c.(*net.TCPConn)
}

// ask sends a request, lines ended by "\n" for legibility, and gives the answer.
func (r *running) ask(request string) answerText {
	r.t.Helper()
	return r.askRaw(strings.ReplaceAll(request, "\n", "\r\n"))
}

func (r *running) askRaw(request string) answerText {
	r.t.Helper()
	c := r.dialRaw()
	go func() { _, _ = io.WriteString(c, request) }() // may be cut short by the answer
	br := bufio.NewReader(c)
	if start, _ := br.Peek(len("HTTP/1.1 200")); strings.HasPrefix(request, "CONNECT") && string(start) == "HTTP/1.1 200" {
		return answerText{status: http.StatusOK} // and a tunnel after it
	}
	return readAnswer(r.t, br)
}

type answerText struct {
	status int // 0 = the connection ended without an answer
	header http.Header
	body   string
	close  bool  // the connection ends with it
	err    error // why the body ended
}

func readAnswer(t testing.TB, br *bufio.Reader) answerText {
	t.Helper()
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		return answerText{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return answerText{resp.StatusCode, resp.Header, string(body), resp.Close, err}
}

// site is a server that records what it is asked.
type site struct {
	*httptest.Server
	host string
	mu   sync.Mutex
	seen []string // "GET /path Host"
	last *http.Request
	body string
}

// newSite listens on an address of loopback; handler may be nil.
func newSite(t testing.TB, addr string, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.RequestURI+" "+r.Host)
		s.last, s.body = r, string(body)
		s.mu.Unlock()
		if handler != nil {
			handler(w, r)
			return
		}
		_, _ = io.WriteString(w, "hello from "+addr)
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	s.host = l.Addr().String()
	return s
}

func (s *site) port() uint16 { return netip.MustParseAddrPort(s.host).Port() }

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.seen...)
}

// sniffer accepts connections and counts them.
type sniffer struct {
	addr string
	mu   sync.Mutex
	n    int
}

func newSniffer(t testing.TB, addr string) *sniffer {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := &sniffer{addr: l.Addr().String()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.n++
			s.mu.Unlock()
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return s
}

func (s *sniffer) mustBeSilent(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n > 0 {
		t.Errorf("%d connections reached %s", s.n, s.addr)
	}
}

func portOf(hostport string) string { return hostport[strings.LastIndexByte(hostport, ':')+1:] }
