package main_test

import (
	"image"
	"image/color"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestPicturesOfTheReplay shows what the replay page can do, each with a picture of
// it that the manual has: go test ./sidecar -run TestPicturesOfTheReplay -update-pictures
func TestPicturesOfTheReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session.pillion")
	eventfulSession(t, file)
	page, _ := replayOf(t, file)
	export := fetch(t, page+"export.html", http.StatusOK)
	exported := apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(export))
	}))

	v := lookAt(t, page)
	v.open("")
	for _, kind := range []string{"Actions", "Pages", "Errors", "People", "Refusals"} {
		v.sees("the kind "+kind, "[...document.querySelectorAll('#kinds label')].some((l) => l.textContent.includes('"+kind+"'))")
	}
	v.chooses("Went to /form")
	v.sees("the form", "document.querySelector('.player:not([hidden]) iframe').contentDocument.querySelector('[name=customer]') !== null")
	v.picture("timeline")

	v.chooses("A person took over")
	v.sees("whom it was", "document.querySelector('li[aria-current]').textContent.includes('Ada')")
	v.does("for (const l of document.querySelectorAll('#kinds label')) if (/Actions|Pages/.test(l.textContent)) l.firstChild.click()")
	v.sees("the rest of the list", "[...document.querySelectorAll('#items li:not([hidden])')].every((l) => !/action|page/.test(l.className))")
	v.picture("takeover")

	v.open("")
	v.does("document.getElementById('search').value = 'orders'; document.getElementById('search').dispatchEvent(new Event('input'))")
	v.sees("what was found", "/^[1-9]\\d* of \\d+$/.test(document.getElementById('count').textContent)")
	v.chooses("Went to /orders")
	v.sees("the orders", "document.querySelector('.player:not([hidden]) iframe').contentDocument.body.textContent.includes('All orders')")
	v.picture("search")

	v.open("")
	v.does("document.getElementById('seek').value = document.getElementById('seek').max; document.getElementById('seek').dispatchEvent(new Event('input'))")
	v.does("document.querySelector('#tabs button:nth-child(2)').click()")
	v.sees("its page, as it was at the end", "document.querySelector('.player:not([hidden]) iframe').contentDocument.body.textContent.includes('All orders')")
	v.sees("the second tab", "document.querySelector('#tabs [aria-selected=true]').textContent.startsWith('2')")
	v.picture("tabs")

	v.c.Must("browser_emulate_media", apptest.Args{"colorScheme": "dark"})
	v.c.Must("browser_resize", apptest.Args{"width": 390, "height": 780})
	v.open("")
	v.chooses("Went to /form")
	v.sees("no more than the width", "document.documentElement.scrollWidth <= 390")
	v.picture("phone")

	alone := lookAt(t, exported+"/")
	alone.open("")
	alone.sees("one file", "document.querySelectorAll('script[src], link[rel=stylesheet]').length === 0 && getComputedStyle(document.getElementById('save')).display === 'none'")
	alone.chooses("Refused")
	alone.picture("export")
}

