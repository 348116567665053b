package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// patience is far above what any step takes, so that only a fault reaches it.
const patience = 10 * time.Second

// fake is the browser's end of the conversation: a test reads commands and
// writes whatever messages it likes.
type fake struct {
	t    *testing.T
	conn net.Conn
	in   *chromedp.PipeConn
}

func dial(t *testing.T) (*cdp.Conn, *fake) {
	t.Helper()
	ours, theirs := net.Pipe()
	c := cdp.New(chromedp.NewPipeConn(ours, ours))
	f := &fake{t: t, conn: theirs, in: chromedp.NewPipeConn(theirs, theirs)}
	t.Cleanup(func() { c.Close(); theirs.Close() })
	return c, f
}

func (f *fake) send(messages ...string) {
	f.t.Helper()
	for _, m := range messages {
		if _, err := io.WriteString(f.conn, m+"\x00"); err != nil {
			f.t.Errorf("write %s: %v", m, err)
		}
	}
}

func (f *fake) next() *cdproto.Message {
	f.t.Helper()
	msg := new(cdproto.Message)
	if err := f.in.Read(f.t.Context(), msg); err != nil {
		f.t.Fatalf("read a command: %v", err)
	}
	return msg
}

func attached(session, tgt, typ string) string {
	return `{"method":"Target.attachedToTarget","params":{"sessionId":"` + session + `","targetInfo":{"targetId":"` + tgt + `","type":"` + typ + `","title":"","url":"","attached":true,"canAccessOpener":false},"waitingForDebugger":true}}`
}

func detached(session string) string {
	return `{"method":"Target.detachedFromTarget","params":{"sessionId":"` + session + `"}}`
}

func ctx(t *testing.T) context.Context {
	c, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return c
}

func TestCallsAreAnsweredByIDNotByOrder(t *testing.T) {
	c, f := dial(t)
	go func() {
		a, b := f.next(), f.next()
		if a.Method != "A.a" || b.Method != "B.b" {
			t.Errorf("commands left as %s, %s", a.Method, b.Method)
		}
		f.send(`{"id":2,"result":{"n":2}}`, `{"id":1,"result":{"n":1}}`)
	}()
	pa, pb := c.Root().Start("A.a", nil), c.Root().Start("B.b", nil)
	var ra, rb struct {
		N int `json:"n"`
	}
	if err := errors.Join(pa.Wait(ctx(t), &ra), pb.Wait(ctx(t), &rb)); err != nil {
		t.Fatal(err)
	}
	if ra.N != 1 || rb.N != 2 {
		t.Errorf("answers were mixed up: %d, %d", ra.N, rb.N)
	}
}

func TestEventsBeforeAnAnswerAreHandledBeforeTheCallReturns(t *testing.T) {
	c, f := dial(t)
	var seen []string
	cdp.On(c.Root(), page.FrameStartedLoading, func(ev page.EventFrameStartedLoading) { seen = append(seen, string(ev.FrameID)) })
	go func() {
		f.next()
		f.send(`{"method":"Page.frameStartedLoading","params":{"frameId":"1"}}`,
			`{"method":"Page.frameStartedLoading","params":{"frameId":"2"}}`, `{"id":1,"result":{}}`)
	}()
	if err := c.Root().Call(ctx(t), "X.y", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, ","); got != "1,2" {
		t.Errorf("events before the answer: %q", got)
	}
}

func TestSessionLivesFromAttachToDetach(t *testing.T) {
	c, f := dial(t)
	got := make(chan *cdp.Session, 1)
	cdp.On(c.Root(), target.AttachedToTarget, func(ev target.EventAttachedToTarget) { got <- c.Session(ev.SessionID) })
	f.send(attached("S1", "T1", "page"))
	s := <-got
	if s == nil || s.TargetInfo().TargetID != "T1" {
		t.Fatalf("no session at its attach event: %v", s)
	}
	p := s.Start("Slow.call", nil)
	if msg := f.next(); msg.SessionID != "S1" {
		t.Errorf("command went to session %q", msg.SessionID)
	}
	f.send(detached("S1"))
	if err := p.Wait(ctx(t), nil); !errors.Is(err, cdp.ErrDetached) {
		t.Errorf("a call of a target that went away: %v", err)
	}
	<-s.Done()
	if err := s.Call(ctx(t), "Late.call", nil, nil); !errors.Is(err, cdp.ErrDetached) {
		t.Errorf("a call after the detach: %v", err)
	}
}

