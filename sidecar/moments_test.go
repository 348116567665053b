package main_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

const (
	// settled is longer than pages keep their events to themselves.
	settled = 500 * time.Millisecond
	// pictureDir names a directory that gets the pictures which are compared.
	pictureDir = "PILLION_TEST_PICTURES"
	// manualPictures show the replay page in the README.
	manualPictures = "docs/img"
)

// look takes a picture, and waits on both sides of it, so that what a recording has
// of its moment is what the picture shows.
func look(t *testing.T, p *apptest.Process, name string, tab int) moment {
	t.Helper()
	time.Sleep(settled)
	m := moment{name: name, tab: tab, at: time.Now(), picture: screenshot(t, p, nil)}
	time.Sleep(settled)
	return m
}

func screenshot(t *testing.T, p *apptest.Process, args apptest.Args) image.Image {
	t.Helper()
	r := p.MCP.Call("browser_take_screenshot", args)
	if r.IsError || len(r.Images) != 1 {
		t.Fatalf("no picture: %s", r.Text)
	}
	picture, err := png.Decode(bytes.NewReader(r.Images[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

const (
	// block is the edge of the squares whose mean colours are compared, in pixels:
	// stars for typed text and the edges of fonts weigh little in one.
	block = 8
	// farther is how much a channel must differ, of 255, for a square to count.
	farther = 48
	// mostUnlike is how much of what a picture shows may differ in its replay. What a
	// replay lacks (typed text, a picture that is not in the recording, the ring of a
	// focus) came to 0.07; another page came to 0.27 and more, and a blank one to 1.
	mostUnlike = 0.15
)

// unlike compares two pictures: the squares that differ, over those of the first
// that are not its ground.
func unlike(a, b image.Image) float64 {
	a, b = squares(a), squares(b)
	size := a.Bounds().Intersect(b.Bounds())
	ground := commonest(a)
	ink, off := 0, 0
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if far(a.At(x, y), ground) {
				ink++
			}
			if far(a.At(x, y), b.At(x, y)) {
				off++
			}
		}
	}
	return float64(off) / float64(max(ink, 1))
}

// squares is a picture with the mean of each square as one pixel.
func squares(a image.Image) image.Image {
	from := a.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, from.Dx()/block, from.Dy()/block))
	for y := range small.Bounds().Dy() {
		for x := range small.Bounds().Dx() {
			var sum [3]uint32
			for dy := range block {
				for dx := range block {
					r, g, b, _ := a.At(from.Min.X+x*block+dx, from.Min.Y+y*block+dy).RGBA()
					sum[0], sum[1], sum[2] = sum[0]+r>>8, sum[1]+g>>8, sum[2]+b>>8
				}
			}
			small.SetRGBA(x, y, color.RGBA{uint8(sum[0] / (block * block)), uint8(sum[1] / (block * block)), uint8(sum[2] / (block * block)), 255})
		}
	}
	return small
}

// commonest is the colour that most pixels have.
func commonest(a image.Image) color.Color {
	seen := map[color.Color]int{}
	var most color.Color = color.White
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			c := a.At(x, y)
			if seen[c]++; seen[c] > seen[most] {
				most = c
			}
		}
	}
	return most
}

// blankLike is a picture of nothing but another's ground.
func blankLike(a image.Image) image.Image {
	blank := image.NewRGBA(a.Bounds())
	draw.Draw(blank, blank.Bounds(), image.NewUniform(commonest(a)), image.Point{}, draw.Src)
	return blank
}

func far(a, b color.Color) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	for _, d := range []int{int(r1>>8) - int(r2>>8), int(g1>>8) - int(g2>>8), int(b1>>8) - int(b2>>8)} {
		if d > farther || d < -farther {
			return true
		}
	}
	return false
}

// compare opens a recording in a browser and holds each moment against its picture,
// and against those of the others, so that the comparison is known to tell.
func compare(t *testing.T, host *intake, id string, moments []moment) (start int64) {
	t.Helper()
	base, err := url.Parse(host.url)
	if err != nil {
		t.Fatal(err)
	}
	viewer := apptest.Sidecar(t, apptest.Config{
		"app_url": base.Scheme + "://" + base.Host, "viewport": apptest.Config{"width": 1800, "height": 1100},
	})
	viewer.MCP.Initialize()
	page := host.url + "/recordings/" + id + "/"
	open := func(hash string) {
		viewer.MCP.Must("browser_navigate", apptest.Args{"url": page + hash})
		apptest.Await(t, "the replay", func() bool {
			return strings.Contains(evaluate(viewer, "document.documentElement.dataset.state"), `"ready"`)
		})
	}
	open("")
	if start, err = strconv.ParseInt(strings.Trim(result(evaluate(viewer, "document.documentElement.dataset.start")), `"`), 10, 64); err != nil {
		t.Fatal(err)
	}
	var replayed []image.Image
	for _, m := range moments {
		open(fmt.Sprintf("#t=%d&tab=%d&zoom=1", m.at.UnixMilli()-start, m.tab))
		replayed = append(replayed, screenshot(t, viewer, apptest.Args{"target": ".player:not([hidden]) iframe"}))
	}
	for i, m := range moments {
		keepPicture(t, fmt.Sprint(i, "-", m.name, "-session"), m.picture)
		keepPicture(t, fmt.Sprint(i, "-", m.name, "-replay"), replayed[i])
		var others []string
		for j, r := range replayed {
			d := unlike(m.picture, r)
			others = append(others, fmt.Sprintf("%s %.3f", moments[j].name, d))
			if (d > mostUnlike) != (i != j) {
				t.Errorf("the session's %s and the replay's %s are unlike by %.3f", m.name, moments[j].name, d)
			}
		}
		d := unlike(m.picture, blankLike(m.picture))
		if d <= mostUnlike {
			t.Errorf("%s is unlike a blank page by %.3f alone", m.name, d)
		}
		t.Logf("%s: %s, blank %.3f", m.name, strings.Join(others, ", "), d)
	}
	return start
}

func evaluate(p *apptest.Process, expression string) string {
	return p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => " + expression})
}

// result is the value in an answer of browser_evaluate.
func result(answer string) string {
	_, value, _ := strings.Cut(answer, "### Result\n")
	value, _, _ = strings.Cut(value, "\n")
	return value
}

// keepPicture writes a picture where somebody wants to look at it.
func keepPicture(t *testing.T, name string, picture image.Image) {
	t.Helper()
	if dir := os.Getenv(pictureDir); dir != "" {
		writePicture(t, filepath.Join(dir, name+".png"), picture)
	}
}

func writePicture(t *testing.T, path string, picture image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
