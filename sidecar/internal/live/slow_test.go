package live

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestSlowViewer has a viewer that does not read while pictures flow: it misses
// most of them, but no other message, and sees the newest when it reads; nobody
// waits for it.
func TestSlowViewer(t *testing.T) {
	s := newStand(t)
	s.onScreen()
	slow, good := s.watch("1", "Ada"), s.watch("2", "Grace")
	good.hear()
	good.hear()
	seen := make(chan int, 1)
	go func() {
		n := 0
		for {
			good.SetReadDeadline(time.Now().Add(apptest.Patience))
			_, data, err := good.ReadMessage()
			if err != nil || strings.Contains(string(data), `"width":9999`) {
				seen <- n
				return
			}
			if strings.HasPrefix(string(data), `{"type":"frame"`) {
				n++
			}
		}
	}()
	const frames = 150
	var done atomic.Int32
	big := bytes.Repeat([]byte{1}, 256<<10) // 150 of them are more than any socket holds
	for n := range frames {
		p := Picture{JPEG: big, Width: float64(1000 + n), Height: 800, Done: func() { done.Add(1) }}
		if n == frames-1 {
			p.Width = 9999
		}
		s.Draw(p)
		if n%50 == 49 {
			s.Show(&proto.PageState{URL: new("http://app.test/" + strconv.Itoa(n)), Tab: 1, Tabs: 1}, "first")
		}
		want := int32(n + 1)
		apptest.Await(t, "the picture to be done", func() bool { return done.Load() == want })
	}
	if n := <-seen; n < frames*9/10-1 {
		t.Errorf("the good viewer saw %d of %d pictures", n, frames)
	}
	var pages []string
	got := 0
	for last := ""; !strings.Contains(last, `"width":9999`); {
		last = slow.hear()
		if strings.HasPrefix(last, `{"type":"page"`) {
			pages = append(pages, last)
		}
		if strings.HasPrefix(last, `{"type":"frame"`) {
			got++
		}
	}
	if len(pages) != 3 || !strings.Contains(pages[2], "/149") {
		t.Errorf("the slow viewer was told %q", pages)
	}
	if got > frames/2 {
		t.Errorf("the slow viewer was sent %d of %d pictures", got, frames)
	}
}

// TestTenSlowViewersOfTwenty has as many viewers that don't read as viewers that
// do: these see at least four of five pictures all the same.
func TestTenSlowViewersOfTwenty(t *testing.T) {
	s := newStand(t, func(o *Options) { o.MaxViewers = 20 })
	s.onScreen()
	const frames, each, last = 100, 10, `"width":9999`
	seen := make(chan int, each)
	for n := range each {
		s.watch(strconv.Itoa(n), "Slow").hear()
		good := s.watch(strconv.Itoa(each+n), "Good")
		good.hear()
		good.hear()
		go func() {
			n := 0
			for {
				good.SetReadDeadline(time.Now().Add(apptest.Patience))
				_, data, err := good.ReadMessage()
				if err != nil || bytes.Contains(data[len(data)-min(len(data), 100):], []byte(last)) {
					seen <- n
					return
				}
				n++
			}
		}()
	}
	big := bytes.Repeat([]byte{1}, 96<<10)
	for n := range frames {
		done := make(chan struct{})
		p := Picture{JPEG: big, Width: float64(1000 + n), Height: 800, Done: func() { close(done) }}
		if n == frames-1 {
			p.Width = 9999
		}
		s.Draw(p)
		select {
		case <-done:
		case <-time.After(apptest.Patience):
			t.Fatal("a picture was never done")
		}
	}
	for range each {
		if n := <-seen; n < frames*4/5 {
			t.Errorf("a good viewer saw %d of %d pictures", n, frames)
		}
	}
}

func TestUnreadMessagesEndAViewer(t *testing.T) {
	s := newStand(t)
	p := s.watch("1", "Ada")
	p.hear()
	page := &proto.PageState{URL: new("http://app.test/" + strings.Repeat("x", 32<<10)), Tab: 1, Tabs: 1}
	apptest.Await(t, "the viewer to be disconnected", func() bool {
		s.Show(page, "first")
		return !s.screen.isWatched()
	})
}

func TestBinaryFrames(t *testing.T) {
	s := newStand(t)
	s.onScreen()
	p := s.dial()
	p.say("auth", "ticket", s.ticket("1", "Ada", proto.TicketView), "features", []string{"nonsense", "binary", "binary", "mac"})
	p.hears(idleReady)
	p.hears(`{"type":"features","features":["binary","mac"]}`)
	s.Draw(Picture{JPEG: []byte("\xff\xd8two"), Width: 1280, Height: 800, Taken: time.Now().Add(-time.Second)})
	for range 2 { // perhaps the first one was seen, too
		kind, data, err := p.ReadMessage()
		if err != nil || kind != websocket.BinaryMessage || len(data) < 4 {
			t.Fatalf("kind %d, %d bytes, %v", kind, len(data), err)
		}
		n := binary.BigEndian.Uint32(data)
		var head struct {
			Type          string
			Width, Height int
			Seq           int
			AgeMS         int `json:"age_ms"`
		}
		if err := json.Unmarshal(data[4:4+n], &head); err != nil {
			t.Fatal(err)
		}
		if head.Type != "frame" || head.Width != 1280 || head.Height != 800 {
			t.Errorf("head %s", data[4:4+n])
		}
		if string(data[4+n:]) == "\xff\xd8two" {
			if head.Seq != 2 || head.AgeMS < 1000 || head.AgeMS > 20000 {
				t.Errorf("head %s", data[4:4+n])
			}
			return
		}
	}
	t.Error("the second picture never came")
}

