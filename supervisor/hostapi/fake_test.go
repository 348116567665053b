package hostapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// fakeBackend runs sidecars that are goroutines of the test: they speak the
// protocol and answer requests, and there is no browser behind them.
type fakeBackend struct {
	modes  []proto.Mode
	refuse error         // of each start
	mute   bool          // no command reaches them
	hold   chan struct{} // when set, a sidecar is not ready before it is closed

	mu      sync.Mutex
	started []*fakeSidecar
}

func (f *fakeBackend) Modes() []proto.Mode                   { return f.modes }
func (f *fakeBackend) ChildAddr(addr string) (string, error) { return addr, nil }
func (f *fakeBackend) Diagnose(context.Context) string       { return "" }
func (f *fakeBackend) last() *fakeSidecar {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started[len(f.started)-1]
}
func (f *fakeBackend) count() int                         { f.mu.Lock(); defer f.mu.Unlock(); return len(f.started) }
func (f *fakeBackend) supervisor() *supervisor.Supervisor { return &supervisor.Supervisor{Runner: f} }
func (f *fakeBackend) Start(_ context.Context, _ []string, config []byte) (supervisor.Process, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	s := newFakeSidecar(config, f.hold)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, s)
	if f.mute {
		return muteSidecar{s}, nil
	}
	return s, nil
}

// muteSidecar has no standard input.
type muteSidecar struct{ *fakeSidecar }

func (muteSidecar) Mute() string { return "a test has none" }

// fakeSidecar is one of them. It implements [supervisor.Process].
type fakeSidecar struct {
	config map[string]any // as the host sent it
	server *httptest.Server
	state  string // what GET /storage-state answers

	stdin          *io.PipeWriter
	stdout, stderr *io.PipeReader
	say            *io.PipeWriter

	mu      sync.Mutex
	mcp     []*http.Request // what came to /mcp
	bodies  []string
	hostile bool // answer as one that a page has taken over

	stream bool // answer with an event and then nothing until the caller leaves

	endOnce sync.Once
	end     chan struct{} // closed to end it
	status  error
}

func newFakeSidecar(config []byte, hold chan struct{}) *fakeSidecar {
	s := &fakeSidecar{end: make(chan struct{}), state: `{"storage_state":{"cookies":[],"origins":[]}}`}
	json.Unmarshal(config, &s.config)
	s.server = httptest.NewServer(http.HandlerFunc(s.handle))
	commands, stdin := io.Pipe()
	stdout, say := io.Pipe()
	stderr, log := io.Pipe()
	s.stdin, s.stdout, s.stderr, s.say = stdin, stdout, stderr, say
	log.Close()
	go func() { // ends with its input, which the supervisor closes
		if hold != nil {
			select {
			case <-hold:
			case <-s.end:
				return
			}
		}
		u, _ := url.Parse(s.server.URL)
		fmt.Fprintf(say, `{"ready":true,"port":%s,"version":%q,"pid":%d}`+"\n", u.Port(), proto.Version, os.Getpid())
		s.obey(commands)
	}()
	return s
}

// obey answers commands as a sidecar does.
func (s *fakeSidecar) obey(commands io.Reader) {
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		c, err := proto.DecodeCommand(lines.Bytes())
		if err == nil && c.Type == proto.CommandStop {
			s.stop(proto.ReasonCommand)
			return
		}
		answer := proto.Event{Type: proto.EventRejected, At: time.Now().UnixMilli(), Detail: map[string]any{"id": c.ID}}
		if err == nil && c.Type == proto.CommandExtend {
			answer.Type, answer.Detail["stop_at"] = proto.EventExtended, *c.StopAt
			s.mu.Lock()
			s.config["stop_at"] = *c.StopAt
			s.mu.Unlock()
		}
		line, _ := answer.Encode()
		fmt.Fprintln(s.say, string(line))
	}
}

// stop ends it in good order.
func (s *fakeSidecar) stop(reason string) {
	for _, kind := range []string{proto.EventStopping, proto.EventStopped} {
		fmt.Fprintf(s.say, `{"type":%q,"at":%d,"reason":%q}`+"\n", kind, time.Now().UnixMilli(), reason)
	}
	s.exit(nil)
}

func (s *fakeSidecar) crash() { s.exit(errors.New("signal: killed")) }

func (s *fakeSidecar) exit(status error) {
	s.endOnce.Do(func() {
		s.status = status
		s.say.Close()
		s.server.Close()
		close(s.end)
	})
}

func (s *fakeSidecar) handle(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+s.token() {
		http.Error(w, "Missing or invalid bearer token", http.StatusUnauthorized)
		return
	}
	text, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/storage-state":
		io.WriteString(w, s.state)
	case "/mcp":
		s.mu.Lock()
		s.mcp, s.bodies = append(s.mcp, r), append(s.bodies, string(text))
		stream, hostile := s.stream, s.hostile
		s.mu.Unlock()
		if hostile {
			h := w.Header()
			h.Set("Link", "</evil.js>; rel=preload; as=script")
			w.WriteHeader(http.StatusEarlyHints)
			for name, value := range map[string]string{
				"Set-Cookie": "session=evil", "Location": "http://evil.example/", "Refresh": "0;url=http://evil.example/", "Content-Type": "text/html",
				"Access-Control-Allow-Origin": "*", "Service-Worker-Allowed": "/", "Clear-Site-Data": "*", "Trailer": "X-Evil",
			} {
				h.Set(name, value)
			}
			w.WriteHeader(http.StatusFound)
			io.WriteString(w, "<script>alert(1)</script>")
			h.Set("X-Evil", "1")
			return
		}
		if stream {
			io.WriteString(w, "event\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		w.Header().Set("Mcp-Session-Id", "agent-session")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	default:
		http.NotFound(w, r)
	}
}

func (s *fakeSidecar) token() string { token, _ := s.config["token"].(string); return token }

// stopAt is when it is to stop by itself; zero: never.
func (s *fakeSidecar) stopAt() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	ms, ok := s.config["stop_at"].(float64)
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func (s *fakeSidecar) ID() string                           { return strconv.Itoa(os.Getpid()) }
func (s *fakeSidecar) Stdin() io.WriteCloser                { return s.stdin }
func (s *fakeSidecar) Stdout() io.ReadCloser                { return s.stdout }
func (s *fakeSidecar) Stderr() io.ReadCloser                { return s.stderr }
func (s *fakeSidecar) Wait() error                          { <-s.end; return s.status }
func (s *fakeSidecar) Terminate() error                     { go s.exit(nil); return nil }
func (s *fakeSidecar) Kill() error                          { go s.exit(errors.New("signal: killed")); return nil }
func (s *fakeSidecar) HostAddr(addr string) (string, error) { return addr, nil }
