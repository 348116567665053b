package live_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
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

// agentBrowser names another product's program, whose stream is measured in the
// same run, on the same machine. It is told by its own variables which Chromium to
// take and how.
const agentBrowser = "PILLION_BENCH_AGENT_BROWSER"

// BenchmarkInputToPicture measures from a press of a button to the first picture
// that shows its effect, at the viewer's end: by the live view, by a bare
// screencast of the same kind of Chromium, and by what agentBrowser names.
func BenchmarkInputToPicture(b *testing.B) {
	b.Run("screencast", func(b *testing.B) {
		_, tab := flipped(b)
		got := make(chan []byte, 64)
		off := cdp.On(tab.Session(), page.ScreencastFrame, func(ev page.EventScreencastFrame) {
			cdp.Start(tab.Session(), page.ScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: ev.SessionID})
			got <- ev.Data
		})
		defer off()
		if _, err := pcdp.Call(b.Context(), tab.Session(), page.StartScreencast, page.StartScreencastParams{
			Format: page.StartScreencastFormatJpeg, Quality: new(int64(60)), MaxWidth: 1280, MaxHeight: 800, EveryNthFrame: 1,
		}); err != nil {
			b.Fatal(err)
		}
		measure(b, got, func() {
			for _, typ := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
				tab.RelayMouse(input.DispatchMouseEventParams{Type: typ, X: 640, Y: 400, Button: input.MouseButton(browser.Left), ClickCount: 1})
			}
		})
	})
	b.Run("pillion", func(b *testing.B) {
		chromium, _ := flipped(b)
		_, url := raised(b, chromium)
		origin := strings.TrimSuffix(url, "/viewer")
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(origin, "http")+"/live", http.Header{"Origin": {origin}})
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		say(b, conn, map[string]any{"type": "auth", "ticket": ticketFor(b, proto.TicketView), "features": []string{"binary"}})
		say(b, conn, map[string]any{"type": "take_control", "ticket": ticketFor(b, proto.TicketControl)})
		measure(b, pictures(conn, func(kind int, data []byte) []byte {
			if kind != websocket.BinaryMessage {
				return nil
			}
			n := int(data[3]) | int(data[2])<<8
			return data[4+n:]
		}), func() {
			for _, action := range []string{"down", "up"} {
				say(b, conn, map[string]any{"type": "mouse", "action": action, "x": 0.5, "y": 0.5, "button": "left", "clickCount": 1})
			}
		})
	})
	program := os.Getenv(agentBrowser)
	if program == "" {
		return
	}
	b.Run("agent-browser", func(b *testing.B) {
		site := flipper(b)
		run := func(args ...string) string {
			out, err := exec.CommandContext(b.Context(), program, args...).CombinedOutput()
			if err != nil {
				b.Fatalf("%v: %v\n%s", args, err, out)
			}
			return string(out)
		}
		defer exec.Command(program, "close").Run()
		run("open", site)
		run("set", "viewport", "1280", "800")
		var status struct{ Data struct{ Port int } }
		if err := json.Unmarshal([]byte(run("stream", "status", "--json")), &status); err != nil {
			b.Fatal(err)
		}
		conn, _, err := websocket.DefaultDialer.Dial("ws://127.0.0.1:"+strconv.Itoa(status.Data.Port), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		measure(b, pictures(conn, func(_ int, data []byte) []byte {
			var m struct{ Type, Data string }
			if json.Unmarshal(data, &m) != nil || m.Type != "frame" {
				return nil
			}
			jpeg, _ := base64.StdEncoding.DecodeString(m.Data)
			return jpeg
		}), func() {
			for _, typ := range []string{"mousePressed", "mouseReleased"} {
				say(b, conn, map[string]any{"type": "input_mouse", "eventType": typ, "x": 640, "y": 400, "button": "left", "clickCount": 1})
			}
		})
	})
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

func ticketFor(b *testing.B, mode proto.TicketMode) string {
	b.Helper()
	ticket, err := proto.SignTicket(proto.NewSecret(apptest.Token), proto.NewClaims(session, mode, "1", "Ada", time.Now()))
	if err != nil {
		b.Fatal(err)
	}
	return ticket
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

// measure presses b.N times, and reports the times until the picture changed.
func measure(b *testing.B, pictures <-chan []byte, press func()) {
	b.Helper()
	var last []byte
	quiet := func() {
		for {
			select {
			case p := <-pictures:
				last = p
			case <-time.After(settled):
				return
			}
		}
	}
	select {
	case last = <-pictures:
	case <-time.After(apptest.Patience):
		b.Fatal("no picture")
	}
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		quiet()
		b.StartTimer()
		begin := time.Now()
		press()
		for {
			select {
			case p := <-pictures:
				if slices.Equal(p, last) {
					continue
				}
				took = append(took, time.Since(begin))
				last = p
			case <-time.After(apptest.Patience):
				b.Fatal("no picture of what was done")
			}
			break
		}
	}
	slices.Sort(took)
	ms := func(part float64) float64 {
		return float64(took[int(part*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "ms-median")
	b.ReportMetric(ms(0.95), "ms-p95")
}
