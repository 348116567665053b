package viewer_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/viewer"
)

// sidecar answers its live view's socket with what it was asked.
type sidecar struct {
	*httptest.Server
	mu    sync.Mutex
	heard http.Header
	host  string
	ended bool
}

func newSidecar(t *testing.T) *sidecar {
	s := &sidecar{}
	upgrader := websocket.Upgrader{CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") != "" }}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.heard, s.host = r.Header, r.Host
		s.mu.Unlock()
		if r.RequestURI != "/live" {
			t.Errorf("asked for %s", r.RequestURI)
		}
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		kind, data, err := conn.ReadMessage()
		if err == nil {
			err = conn.WriteMessage(kind, append([]byte("heard "), data...))
		}
		if err == nil {
			err = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(proto.CloseStopping, proto.CloseReasonStopping), time.Now().Add(time.Minute))
		}
		if err != nil {
			t.Error(err)
		}
		_, _, _ = conn.ReadMessage() // the answer to it
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sidecar) LiveURL() string { return "ws" + strings.TrimPrefix(s.URL, "http") + "/live" }

func (s *sidecar) Ticket(v supervisor.Viewer, mode proto.TicketMode) (supervisor.Ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return supervisor.Ticket{}, errors.New("stopped")
	}
	return supervisor.Ticket{Ticket: "for " + v.Name, Mode: mode, URL: s.LiveURL()}, nil
}

// newHost mounts the handler as a host does; people are known by a cookie, and
// Grace may only watch.
func newHost(t *testing.T, b viewer.Browser) *httptest.Server {
	who := func(r *http.Request, mode proto.TicketMode) (supervisor.Viewer, error) {
		c, err := r.Cookie("user")
		switch {
		case err != nil:
			return supervisor.Viewer{}, &proto.Error{Code: proto.CodeUnauthorized, Message: "Sign in first"}
		case c.Value == "Grace" && mode == proto.TicketControl:
			return supervisor.Viewer{}, errors.New("internal reason")
		}
		return supervisor.Viewer{ID: c.Value, Name: c.Value}, nil
	}
	mux := http.NewServeMux()
	mux.Handle("/browser/", http.StripPrefix("/browser", viewer.New(b, who)))
	host := httptest.NewServer(mux)
	t.Cleanup(host.Close)
	return host
}

func TestTickets(t *testing.T) {
	s := newSidecar(t)
	host := newHost(t, s)
	ask := func(user, kind, origin, body string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, host.URL+"/browser/tickets", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if user != "" {
			r.AddCookie(&http.Cookie{Name: "user", Value: user})
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var got struct{ Ticket, Mode, Error string }
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(answer.Status[:3] + " " + got.Ticket + got.Error + " " + got.Mode)
	}
	const js = "application/json"
	for _, c := range []struct{ user, kind, origin, body, want string }{
		{"Ada", js, "", `{"mode":"view"}`, "200 for Ada view"},
		{"Ada", js + "; charset=utf-8", host.URL, `{"mode":"control"}`, "200 for Ada control"},
		{"Grace", js, host.URL, `{"mode":"view"}`, "200 for Grace view"},
		{"Grace", js, host.URL, `{"mode":"control"}`, "403 You may not drive this browser"},
		{"", js, host.URL, `{"mode":"view"}`, "403 Sign in first"},
		{"Ada", js, "http://evil.test", `{"mode":"view"}`, "403 Tickets are for this host's own pages"},
		{"Ada", js, "null", `{"mode":"view"}`, "403 Tickets are for this host's own pages"},
		{"Ada", "text/plain", "", `{"mode":"view"}`, "403 Tickets are for this host's own pages"},
		{"Ada", js, "", `{"mode":"all"}`, `400 Send {"mode":"view"} or {"mode":"control"}`},
		{"Ada", js, "", strings.Repeat(" ", 5000) + `{"mode":"view"}`, `400 Send {"mode":"view"} or {"mode":"control"}`},
	} {
		if got := ask(c.user, c.kind, c.origin, c.body); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	s.ended = true
	if got := ask("Ada", js, "", `{"mode":"view"}`); got != "503 The browser can't be watched now" {
		t.Errorf("at the end: %s", got)
	}
}

func TestSocketIsRelayed(t *testing.T) {
	s := newSidecar(t)
	host := newHost(t, s)
	address := "ws" + strings.TrimPrefix(host.URL, "http") + "/browser/socket"
	for _, origin := range []string{"", "null", "http://evil.test"} {
		_, answer, err := websocket.DefaultDialer.Dial(address, http.Header{"Origin": {origin}})
		if err == nil || answer == nil || answer.StatusCode != http.StatusForbidden {
			t.Errorf("from %q: %v", origin, err)
		}
	}
	if s.heard != nil {
		t.Error("the sidecar was asked")
	}
	conn, _, err := websocket.DefaultDialer.Dial(address, http.Header{
		"Origin": {host.URL}, "Cookie": {"user=Ada"}, "Authorization": {"Bearer secret"}, "X-Host": {"secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, data, err := conn.ReadMessage(); string(data) != "heard hello" || err != nil {
		t.Errorf("%s %v", data, err)
	}
	_, _, err = conn.ReadMessage()
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != proto.CloseStopping || closed.Text != proto.CloseReasonStopping {
		t.Errorf("closed with %v", err)
	}
	s.mu.Lock()
	for _, name := range []string{"Cookie", "Authorization", "X-Host", "X-Forwarded-For", "User-Agent"} {
		if v := s.heard.Get(name); v != "" {
			t.Errorf("the sidecar heard %s: %s", name, v)
		}
	}
	if s.heard.Get("Origin") != host.URL || "http://"+s.host != s.URL {
		t.Errorf("the sidecar heard of %s as %s", s.heard.Get("Origin"), s.host)
	}
	s.mu.Unlock()
	s.Server.Close()
	if _, answer, err := websocket.DefaultDialer.Dial(address, http.Header{"Origin": {host.URL}}); err == nil || answer.StatusCode != http.StatusBadGateway {
		t.Errorf("without a sidecar: %v", err)
	}
}

// TestTheRelayUsesNoProxy: what the program's own requests go through must not see
// tickets and pictures.
func TestTheRelayUsesNoProxy(t *testing.T) {
	s := newSidecar(t)
	host := newHost(t, s)
	was := http.DefaultTransport
	http.DefaultTransport = &http.Transport{Proxy: func(r *http.Request) (*url.URL, error) {
		t.Errorf("the program's proxy was asked about %s", r.URL)
		return nil, errors.New("no")
	}}
	defer func() { http.DefaultTransport = was }()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(host.URL, "http")+"/browser/socket", http.Header{"Origin": {host.URL}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, data, err := conn.ReadMessage(); string(data) != "heard hello" || err != nil {
		t.Errorf("%s %v", data, err)
	}
}

func TestPage(t *testing.T) {
	host := newHost(t, newSidecar(t))
	answer, err := http.Get(host.URL + "/browser/")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(body), `data-socket="socket" data-tickets="tickets" data-session=""`) {
		t.Errorf("%v: %.200s", err, body)
	}
	if rules := answer.Header.Get("Content-Security-Policy"); !strings.Contains(rules, "default-src 'none'") || strings.Contains(rules, "unsafe") {
		t.Errorf("policy %s", rules)
	}
	for _, path := range []string{"/browser/x", "/browser/tickets"} {
		if answer, err := http.Get(host.URL + path); err != nil || answer.StatusCode == http.StatusOK {
			t.Errorf("%s: %v %v", path, answer.Status, err)
		}
	}
}
