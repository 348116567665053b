package film_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/event"
	"github.com/pillion-browser/pillion/sidecar/internal/record/film"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// reel is the parts that were kept.
type reel struct {
	mu    sync.Mutex
	parts []film.Part
}

func (r *reel) keep(p film.Part) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts = append(r.parts, p)
	return nil
}

func (r *reel) of(tab int) (parts []film.Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.parts {
		if p.Tab == tab {
			parts = append(parts, p)
		}
	}
	return parts
}

// colours is a page that is red for a second, then blue, and moves.
const colours = `<!doctype html><title>Colours</title><style>
	@keyframes turn { 0%, 49% { background: rgb(255, 0, 0) } 50%, 100% { background: rgb(0, 0, 255) } }
	body { animation: turn 2s 1 forwards }
	i { display: block; width: 40px; height: 40px; background: white; animation: move .5s infinite alternate }
	@keyframes move { to { translate: 200px } }
</style><i></i>`

// player shows a film and tells of it.
const player = `<!doctype html><video src="/film" muted preload="auto"></video>`

// A tab is filmed beside its live view: what is in the films is what was on screen,
// a person's time is in none, and a tab that closes leaves what there was of it.
func TestTabsAreFilmed(t *testing.T) {
	events, kept := &event.Stream{}, &reel{}
	var shown []byte
	here := apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/film":
			w.Header().Set("Content-Type", "video/mp4")
			http.ServeContent(w, r, "film.mp4", time.Time{}, bytes.NewReader(shown))
		case "/player":
			fmt.Fprint(w, player)
		default:
			fmt.Fprint(w, colours)
		}
	}))
	f := film.New(film.Options{Events: events, Keep: kept.keep, Part: 30 * time.Second})
	b := browsertest.Free(t, func(o *browser.Options) {
		o.Events, o.OnTarget, o.OnClosing = events, func(t *browser.Tab, _ *cdp.Session) { f.Attach(t) }, f.Finish
	})
	within, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var frames sync.WaitGroup
	frames.Add(3)
	n := 0
	cast := b.Screencast(browser.CastOptions{OnView: func(browser.View) {}, OnFrame: func(c *browser.CastFrame) {
		if n++; n <= 3 {
			frames.Done()
		}
		c.Done()
	}})
	defer cast.Close()
	cast.Watch(true)

	tab := b.Tabs()[0]
	if _, err := tab.Navigate(within, here+"/"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2400 * time.Millisecond) // the film is of this
	takeover := func(held bool) time.Time {
		events.Publish(event.Event{Kind: event.Takeover, Detail: map[string]string{"held": strconv.FormatBool(held), "why": "taken"}})
		return time.Now()
	}
	taken := takeover(true)
	apptest.Await(t, "the first part", func() bool { return len(kept.of(1)) == 1 })
	time.Sleep(300 * time.Millisecond)
	given := takeover(false)
	frames.Wait() // the live view went on

	second, err := b.NewTab(within)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Navigate(within, here+"/"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1300 * time.Millisecond)
	if err := second.Close(within); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "the part of the tab that closed", func() bool { return len(kept.of(second.ID())) == 1 })
	f.Stop(within)
	if len(kept.of(1)) != 2 {
		t.Errorf("%d parts of the first tab", len(kept.of(1)))
	}
	for _, p := range append(kept.of(1), kept.of(second.ID())...) {
		t.Logf("tab %d from %v to %v: %d bytes", p.Tab, p.Start.Format(time.TimeOnly), p.End.Format(time.TimeOnly), len(p.MP4))
		if !bytes.Contains(p.MP4[:min(40, len(p.MP4))], []byte("ftyp")) {
			t.Errorf("no film: %.40q", p.MP4)
		}
		if p.Start.Before(given) && p.End.After(taken.Add(time.Second)) {
			t.Errorf("the part of %v to %v has a person in it, %v to %v", p.Start, p.End, taken, given)
		}
	}

	// Played, the first part is red, then blue; the closed tab's begins red.
	colour := func(p film.Part, at float64) string {
		shown = p.MP4
		page, err := b.NewTab(within)
		if err != nil {
			t.Fatal(err)
		}
		defer page.Close(within)
		if _, err := page.Navigate(within, here+"/player"); err != nil {
			t.Fatal(err)
		}
		return browsertest.Eval(t, page.MainFrame(), fmt.Sprintf(`(async () => {
			const v = document.querySelector('video');
			while (v.readyState < 2 && !v.error) await new Promise((r) => setTimeout(r, 20));
			if (v.error) return v.error.message;
			v.currentTime = %v;
			await new Promise((r) => v.addEventListener('seeked', r, { once: true }));
			const c = new OffscreenCanvas(v.videoWidth, v.videoHeight).getContext('2d');
			c.drawImage(v, 0, 0);
			const [red, green, blue] = c.getImageData(v.videoWidth / 2, v.videoHeight / 2, 1, 1).data;
			return [v.videoWidth, v.videoHeight, v.duration.toFixed(1), red > 150 ? 'red' : '', blue > 150 ? 'blue' : ''].join(' ');
		})()`, at))
	}
	first := kept.of(1)[0]
	early, late := colour(first, first.End.Sub(first.Start).Seconds()-2.1), colour(first, first.End.Sub(first.Start).Seconds()-0.5)
	closed := colour(kept.of(second.ID())[0], 0.8)
	t.Log(early, late, closed)
	if !strings.Contains(early, "red") || !strings.Contains(late, "blue") || !strings.Contains(closed, "red") {
		t.Errorf("the films show %s, %s, %s", early, late, closed)
	}
}
