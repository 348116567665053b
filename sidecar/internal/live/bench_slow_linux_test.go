package live_test

import (
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/live"
)

const (
	// countedFor smooths out what a busy machine does now and then.
	countedFor = 3 * time.Second
	// fallenBehind is more than slow viewers need to be known as such.
	fallenBehind = time.Second
	// slowly is the pause between what a slow viewer reads; slowBytes is how much
	// it is, some pictures.
	slowly    = 500 * time.Millisecond
	slowBytes = 64 << 10
)

// BenchmarkTenSlowViewersOfTwenty measures how many pictures a second each of ten
// viewers gets of a page that moves all the time: alone; beside ten that don't
// read; and beside ten that read a little now and then.
func BenchmarkTenSlowViewersOfTwenty(b *testing.B) {
	site := apptest.Start(b)
	chromium := browsertest.Free(b)
	if _, err := chromium.Tabs()[0].Navigate(b.Context(), site.URL()+"/moving"); err != nil {
		b.Fatal(err)
	}
	_, url := raised(b, chromium, func(o *live.Options) { o.MaxViewers = 20 })
	watch := func(dialer *websocket.Dialer) *websocket.Conn {
		conn := connectWith(b, dialer, url)
		say(b, conn, map[string]any{"type": "auth", "ticket": ticketFor(b, proto.TicketView), "features": []string{"binary"}})
		return conn
	}
	var seen [10]atomic.Int64
	for i := range seen {
		got := pictures(watch(websocket.DefaultDialer), func(kind int, data []byte) []byte {
			if kind != websocket.BinaryMessage {
				return nil
			}
			return data
		})
		go func() {
			for range got {
				seen[i].Add(1)
			}
		}()
	}
	// rate is what the good viewer gets that gets least.
	rate := func() float64 {
		var before [10]int64
		for i := range seen {
			before[i] = seen[i].Load()
		}
		begin := time.Now()
		time.Sleep(countedFor)
		var rates []float64
		for i := range seen {
			rates = append(rates, float64(seen[i].Load()-before[i])/time.Since(begin).Seconds())
		}
		return slices.Min(rates)
	}
	// beside measures in the company of ten others.
	beside := func(open func() *websocket.Conn) float64 {
		var others []*websocket.Conn
		for range seen {
			others = append(others, open())
		}
		time.Sleep(fallenBehind)
		r := rate()
		for _, conn := range others {
			conn.Close()
		}
		return r
	}
	narrow := &websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		if err == nil {
			_ = conn.(*net.TCPConn).SetReadBuffer(slowBytes)
			conn = slowConn{conn}
		}
		return conn, err
	}}
	var alone, stuck, slow []float64
	for b.Loop() {
		alone = append(alone, rate())
		stuck = append(stuck, beside(func() *websocket.Conn { return watch(websocket.DefaultDialer) }))
		slow = append(slow, beside(func() *websocket.Conn {
			conn := watch(narrow)
			go func() {
				for {
					if _, _, err := conn.ReadMessage(); err != nil {
						return
					}
				}
			}()
			return conn
		}))
	}
	for name, rates := range map[string][]float64{"alone": alone, "beside-stuck": stuck, "beside-slow": slow} {
		slices.Sort(rates)
		b.ReportMetric(rates[len(rates)/2], "pictures/s-"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// slowConn reads a little at a time, with pauses.
type slowConn struct{ net.Conn }

func (c slowConn) Read(p []byte) (int, error) {
	time.Sleep(slowly * time.Duration(len(p)) / slowBytes)
	return c.Conn.Read(p)
}