// eventfulSession records a session in which all kinds of things happen.
func eventfulSession(t *testing.T, file string) {
	t.Helper()
	site := apptest.Start(t)
	p := apptest.Sidecar(t, liveConfig(), apptest.Config{"app_url": site.URL(), "recording": apptest.Config{"file": file, "actions": true}})
	p.MCP.Initialize()
	login := p.MCP.Must("browser_navigate", apptest.Args{"url": "/login"})
	typ := func(page, element, text string) {
		p.MCP.Must("browser_type", apptest.Args{"target": p.MCP.Ref(page, element), "element": element, "text": text})
	}
	typ(login, `textbox "User name"`, "ada")
	typ(login, `textbox "Password"`, "correct horse")
	p.MCP.Must("browser_click", apptest.Args{"target": p.MCP.Ref(login, `button "Sign in"`), "element": "Sign in"})
	form := p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	typ(form, `textbox "Customer *"`, "Grace Hopper")
	typ(form, `textbox "Email"`, "grace@example.com")
	p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => { console.error('The price list is out of date'); }"})
	if r := p.MCP.Call("browser_navigate", apptest.Args{"url": "https://elsewhere.example/"}); !r.IsError {
		t.Errorf("went elsewhere: %s", r.Text)
	}
	look(t, p, "form", 1)

	x, y := centre(t, p.MCP, "[name=customer]")
	ada := dashboardOf(t, p, "7", "Ada")
	ada.await("a picture", func() bool { return ada.frames > 0 })
	ada.takeOver()
	ada.click(x, y)
	ada.send(map[string]any{"type": "text", "text": canary})
	ada.handBack()

	look(t, p, "form", 1)
	p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/orders"})
	look(t, p, "orders", 2)
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// onlooker is a browser at a replay page.
type onlooker struct {
	*seat
	page string
	p    *apptest.Process
}

func lookAt(t *testing.T, page string) *onlooker {
	t.Helper()
	parts := strings.SplitN(page, "/", 4)
	p := apptest.Sidecar(t, apptest.Config{"app_url": strings.Join(parts[:3], "/"), "viewport": apptest.Config{"width": 1100, "height": 640}})
	p.MCP.Initialize()
	return &onlooker{&seat{t: t, c: p.MCP}, page, p}
}

// open loads the page anew.
func (w *onlooker) open(hash string) {
	w.t.Helper()
	w.c.Must("browser_navigate", apptest.Args{"url": w.page + hash})
	w.sees("the replay", "document.documentElement.dataset.state === 'ready'")
}

func (w *onlooker) does(statements string) {
	w.t.Helper()
	w.c.Must("browser_evaluate", apptest.Args{"function": "() => { " + statements + " }"})
}

// chooses clicks the first item of the list that begins with words.
func (w *onlooker) chooses(words string) {
	w.t.Helper()
	find := "[...document.querySelectorAll('#items li')].find((l) => l.querySelector('.item').textContent.replace(/^[\\d:]+/, '').startsWith(" + strconv.Quote(words) + "))"
	w.sees(words, find)
	w.does(find + ".querySelector('button').click()")
}

func (w *onlooker) picture(name string) {
	w.t.Helper()
	p := screenshot(w.t, w.p, nil)
	keepPicture(w.t, "replay-"+name, p)
	if d := unlike(p, blankLike(p)); d < 0.5 {
		w.t.Errorf("%s, %v, is blank: %.3f", name, p.Bounds(), d)
	}
	if *updatePictures {
		writePicture(w.t, filepath.Join(manualPictures, "replay-"+name+".png"), fewColours(p))
	}
}

// fewColours makes a picture small to keep: its commonest colours, and for the
// others the nearest of those.
func fewColours(from image.Image) image.Image {
	const most = 64
	seen := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		r, g, b, _ := from.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
	}
	for y := from.Bounds().Min.Y; y < from.Bounds().Max.Y; y++ {
		for x := from.Bounds().Min.X; x < from.Bounds().Max.X; x++ {
			seen[at(x, y)]++
		}
	}
	var palette color.Palette
	for len(palette) < min(most, len(seen)) {
		var best color.RGBA
		for c, n := range seen {
			if n > seen[best] {
				best = c
			}
		}
		if seen[best] == 0 {
			break
		}
		palette = append(palette, best)
		// What is near it has a place with it.
		for c := range seen {
			if near(c, best) {
				seen[c] = 0
			}
		}
	}
	small := image.NewPaletted(from.Bounds(), palette)
	known := map[color.RGBA]uint8{}
	for y := from.Bounds().Min.Y; y < from.Bounds().Max.Y; y++ {
		for x := from.Bounds().Min.X; x < from.Bounds().Max.X; x++ {
			c := at(x, y)
			n, ok := known[c]
			if !ok {
				n = uint8(palette.Index(c))
				known[c] = n
			}
			small.SetColorIndex(x, y, n)
		}
	}
	return small
}

func near(a, b color.RGBA) bool {
	d := []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)}
	return !slices.ContainsFunc(d, func(n int) bool { return n > 6 || n < -6 })
}
