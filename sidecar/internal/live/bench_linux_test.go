package live_test

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// flipping is a page that turns from black to white, or back, at each press of a
// button. Its two pictures never differ from one time to the next.
const flipping = `<!doctype html><title>flip</title><style>html { height: 100%; color: #777 }</style><body>Press<script>
let white = false;
const flip = () => { document.documentElement.style.backgroundColor = white ? '#fff' : '#000' };
onmousedown = () => { white = !white; flip() };
flip();
</script>`

// BenchmarkInputToPicture measures from a press of a button to the first picture
// that shows its effect, at the viewer's end: of a bare screencast, of the live
// view, and of agent-browser's stream where that is installed. They take turns, so
// that whatever else the machine does happens to all of them.
func BenchmarkInputToPicture(b *testing.B) {
	subjects := []*subject{bare(b), ours(b)}
	if peer := agentBrowser(b); peer != nil {
		subjects = append(subjects, peer)
	}
	for _, s := range subjects {
		s.begin(b)
	}
	for b.Loop() {
		for _, s := range subjects {
			s.press(b)
		}
	}
	for _, s := range subjects {
		slices.Sort(s.took)
		for name, part := range map[string]float64{"median": 0.5, "p95": 0.95} {
			took := s.took[int(part*float64(len(s.took)-1))]
			b.ReportMetric(float64(took.Microseconds())/1000, s.name+"-ms-"+name)
		}
	}
	b.ReportMetric(0, "ns/op") // the time of them all, with the pauses, says nothing
}

// bare is the screencast of a browser of ours, without a live view.
func bare(b *testing.B) *subject {
	_, tab := flipped(b)
	got := make(chan []byte, 64)
	b.Cleanup(cdp.On(tab.Session(), page.ScreencastFrame, func(ev page.EventScreencastFrame) {
		cdp.Start(tab.Session(), page.ScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: ev.SessionID})
		got <- ev.Data
	}))
	if _, err := pcdp.Call(b.Context(), tab.Session(), page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: new(int64(60)), MaxWidth: 1280, MaxHeight: 800, EveryNthFrame: 1,
	}); err != nil {
		b.Fatal(err)
	}
	return &subject{name: "screencast", pictures: got, flip: func() {
		for _, typ := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			tab.RelayMouse(input.DispatchMouseEventParams{Type: typ, X: 640, Y: 400, Button: input.MouseButton(browser.Left), ClickCount: 1})
		}
	}}
}

// ours is the live view of another one.
func ours(b *testing.B) *subject {
	chromium, _ := flipped(b)
	_, url := raised(b, chromium)
	conn := connect(b, url)
	say(b, conn, map[string]any{"type": "auth", "ticket": ticketFor(b, proto.TicketView), "features": []string{"binary"}})
	say(b, conn, map[string]any{"type": "take_control", "ticket": ticketFor(b, proto.TicketControl)})
	return &subject{name: "pillion", pictures: pictures(conn, func(kind int, data []byte) []byte {
		if kind != websocket.BinaryMessage {
			return nil
		}
		return data[4+binary.BigEndian.Uint32(data):]
	}), flip: func() {
		for _, action := range []string{"down", "up"} {
			say(b, conn, map[string]any{"type": "mouse", "action": action, "x": 0.5, "y": 0.5, "button": "left", "clickCount": 1})
		}
	}}
}

// connect opens the live view's socket, as the page at url would.
func connect(b *testing.B, url string) *websocket.Conn {
	b.Helper()
	return connectWith(b, websocket.DefaultDialer, url)
}

func connectWith(b *testing.B, dialer *websocket.Dialer, url string) *websocket.Conn {
	b.Helper()
	origin := strings.TrimSuffix(url, "/viewer")
	conn, _, err := dialer.Dial("ws"+strings.TrimPrefix(origin, "http")+"/live", http.Header{"Origin": {origin}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

// flipper serves the page.
func flipper(b *testing.B) (url string) {
	b.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(flipping))
	}))
	b.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// flipped is a browser of one tab, which shows the page.
func flipped(b *testing.B) (*browser.Browser, *browser.Tab) {
	b.Helper()
	chromium := browsertest.Free(b)
	tab := chromium.Tabs()[0]
	if _, err := tab.Navigate(b.Context(), flipper(b)); err != nil {
		b.Fatal(err)
	}
	return chromium, tab
}

func say(b *testing.B, conn *websocket.Conn, message map[string]any) {
	b.Helper()
	if err := conn.WriteJSON(message); err != nil {
		b.Fatal(err)
	}
}

// pictures reads a connection to its end; of gives the picture in a message, nil
// where there is none.
func pictures(conn *websocket.Conn, of func(kind int, data []byte) []byte) <-chan []byte {
	got := make(chan []byte, 64)
	go func() {
		defer close(got)
		for {
			kind, data, err := conn.ReadMessage()
			if err != nil {
				return
			}
			if p := of(kind, data); p != nil {
				got <- p
			}
		}
	}()
	return got
}

// settled is a time without pictures, after which the next is of what was done.
const settled = 150 * time.Millisecond

// subject is one way to see what one does.
type subject struct {
	name     string
	pictures <-chan []byte
	flip     func() // presses the button

	last []byte
	took []time.Duration
}

// begin waits for the first picture.
func (s *subject) begin(b *testing.B) {
	b.Helper()
	select {
	case s.last = <-s.pictures:
	case <-time.After(apptest.Patience):
		b.Fatalf("no picture of %s", s.name)
	}
}

// press presses once and waits until the picture has changed.
func (s *subject) press(b *testing.B) {
	b.Helper()
	for quiet := false; !quiet; {
		select {
		case s.last = <-s.pictures:
		case <-time.After(settled):
			quiet = true
		}
	}
	begin := time.Now()
	s.flip()
	for patience := time.After(apptest.Patience); ; {
		select {
		case p, ok := <-s.pictures:
			if !ok {
				b.Fatalf("the connection of %s has ended", s.name)
			}
			if bytes.Equal(p, s.last) {
				continue
			}
			s.took = append(s.took, time.Since(begin))
			s.last = p
			return
		case <-patience:
			b.Fatalf("no picture of what was done in %s", s.name)
		}
	}
}
