package live_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

var update = flag.Bool("update", false, "take the pictures of the page anew")

// pictureDir is where the documentation finds them.
const pictureDir = "../../docs/img"

// looksOdd finds what must not be: something that reaches out of the page, a
// control without a name or too small for a finger, text that is hard to read.
const looksOdd = `(() => {
  const odd = [];
  if (document.documentElement.scrollWidth > innerWidth) odd.push('the page scrolls sideways');
  const shown = e => e.checkVisibility() && e.getBoundingClientRect().width > 0;
  for (const e of document.querySelectorAll('button, input, select, textarea, canvas')) {
    if (!shown(e)) continue;
    const label = e.getAttribute('aria-labelledby');
    const name = e.getAttribute('aria-label') || (label && document.getElementById(label)?.textContent) || e.textContent;
    const r = e.getBoundingClientRect();
    if (!name.trim()) odd.push((e.id || e.outerHTML) + ' has no name');
    if (e.tagName === 'BUTTON' && (r.height < 44 || r.width < 44)) odd.push((e.id || name) + ' is ' + r.width + ' x ' + r.height);
  }
  const light = c => { const v = c.match(/[\d.]+/g).map(n => n / 255).map(n => n <= 0.03928 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
  for (const e of document.querySelectorAll('h1, p, span, button, input, label')) {
    if (!shown(e) || e.disabled || e.id === 'veil' || !(e.textContent || e.value)) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) odd.push((e.id || e.tagName) + ' has a contrast of ' + contrast.toFixed(1));
  }
  return odd.join('; ');
})()`

// TestViewerLooks goes through the states of the page in two sizes: in each there
// is nothing odd about it, and what is below the header stays where it is. With
// -update it takes the pictures of the documentation.
func TestViewerLooks(t *testing.T) {
	s := sitDown(t, "/keys")
	browsertest.Eval(t, s.watched.MainFrame(), fields)
	sizes := []struct {
		name string
		proto.Viewport
	}{{"desktop", proto.Viewport{Width: 1100, Height: 900}}, {"phone", proto.Viewport{Width: 390, Height: 760}}}
	top := map[string]string{}
	look := func(state string) {
		t.Helper()
		for _, size := range sizes {
			if err := s.person.Resize(within(t), size.Viewport); err != nil {
				t.Fatal(err)
			}
			for _, scheme := range []string{"dark", "light"} {
				if _, err := pcdp.Call(within(t), s.person.Session(), emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
				}); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s, %s, %s", state, size.name, scheme)
				if odd := browsertest.Eval(t, s.person.MainFrame(), looksOdd); odd != `""` {
					t.Errorf("%s: %s", name, odd)
				}
				at := browsertest.Eval(t, s.person.MainFrame(), "JSON.stringify(['bar', 'stage', 'drive'].map(id => document.getElementById(id).getBoundingClientRect().toJSON()))")
				if top[size.name] == "" {
					top[size.name] = at
				} else if top[size.name] != at {
					t.Errorf("%s: things moved from %s to %s", name, top[size.name], at)
				}
				if *update && (scheme == "light" || state == "driving") {
					s.keep(state+"-"+size.name+map[string]string{"dark": "-dark"}[scheme], size.Viewport)
				}
			}
		}
	}

	s.state("free")
	look("watching")
	ask, stopAsking := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = s.hub.Desk().Ask(ask, "Please sign in as the shop’s owner, and stop at the list of orders. The second factor is on your phone.", 5*time.Minute, time.Hour)
	}()
	s.sees("the request", "!document.getElementById('request').hidden")
	look("asked")
	stopAsking()
	<-asked
	s.sees("no request", "document.getElementById('request').hidden")

	s.clicks("#drive")
	s.state("mine")
	waits, stopWaiting := context.WithCancel(t.Context())
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_, _, _ = s.hub.Lease().Admit(waits, "browser_click", nil)
	}()
	s.sees("the agent to wait", "document.getElementById('banner').textContent.startsWith('The agent waits')")
	look("driving")
	stopWaiting()
	<-waited

	s.person.Resize(within(t), sizes[0].Viewport)
	s.points("#fruit")
	s.sees("the list", "document.getElementById('choose').open")
	look("choosing")
	s.types("Escape")
	browsertest.Eval(t, s.watched.MainFrame(), "setTimeout(() => prompt('What is your name?', 'Ada'), 0)")
	s.sees("the question", "document.getElementById('ask').open")
	look("answering")
	s.types("Escape")
	browsertest.Eval(t, s.watched.MainFrame(), "{ const f = document.createElement('input'); f.type = 'file'; f.multiple = true; f.click() }")
	s.sees("the question for files", "document.getElementById('pick').open")
	look("giving")
	s.types("Escape")
	s.saves("list.txt", 2048)
	look("saving")
	s.clicks("#drive")
	s.state("free")

	s.hub.Lease().Acquire(99, takeover.Person{ID: new("2"), Name: new("Grace")})
	s.state("held")
	look("held")
	s.line.reach("http://127.0.0.1:9") // nobody is there
	s.line.cut()
	s.state("closed")
	s.sees("that it broke", "document.getElementById('status').textContent === 'The connection was lost. Trying again.'")
	look("lost")
	s.line.reach(s.page)
	s.state("held")
	s.hub.Close()
	s.reads("status", "The browser has stopped.")
	look("stopped")
}

// saves has the watched page download a file, as far as Chromium is concerned, and
// stores it as the session would.
func (s *seat) saves(name string, size int64) {
	s.t.Helper()
	dir := s.t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} { // Chromium's user writes there
		if err := os.Chmod(d, 0o777); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := s.chromium.AllowDownloads(within(s.t), browser.DownloadRules{Dir: dir, Max: 1 << 20}); err != nil {
		s.t.Fatal(err)
	}
	browsertest.Eval(s.t, s.watched.MainFrame(), fmt.Sprintf("{ const a = document.createElement('a'); a.href = 'data:text/plain,hi'; a.download = %q; a.click() }", name))
	d, err := s.chromium.ArrivedDownload(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	s.chromium.StoreDownload(d.ID, name, size, nil)
	s.sees("the file", fmt.Sprintf("document.querySelector('#files-list button')?.textContent === %q", "Save "+name+" (2 kB)"))
	s.sees("no words in passing", "document.getElementById('toast').textContent === ''")
}

// keep writes a picture of her screen, small enough to be kept with the sources.
func (s *seat) keep(name string, size proto.Viewport) {
	s.t.Helper()
	shot, err := pcdp.Call(within(s.t), s.person.Session(), page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng,
		Clip:   &page.Viewport{Width: float64(size.Width), Height: float64(size.Height), Scale: 0.5},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(pictureDir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictureDir, name+".png"), shot.Data, 0o644); err != nil {
		s.t.Fatal(err)
	}
}
