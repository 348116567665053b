package hostapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// patience bounds every wait; it is never the expected time.
const patience = 20 * time.Second

// fakeClock stands still until it is moved.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *fakeClock { return &fakeClock{now: time.Unix(1_800_000_000, 0).UTC()} }

func (c *fakeClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }
func (c *fakeClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// people lets whoever names themselves in X-User be that user of the account in
// X-Owner.
type people struct{}

func (people) Authenticate(r *http.Request) (hostapi.Identity, error) {
	who := hostapi.Identity{Owner: r.Header.Get("X-Owner"), User: r.Header.Get("X-User"), Name: "Ada"}
	if who.User == "" {
		return who, errors.New("no user")
	}
	return who, nil
}

// meter is a usage recorder that can be told to fail.
type meter struct {
	mu   sync.Mutex
	fail error
	told []hostapi.Usage
}

func (m *meter) Record(_ context.Context, u hostapi.Usage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil {
		m.told = append(m.told, u)
	}
	return m.fail
}

func (m *meter) all() []hostapi.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]hostapi.Usage{}, m.told...)
}

// minutes are the quantities told, in order.
func (m *meter) minutes() (quantities []int) {
	for _, u := range m.all() {
		quantities = append(quantities, u.Quantity)
	}
	return quantities
}

// tape is a recordings store that notes what happens to it.
type tape struct {
	mu   sync.Mutex
	log  []string
	fail error // of Open
}

func (t *tape) note(what string) { t.mu.Lock(); defer t.mu.Unlock(); t.log = append(t.log, what) }

func (t *tape) Open(_ context.Context, s hostapi.Sandbox, session string) (*proto.Recording, error) {
	t.note("open " + s.ID)
	if t.fail != nil {
		return nil, t.fail
	}
	return &proto.Recording{URL: "http://127.0.0.1:9/ingest", Token: proto.NewSecret("aarec_" + strings.Repeat("z", 32)), Actions: true}, nil
}

func (t *tape) Complete(_ context.Context, s hostapi.Sandbox, session string) error {
	t.note("complete " + s.ID)
	return nil
}

func (t *tape) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.log, ", ")
}

// bench is a host with everything around it.
type bench struct {
	t         *testing.T
	backend   *fakeBackend
	clock     *fakeClock
	sandboxes *hostapi.MemorySandboxes
	meter     *meter
	tape      *tape
	journal   *hostapi.MemoryJournal
	host      *hostapi.Host
	server    *httptest.Server
	mu        sync.Mutex
	seen      bytes.Buffer // every answer's headers and body
}

const owner = "acme"

// newBench makes a host with one ready sandbox, "s1" of acme, that expires in
// an hour. change may alter the options.
func newBench(t *testing.T, change ...func(*bench, *hostapi.Options)) *bench {
	b := &bench{
		t: t, backend: &fakeBackend{modes: []proto.Mode{proto.Headless}}, clock: newClock(),
		sandboxes: &hostapi.MemorySandboxes{}, meter: &meter{}, tape: &tape{}, journal: &hostapi.MemoryJournal{},
	}
	b.sandbox(hostapi.Sandbox{ID: "s1"})
	o := hostapi.Options{
		Supervisor: b.backend.supervisor(), Sandboxes: b.sandboxes, Authenticator: people{}, Usage: b.meter,
		Recordings: b.tape, Journal: b.journal, Clock: b.clock,
	}
	for _, c := range change {
		c(b, &o)
	}
	var err error
	if b.host, err = hostapi.New(o); err != nil {
		t.Fatal(err)
	}
	b.server = httptest.NewServer(b.host)
	t.Cleanup(func() {
		b.server.Close()
		if err := b.host.Close(); err != nil && b.meter.fail == nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

// sandbox adds one; what is left out is as for "s1".
func (b *bench) sandbox(s hostapi.Sandbox) {
	if s.Owner == "" {
		s.Owner = owner
	}
	if s.AppURL == "" {
		s.AppURL = "http://127.0.0.1:3000"
	}
	if s.ExpiresAt.IsZero() {
		s.ExpiresAt = b.clock.Now().Add(time.Hour)
	}
	s.Ready = s.ID != "unready"
	b.sandboxes.Put(s)
}

// reply is an answer of the API.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (r reply) code() string { code, _ := r.body["code"].(string); return code }

// browser is the answer's browser; nil when it is null or not there.
func (r reply) browser() map[string]any { m, _ := r.body["browser"].(map[string]any); return m }

type header map[string]string

func (b *bench) do(method, path, text string, headers ...header) reply {
	b.t.Helper()
	r, err := http.NewRequest(method, b.server.URL+path, strings.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("X-User", "7")
	r.Header.Set("X-Owner", owner)
	for _, hs := range headers {
		for name, value := range hs {
			r.Header.Set(name, value)
		}
	}
	response, err := b.server.Client().Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	response.Header.Write(&b.seen)
	b.seen.Write(data)
	b.mu.Unlock()
	got := reply{status: response.StatusCode, header: response.Header, text: string(data)}
	json.Unmarshal(data, &got.body)
	return got
}

// start starts s1's browser and fails the test where it doesn't come up.
func (b *bench) start(text string) (reply, *fakeSidecar) {
	b.t.Helper()
	got := b.do("POST", "/api/sandboxes/s1/browser", text)
	if got.status != http.StatusCreated {
		b.t.Fatalf("start: %d %s", got.status, got.text)
	}
	return got, b.backend.last()
}

func (b *bench) sessionOf(r reply) string {
	b.t.Helper()
	key, _ := r.browser()["server_key"].(string)
	session, ok := strings.CutPrefix(key, "browser:")
	if !ok || session == "" {
		b.t.Fatalf("server_key %q", key)
	}
	return session
}

// await waits for a fact.
func await(t *testing.T, what string, fact func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !fact(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
