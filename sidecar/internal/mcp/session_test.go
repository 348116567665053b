package mcp

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Unix(1_800_000_000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const pingBody = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func (h *harness) alive(session string) bool {
	return h.post(session, pingBody).status == http.StatusOK
}

func TestInitializeTellsTheServerNoCapabilities(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	s := h.table.find(h.open())
	// The SDK writes an empty roots for nobody's.
	if got := string(encode(s.state.InitializeParams)); got != `{"capabilities":{"roots":{}},"clientInfo":{"name":"agent","version":"9"},"protocolVersion":"2025-03-26"}` {
		t.Errorf("the server saw %s", got)
	}
	if got := h.toolset(0).client; got != (ClientInfo{"agent", "9"}) {
		t.Errorf("the toolset was made for %+v", got)
	}
}

// An initialize that fails leaves nothing behind, however it fails.
func TestFailedInitializeLeavesNothing(t *testing.T) {
	made := 0
	g := New(Options{NewToolset: func(ClientInfo) Toolset { made++; panic("no tools today") }})
	if a := g.answer(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`), nil); a.status != http.StatusOK || a.session != "" {
		t.Errorf("answer %d %s", a.status, a.body)
	}
	if made != 0 || len(g.table.sessions) != 0 {
		t.Errorf("%d toolsets, %d sessions", made, len(g.table.sessions))
	}
	func() {
		defer func() { _ = recover() }()
		g.answer(t.Context(), nil, []byte(initializeBody), nil)
	}()
	if made != 1 || len(g.table.sessions) != 0 {
		t.Errorf("after a panic: %d toolsets, %d sessions", made, len(g.table.sessions))
	}
	if err := g.Stop(t.Context()); err != nil {
		t.Errorf("a request is still counted: %v", err)
	}
}

func TestNotificationsAreHandedOn(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	seen := make(chan string, 1)
	h.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "notifications/initialized" {
				seen <- method
			}
			return next(ctx, method, req)
		}
	})
	session := h.open()
	if a := h.post(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); a.status != http.StatusAccepted || a.body != "" {
		t.Errorf("answer %d %q", a.status, a.body)
	}
	select {
	case <-seen:
	case <-time.After(5 * time.Second):
		t.Fatal("the server never saw the notification")
	}
}

func TestLeastRecentlyUsedSessionGivesWay(t *testing.T) {
	clock := newClock()
	h := newHarness(t, Options{Now: clock.now, Limits: Limits{Sessions: 2, Kept: 2}}, nil)
	a := h.open()
	clock.pass(time.Second)
	b := h.open()
	clock.pass(time.Second)
	h.post(a, pingBody)
	clock.pass(time.Second)
	c := h.open()
	if h.alive(b) || !h.alive(a) || !h.alive(c) {
		t.Errorf("alive: a %v, b %v, c %v; want all but b", h.alive(a), h.alive(b), h.alive(c))
	}
	waitFor(t, "b's toolset closed", func() bool { return h.toolset(1).closes() == 1 })
	if h.toolset(0).closes() != 0 {
		t.Error("a's toolset closed")
	}
}

// waitFor waits for a fact that another goroutine brings about.
func waitFor(t *testing.T, what string, fact func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !fact(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// Answers of the gateway itself are no use of a session.
func TestRefusalsAreNoUse(t *testing.T) {
	clock := newClock()
	h := newHarness(t, Options{Now: clock.now, Limits: Limits{Sessions: 2, Kept: 2}}, nil)
	a := h.open()
	clock.pass(time.Second)
	b := h.open()
	clock.pass(time.Second)
	h.post(a, callBody("1", "browser_run_code_unsafe", `{}`))
	h.post(a, callBody("1", "browser_navigate", `{"url":"file:///etc/passwd"}`))
	h.post(a, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	h.open()
	if h.alive(a) || !h.alive(b) {
		t.Error("a refused call counted as use")
	}
}

func TestIdleSessionsCloseOnlyToMakeRoom(t *testing.T) {
	clock := newClock()
	h := newHarness(t, Options{Now: clock.now}, nil)
	var sessions []string
	for range defaultSessions - 1 {
		sessions = append(sessions, h.open())
	}
	clock.pass(defaultIdle + time.Second)
	last := h.open() // one short of the limit until now: nobody has to go
	for i, s := range sessions {
		if h.table.find(s) == nil {
			t.Errorf("session %d closed with room left", i)
		}
	}
	h.post(sessions[0], pingBody)
	next := h.open()
	for i, s := range sessions {
		if got, want := h.table.find(s) != nil, i == 0; got != want {
			t.Errorf("session %d alive: %v, want %v", i, got, want)
		}
	}
	if h.table.find(last) == nil || h.table.find(next) == nil {
		t.Error("a fresh session closed")
	}
}

// Sessions of clients that never close theirs do not cost other runs theirs.
func TestManyIdleSessionsStay(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	first := h.open()
	for range defaultKept - 1 {
		h.open()
	}
	if h.table.find(first) == nil {
		t.Error("the first session is gone before the kept ones are many")
	}
	h.open()
	if h.table.find(first) != nil || len(h.table.sessions) != defaultKept {
		t.Errorf("first alive %v, %d sessions", h.table.find(first) != nil, len(h.table.sessions))
	}
}

func TestNinthBusySession(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	var answers []<-chan answered
	for range defaultSessions {
		answers = append(answers, h.later(t.Context(), h.open(), callBody("1", "browser_click", `{}`)))
		<-b.started
	}
	a := h.post("", initializeBody)
	const busy = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Too many sessions are busy; try again shortly"}}`
	if a.status != http.StatusServiceUnavailable || a.body != busy || a.session != "" {
		t.Errorf("ninth: %d %s", a.status, a.body)
	}
	close(b.release)
	for _, ch := range answers {
		want(t, ch)
	}
	h.open()
}

// A burst of initializes gets as many sessions as there are places, and never
// one more in between.
func TestParallelInitializes(t *testing.T) {
	const places = 8
	b := newBlocking()
	h := newHarness(t, Options{Limits: Limits{Sessions: places, Kept: places}}, b.call)
	stop := make(chan struct{})
	watched := make(chan int)
	go func() {
		most := 0
		for {
			h.table.mu.Lock()
			most = max(most, len(h.table.sessions))
			h.table.mu.Unlock()
			select {
			case <-stop:
				watched <- most
				return
			default:
			}
		}
	}()
	// Each session is busy as soon as it is open, so none can give way.
	var wg sync.WaitGroup
	var mu sync.Mutex
	opened, refused := 0, 0
	var answers []<-chan answered
	for range 5 * places {
		wg.Go(func() {
			a, err := h.do(context.Background(), http.MethodPost, "", initializeBody)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case a.status == http.StatusOK:
				opened++
				answers = append(answers, h.later(context.Background(), a.session, callBody("1", "browser_click", `{}`)))
			case a.status == http.StatusServiceUnavailable:
				refused++
			default:
				t.Errorf("answer %d %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	close(stop)
	if most := <-watched; most > places {
		t.Errorf("%d sessions at a time, want at most %d", most, places)
	}
	// Sessions may have given way before their call came in; those that are
	// there are never too many.
	if opened < places || opened+refused != 5*places {
		t.Errorf("%d opened, %d refused", opened, refused)
	}
	close(b.release)
	for _, ch := range answers {
		want(t, ch)
	}
}

func TestSameIDInFlight(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	session, other := h.open(), h.open()
	first := h.later(t.Context(), session, callBody("7", "browser_click", `{}`))
	<-b.started
	const inFlight = `{"jsonrpc":"2.0","id":7.0,"error":{"code":-32600,"message":"A request with this id is in flight"}}`
	if a := h.post(session, callBody("7.0", "browser_snapshot", `{}`)); a.status != http.StatusOK || a.body != inFlight {
		t.Errorf("same id: %d %s", a.status, a.body)
	}
	if a := h.post(session, callBody(`"7"`, "browser_snapshot", `{}`)); a.body != `{"jsonrpc":"2.0","id":"7","result":{"content":[{"type":"text","text":"did browser_snapshot"}]}}` {
		t.Errorf("the same as text is another id: %s", a.body)
	}
	if a := h.post(other, callBody("7", "browser_snapshot", `{}`)); a.status != http.StatusOK || a.body[:24] != `{"jsonrpc":"2.0","id":7,` {
		t.Errorf("another session: %s", a.body)
	}
	close(b.release)
	if text, isError := want(t, first).toolText(); text != "clicked" || isError {
		t.Errorf("first: %q", text)
	}
	if text, _ := h.post(session, callBody("7", "browser_snapshot", `{}`)).toolText(); text != "did browser_snapshot" {
		t.Errorf("the id again after its answer: %q", text)
	}
}

func TestCloseSessionEndsItsCalls(t *testing.T) {
	b := newBlocking()
	h := newHarness(t, Options{}, b.call)
	session, other := h.open(), h.open()
	running := h.later(t.Context(), session, callBody("7", "browser_click", `{}`))
	<-b.started
	if a, _ := h.do(t.Context(), http.MethodDelete, other[:35]+"x", ""); a.status != http.StatusNotFound {
		t.Errorf("a session that is not there: %d", a.status)
	}
	a, err := h.do(t.Context(), http.MethodDelete, session, "")
	if err != nil || a.status != http.StatusOK || a.body != `{"closed":true}` {
		t.Errorf("close: %d %s %v", a.status, a.body, err)
	}
	const closed = `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"The session closed"}}`
	if a := want(t, running); a.status != http.StatusOK || a.body != closed {
		t.Errorf("running call: %d %s", a.status, a.body)
	}
	if cause := <-b.ended; cause != errSessionClosed {
		t.Errorf("the tool ended for %v", cause)
	}
	if h.CloseSession(session) || !h.alive(other) {
		t.Error("closed twice, or the wrong one")
	}
}

func TestIDKeys(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`7`, `7.0`, true}, {`7`, `70e-1`, true}, {`0`, `-0`, true}, {`"a"`, `"\u0061"`, true},
		{`7`, `"7"`, false}, {`9007199254740993`, `9007199254740992`, false}, {`1e400`, `1e401`, false},
		{`1e99999999`, `1e99999999`, true}, {`1e99999999`, `1e99999998`, false}, {`"n7"`, `7`, false},
	} {
		a, okA := idKey([]byte(c.a))
		b, okB := idKey([]byte(c.b))
		if !okA || !okB || (a == b) != c.same {
			t.Errorf("%s and %s: keys %q and %q, want same %v", c.a, c.b, a, b, c.same)
		}
	}
	// A body of digits is an id like any text: computing its value took a minute.
	long := strings.Repeat("7", 4<<20)
	if key, ok := idKey([]byte(long)); !ok || key != "n"+long {
		t.Errorf("the key of %d digits has %d bytes, %v", len(long), len(key), ok)
	}
	for _, raw := range []string{`{}`, `[]`, `true`, `{"a":1}`} {
		if key, ok := idKey([]byte(raw)); ok {
			t.Errorf("%s is an id: %q", raw, key)
		}
	}
}
