package supervisor

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// patience bounds every wait of a test; it is never the expected time.
const patience = 20 * time.Second

// probe hears what fake sidecars tell, and sees them die: a connection ends
// with its process, however that ends.
type probe struct {
	t        *testing.T
	listener net.Listener
	seen     chan observation
	gone     chan struct{} // closed when the first fake that connected is gone
}

func newProbe(t *testing.T) *probe {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &probe{t: t, listener: l, seen: make(chan observation, 1000), gone: make(chan struct{})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		defer close(p.gone)
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			var o observation
			json.Unmarshal(lines.Bytes(), &o)
			p.seen <- o
		}
	}()
	t.Cleanup(func() {
		l.Close()
		select {
		case <-served:
		case <-time.After(patience):
			t.Error("the fake sidecar is still alive")
		}
	})
	return p
}

func (p *probe) arg() string { return "-probe=" + p.listener.Addr().String() }

// wait returns the text of the next observation of the kind what.
func (p *probe) wait(what string) string {
	p.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case o := <-p.seen:
			if o.What == what {
				return o.Text
			}
		case <-timeout:
			p.t.Fatalf("the fake never told its %s", what)
		}
	}
}

// waitGone returns when the fake is dead.
func (p *probe) waitGone() {
	p.t.Helper()
	select {
	case <-p.gone:
	case <-time.After(patience):
		p.t.Fatal("the fake sidecar lives on")
	}
}

func (p *probe) pid() int {
	p.t.Helper()
	pid, err := strconv.Atoi(p.wait("pid"))
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// fake returns a supervisor whose sidecars are fakes of the mode.
func fake(t *testing.T, mode string) (*Supervisor, *probe) {
	t.Helper()
	p := newProbe(t)
	return &Supervisor{
		Command:      os.Args[0],
		Args:         []string{fakeFlag + mode, p.arg()},
		StartTimeout: patience,
	}, p
}

// start starts a fake and stops it at the test's end.
func start(t *testing.T, mode string) (*Browser, *probe) {
	t.Helper()
	s, p := fake(t, mode)
	b, err := s.Start(t.Context(), testLaunch())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		b.Stop(ctx)
	})
	return b, p
}

func stop(t *testing.T, b *Browser) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := b.Stop(ctx)
	if ctx.Err() != nil {
		t.Fatal("the stop did not end")
	}
	return err
}

func testContext() context.Context { return context.Background() }

const (
	testToken     = "aabrw_testtesttesttesttesttesttesttest"
	testRecording = "rec_\"secret\"/with<odd>+characters%00&more"
)

func testLaunch() proto.Launch {
	return proto.Launch{
		AppURL:    "http://127.0.0.1:3000",
		Token:     proto.NewSecret(testToken),
		Recording: &proto.Recording{URL: "http://127.0.0.1:3000/ingest", Token: proto.NewSecret(testRecording)},
		Live:      &proto.Live{SessionID: "sandbox-1", Origins: []string{"http://127.0.0.1:3000"}},
	}
}

func wantCode(t *testing.T, err error, code proto.Code) *proto.Error {
	t.Helper()
	if got := proto.CodeOf(err); got != code {
		t.Fatalf("code %q, want %q: %v", got, code, err)
	}
	var e *proto.Error
	if !asError(err, &e) || e.Message == "" {
		t.Fatalf("no message: %v", err)
	}
	return e
}

func asError(err error, target **proto.Error) bool {
	e, ok := err.(*proto.Error) // not errors.As: a border returns the bare thing
	*target = e
	return ok
}

func ctxFor(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
