package httpd

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A stop lets the call that waits have its answer, whole, and cuts the rest.
func TestStopAnswersFirst(t *testing.T) {
	began, stopping := make(chan struct{}), make(chan struct{})
	big := strings.Repeat("x", 1<<20)
	gateway := &fakeMCP{
		serve: func(w http.ResponseWriter, _ *http.Request) {
			close(began)
			<-stopping
			writeJSON(w, http.StatusOK, map[string]string{"stopping": big})
		},
	}
	var h *harness
	refused := make(chan error, 1)
	gateway.stop = func(context.Context) error {
		// The port is closed by now: nobody new gets in.
		conn, err := net.Dial("tcp", h.host())
		if err == nil {
			conn.Close()
		}
		refused <- err
		close(stopping)
		return nil
	}
	h = newHarness(t, Options{MCP: gateway})
	idle, waiting := h.dial(), h.dial()
	_, _ = io.WriteString(idle, h.fill("GET /health HTTP/1.1\n"+hostLine+"\n"+tokenLine+"\n\n"))
	idleAnswers := bufio.NewReader(idle)
	if resp, err := http.ReadResponse(idleAnswers, nil); err != nil || resp.StatusCode != 200 {
		t.Fatalf("health: %v", err)
	} else if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(waiting, h.fill("POST /mcp HTTP/1.1\n"+hostLine+"\n"+tokenLine+"\n\n"))
	<-began
	if err := h.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-refused; err == nil {
		t.Error("a connection was taken after the stop")
	}
	resp, err := http.ReadResponse(bufio.NewReader(waiting), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != `{"stopping":"`+big+`"}` {
		t.Errorf("the answer has %d bytes: %v", len(body), err)
	}
	for name, conn := range map[string]io.Reader{"idle": idleAnswers, "waiting": waiting} {
		if _, err := io.ReadAll(conn); isTimeout(err) {
			t.Errorf("the %s connection is still open", name)
		}
	}
}

func isTimeout(err error) bool {
	ne, ok := err.(net.Error)
	return ok && ne.Timeout()
}

// A handler that does not end holds a stop up no longer than it has to.
func TestStopCutsWhatHangs(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	gateway := &fakeMCP{serve: func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(ended)
	}}
	h := newHarness(t, Options{MCP: gateway})
	conn := h.dial()
	_, _ = io.WriteString(conn, h.fill("POST /mcp HTTP/1.1\n"+hostLine+"\n"+tokenLine+"\n\n"))
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := h.Stop(ctx); err != nil {
		t.Error(err)
	}
	<-ended
	if took := time.Since(begin); took > flushTimeout {
		t.Errorf("the stop took %v", took)
	}
	if answer, err := io.ReadAll(conn); isTimeout(err) || len(answer) > 0 {
		t.Errorf("the connection: %q %v", answer, err)
	}
}

func TestStopBeforeServe(t *testing.T) {
	s := New(Options{Host: "127.0.0.1", MCP: new(fakeMCP)})
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	s = New(Options{Host: "127.0.0.1", MCP: new(fakeMCP)})
	if _, err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	address := s.listener.Addr().String()
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Serve(); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("still listening")
	}
}

// During a stop a live view's socket is cut without a word: its hub is closing.
func TestNoLiveUpgradeWhileStopping(t *testing.T) {
	inStop, goOn := make(chan struct{}), make(chan struct{})
	gateway := &fakeMCP{stop: func(context.Context) error {
		close(inStop)
		<-goOn
		return nil
	}}
	h := newHarness(t, Options{
		MCP: gateway, LiveOrigins: []string{dashboard},
		Live: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("upgraded") }),
	})
	conn := h.dial()
	// The connection is the server's before the port closes.
	_, _ = io.WriteString(conn, h.fill("GET /health HTTP/1.1\n"+hostLine+"\n"+tokenLine+"\n\n"))
	answers := bufio.NewReader(conn)
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	stopped := make(chan error, 1)
	go func() { stopped <- h.Stop(context.Background()) }()
	<-inStop
	_, _ = io.WriteString(conn, h.fill("GET /live HTTP/1.1\n"+hostLine+"\nOrigin: "+dashboard+"\nUpgrade: websocket\nConnection: Upgrade\n\n"))
	if answer, err := io.ReadAll(answers); isTimeout(err) || len(answer) > 0 {
		t.Errorf("answer %q %v", answer, err)
	}
	close(goOn)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// Clients that send slowly, or nothing, lose their connection.
func TestSlowClients(t *testing.T) {
	const limit = 50 * time.Millisecond
	h := &harness{t: t}
	h.Server = New(Options{Host: "127.0.0.1", MCP: new(fakeMCP)})
	if h.http.ReadHeaderTimeout != headerTimeout || h.http.ReadTimeout != requestTimeout || h.http.WriteTimeout != answerTimeout || h.http.IdleTimeout != idleTimeout {
		t.Error("a limit is not set")
	}
	h.http.ReadHeaderTimeout, h.http.ReadTimeout, h.http.IdleTimeout = limit, 2*limit, limit
	if _, err := h.Listen(); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve() }()
	for name, start := range map[string]string{
		"says nothing":          "",
		"half a request line":   "GET /hea",
		"headers without end":   "GET /health HTTP/1.1\r\nHost: x\r\nX: y\r\n",
		"a body that never is":  "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
		"nothing after a while": "GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		conn := h.dial()
		if _, err := io.WriteString(conn, start); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); isTimeout(err) {
			t.Errorf("%s: the connection is still open", name)
		}
	}
	if err := h.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	for name, d := range map[string]time.Duration{"headers": headerTimeout, "idle": idleTimeout, "refused": refusedTimeout} {
		if d > time.Minute {
			t.Errorf("%s have %v", name, d)
		}
	}
	if answerTimeout <= requestTimeout+2*time.Minute {
		t.Errorf("an answer has %v, of which the request may take %v", answerTimeout, requestTimeout)
	}
}