func TestWrongOrderIsHarmless(t *testing.T) {
	c, f := dial(t)
	f.send(
		detached("never"),
		`{"method":"Page.loadEventFired","sessionId":"nobody","params":{"timestamp":1}}`,
		`{"id":77,"result":{}}`,
		attached("S1", "T1", "page"), attached("S1", "T1", "page"),
		detached("S1"), detached("S1"),
		`{"id":78,"sessionId":"S1","error":{"code":-1,"message":"late"}}`,
		`{"method":"Target.attachedToTarget","params":{"sessionId":5}}`,
		`{"method":"Target.attachedToTarget","params":{}}`,
		`{}`,
	)
	go func() { f.next(); f.send(`{"id":1,"result":{}}`) }()
	if err := c.Root().Call(ctx(t), "Still.alive", nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestEveryPendingCallFailsWhenThePipeEnds(t *testing.T) {
	c, f := dial(t)
	p := c.Root().Start("A.a", nil)
	f.next()
	f.conn.Close()
	if err := p.Wait(ctx(t), nil); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("pending call: %v", err)
	}
	<-c.Done()
	if err := c.Root().Call(ctx(t), "B.b", nil, nil); !errors.Is(err, cdp.ErrClosed) {
		t.Errorf("call after the end: %v", err)
	}
}

func TestARefusalKeepsItsCode(t *testing.T) {
	c, f := dial(t)
	go func() { f.next(); f.send(`{"id":1,"error":{"code":-32000,"message":"No such thing"}}`) }()
	err := c.Root().Call(ctx(t), "A.a", nil, nil)
	if r := cdp.Refused(err); r == nil || r.Code != -32000 {
		t.Errorf("refusal: %v", err)
	}
}

func TestACanceledCallLetsGoAndItsLateAnswerIsDropped(t *testing.T) {
	c, f := dial(t)
	short, cancel := context.WithCancel(t.Context())
	p := c.Root().Start("A.a", nil)
	f.next()
	cancel()
	if err := p.Wait(short, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled call: %v", err)
	}
	f.send(`{"id":1,"result":{}}`)
	go func() { f.next(); f.send(`{"id":2,"result":{}}`) }()
	if err := c.Root().Call(ctx(t), "B.b", nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestLoneSurrogatesDoNotCostAMessage(t *testing.T) {
	c, f := dial(t)
	got := make(chan string, 1)
	cdp.On(c.Root(), page.JavascriptDialogOpening, func(ev page.EventJavascriptDialogOpening) { got <- ev.Message })
	f.send(`{"method":"Page.javascriptDialogOpening","params":{"url":"","frameId":"","message":"a\ud800b","type":"alert","hasBrowserHandler":true}}`)
	select {
	case m := <-got:
		if !strings.HasPrefix(m, "a") || !strings.HasSuffix(m, "b") {
			t.Errorf("message %q", m)
		}
	case <-ctx(t).Done():
		t.Fatal("the event was dropped")
	}
}

func TestHandlersCanBeTakenOffWhileEventsRun(t *testing.T) {
	c, f := dial(t)
	n := 0
	var off func()
	off = cdp.On(c.Root(), page.FrameResized, func(page.EventFrameResized) { n++; off() })
	go func() {
		f.next()
		f.send(`{"method":"Page.frameResized","params":{}}`, `{"method":"Page.frameResized","params":{}}`, `{"id":1,"result":{}}`)
	}()
	if err := c.Root().Call(ctx(t), "A.a", nil, nil); err != nil {
		t.Fatal(err)
	}
	if n != 1 {
		t.Errorf("handler ran %d times", n)
	}
}

func TestNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		c, f := dial(t)
		events, cancel := c.Root().Subscribe("Page.frameResized")
		f.send(`{"method":"Page.frameResized","params":{}}`)
		<-events
		cancel()
		c.Close()
		f.conn.Close()
	}
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.Gosched()
	}
}

// FuzzFrames feeds raw bytes where Chromium's messages would come: whatever they
// are, the connection either goes on or ends, and never panics or hangs.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"result":{}}` + "\x00", attached("S", "T", "page") + "\x00" + detached("S") + "\x00",
		"\x00\x00", "{", `{"id":1}` + "\x00{", `{"method":5}` + "\x00", "[]\x00", "null\x00", `{"id":1e400}` + "\x00", strings.Repeat("[", 10001) + "\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, w := io.Pipe()
		c := cdp.New(chromedp.NewPipeConn(r, nopCloser{}))
		p := c.Root().Start("A.a", nil)
		if _, err := w.Write(raw); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Fatal(err)
		}
		w.Close()
		<-c.Done()
		var out json.RawMessage
		_ = p.Wait(t.Context(), &out) // its answer may have been in raw
		c.Close()
	})
}

type nopCloser struct{}

func (nopCloser) Write(b []byte) (int, error) { return len(b), nil }
func (nopCloser) Close() error                { return nil }