// TestPacer plays viewers that take pictures at their own speed against what
// Chromium may have in flight.
func TestPacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		a, b, c := &viewer{}, &viewer{}, &viewer{}
		var seq uint64
		done := map[uint64]bool{}
		picture := func(to ...*viewer) *shot {
			seq++
			s := &shot{seq: seq}
			s.Done = func() { done[s.seq] = true } // with the pacer's lock held
			p.offer(s, to)
			return s
		}
		want := func(what string, s *shot, want bool) {
			t.Helper()
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			if done[s.seq] != want {
				t.Errorf("%s: done %v", what, done[s.seq])
			}
		}
		want("nobody watches", picture(), true)

		two, three := picture(a, b), picture(a, b)
		p.got(a, three) // it has skipped one
		want("one has it", two, false)
		p.got(b, two)
		want("both have it", two, true)
		want("one has the next", three, false)
		p.left(b)
		want("the other left", three, true)

		// One that takes much longer than the quickest is not waited for.
		four := picture(a, b)
		time.Sleep(ackLimit / 2)
		p.got(a, four)
		time.Sleep(keepUp - time.Millisecond)
		want("not yet too late", four, false)
		time.Sleep(2 * time.Millisecond)
		want("too late", four, true)
		if !p.isBehind(b) || p.isBehind(a) {
			t.Error("who is behind?")
		}
		p.got(b, four)
		five := picture(a, b)
		p.got(a, five)
		want("whoever is behind is not waited for", five, true)

		// It has to keep up for a while, the longer the oftener it has failed.
		tries := func() (n int) {
			for ; p.isBehind(b); n++ {
				s := picture(a, b)
				p.got(a, s)
				p.got(b, s)
				time.Sleep(probation / 4)
			}
			return n
		}
		first := tries()
		six := picture(a, b)
		p.got(a, six)
		want("who kept up is waited for", six, false)
		time.Sleep(keepUp + time.Millisecond)
		want("and late again", six, true)
		if again := tries(); again <= first || first < 4 {
			t.Errorf("%d pictures, then %d", first, again)
		}

		// Where none keeps up the quickest is waited for, and not for long.
		for n := range 2 {
			s := picture(b, c)
			time.Sleep(ackLimit - time.Millisecond)
			want("none has it", s, false)
			time.Sleep(2 * time.Millisecond)
			want("none had it in time", s, true)
			if !p.isBehind(b) || !p.isBehind(c) {
				t.Errorf("round %d: who is behind?", n)
			}
		}
		seven := picture(b, c)
		p.got(c, seven)
		want("the quickest of those behind has it", seven, true)
		if len(p.open) > 0 {
			t.Errorf("%d pictures are left", len(p.open))
		}
	})
}

func TestTooManyMessagesAreSlowedDown(t *testing.T) {
	s := newStand(t)
	s.onScreen()
	p := s.watch("1", "Ada")
	p.hear()
	p.hear()
	s.drive(p, "1", "Ada")
	p.hears(mineAda)
	const extra = 150
	begin := time.Now()
	for range messageBurst + extra {
		p.say("mouse", "action", "move", "x", 0.5, "y", 0.5)
	}
	p.say("key", "action", "up", "key", "Shift")
	apptest.Await(t, "all to be passed on", func() bool { return strings.HasSuffix(s.screen.all(), "keyUp Shift") })
	if took := time.Since(begin); took < extra*time.Second/messagesASecond {
		t.Errorf("%d messages took %v", messageBurst+extra, took)
	}
	if n := strings.Count(s.screen.all(), "mouseMoved"); n != messageBurst+extra {
		t.Errorf("%d of %d moves were passed on", n, messageBurst+extra)
	}
}

func TestSilenceEndsControl(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limit")
	}
	t.Parallel()
	s := newStand(t, func(o *Options) { o.Grace = 100 * time.Millisecond })
	p, awake := s.watch("1", "Ada"), s.watch("2", "Grace")
	p.hear()
	awake.hear()
	s.drive(p, "1", "Ada")
	p.hears(mineAda)
	awake.hears(othersAda)
	// Ada's laptop sleeps: nothing answers the pings any more.
	awake.SetReadDeadline(time.Now().Add(silenceLimit + apptest.Patience))
	_, data, err := awake.ReadMessage()
	if err != nil || string(data) != free {
		t.Errorf("heard %s, %v", data, err)
	}
}
