package tools_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/tools"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// fetch reads one of the session's files.
func (w *bench) fetch(link string) []byte {
	w.t.Helper()
	f, err := w.store.Artifact(link)
	if err != nil {
		w.t.Fatalf("%s: %v", link, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	w.must(err)
	return data
}

var linkForm = regexp.MustCompile(`- \[([^\]]*)\]\(([^)]*)\)`)

func TestScreenshots(t *testing.T) {
	w := open(t)
	w.show(`<style>body{margin:0}</style><div id=tall style="height:3000px">tall</div><div id=x style="position:absolute;left:100.4px;top:1500.2px;width:60.2px;height:30px;background:red">x</div>`)
	for _, c := range []struct {
		args        args
		title, mime string
		size        string
	}{
		{nil, "Screenshot of viewport", "image/png", "1280 x 800"},
		{args{"type": "jpeg"}, "Screenshot of viewport", "image/jpeg", "1280 x 800"},
		{args{"type": "webp"}, "Screenshot of viewport", "image/webp", "1280 x 800"},
		{args{"fullPage": true, "scale": "device"}, "Screenshot of full page", "image/png", "1280 x 3000"},
		{args{"target": "#x"}, "Screenshot of element", "image/png", "61 x 31"},
		{args{"target": "#x", "element": "the [red] box"}, "Screenshot of the (red) box", "image/png", "61 x 31"},
	} {
		r := w.call("browser_take_screenshot", c.args)
		m := linkForm.FindStringSubmatch(r.text)
		if r.isError || m == nil || m[1] != c.title || !strings.HasPrefix(r.text, "### Result\n- [") || len(r.images) != 1 || r.images[0].MIMEType != c.mime {
			t.Fatalf("%v: %d images\n%s", c.args, len(r.images), r.text)
		}
		w.has(r.text, "\n"+c.size+" pixels")
		if !bytes.Equal(w.fetch(m[2]), r.images[0].Data) {
			t.Errorf("%v: %s is another picture", c.args, m[2])
		}
		if strings.HasSuffix(m[2], ".webp") != (c.mime == "image/webp") || strings.ContainsAny(m[2], "/ :") {
			t.Errorf("%v: link %s", c.args, m[2])
		}
		if config, _, err := image.DecodeConfig(bytes.NewReader(r.images[0].Data)); err == nil {
			if got := fmt.Sprintf("%d x %d", config.Width, config.Height); got != c.size {
				t.Errorf("%v: the picture is %s", c.args, got)
			}
		} else if c.mime != "image/webp" {
			t.Errorf("%v: %v", c.args, err)
		}
	}
	for name, kind := range map[string]string{"shot.png": "png", "shot.jpg": "jpeg", "sub/shot.jpeg": "jpeg", "shot": "png", filepath.Join(w.dirs.Output, "shot.png"): "png"} {
		r := w.call("browser_take_screenshot", args{"filename": name})
		m := linkForm.FindStringSubmatch(r.text)
		if r.isError || m == nil || len(r.images) != 0 {
			t.Fatalf("%s: %d images\n%s", name, len(r.images), r.text)
		}
		if _, got, err := image.DecodeConfig(bytes.NewReader(w.fetch(m[2]))); err != nil || got != kind {
			t.Errorf("%s is a %s: %v", name, got, err)
		}
	}
	if _, err := os.Stat(filepath.Join(w.dirs.Uploads, "sub", "shot.jpeg")); err != nil {
		t.Error(err)
	}
}

func TestLargePicturesAreScaledDown(t *testing.T) {
	w := open(t, func(o *tools.Options, _ *files.Limits) { o.ScreenshotMaxEdge = 500 })
	w.show(`<style>body{margin:0}</style><div style="height:4000px;background:linear-gradient(red,blue)"></div><div id=x style="position:absolute;top:0;width:400px;height:300px">x</div>`)
	for _, c := range []struct {
		args args
		size string
	}{
		{args{"fullPage": true}, "160 x 500 pixels, scaled down from 1280 x 4000: no side may be longer than 500."},
		{args{}, "500 x 313 pixels, scaled down from 1280 x 800"},
		{args{"target": "#x"}, "400 x 300 pixels"},
	} {
		r := w.call("browser_take_screenshot", c.args)
		w.has(r.text, "\n"+c.size)
		config, _, err := image.DecodeConfig(bytes.NewReader(r.images[0].Data))
		if got := fmt.Sprintf("%d x %d", config.Width, config.Height); err != nil || !strings.HasPrefix(c.size, got) {
			t.Errorf("%v: the picture is %s, %v", c.args, got, err)
		}
	}
	if got := w.js("() => [innerWidth, innerHeight, scrollY]"); strings.Join(strings.Fields(got), "") != "[1280,800,0]" {
		t.Errorf("the page is left with %s", got)
	}
}

func TestAPageThatDoesNotDrawIsToldSo(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	w.show(`<button onclick="setTimeout(() => alert('late'), 50)">Later</button>`)
	w.ok("browser_click", args{"target": "button", "snapshot": "none"})
	await(t, "the dialog", func() bool { return w.b.Tabs()[0].Dialog() != nil })
	w.fails("browser_take_screenshot", nil, "does not handle the modal state")
	w.fails("browser_pdf_save", nil, "does not handle the modal state")
	w.ok("browser_handle_dialog", args{"accept": true})
	w.fails("browser_take_screenshot", args{"target": "body >> text=nothing"}, "does not match any elements")
	w.show(`<div id=none style="width:0;height:0"></div>`)
	w.fails("browser_take_screenshot", args{"target": "#none"}, "TimeoutError: ", "element is not visible")
}

func TestPDF(t *testing.T) {
	w := open(t)
	w.show("<h1>Printed</h1>")
	for filename, want := range map[string]string{"": "page-", "out.pdf": "./out.pdf"} {
		a := args{}
		if filename != "" {
			a["filename"] = filename
		}
		m := linkForm.FindStringSubmatch(w.ok("browser_pdf_save", a))
		if m == nil || m[1] != "Page as pdf" || !strings.HasPrefix(m[2], want) || !bytes.HasPrefix(w.fetch(m[2]), []byte("%PDF-")) {
			t.Errorf("%q: %q", filename, m)
		}
	}
	w.fails("browser_pdf_save", args{"filename": "../out.pdf"}, "File access denied: ../out.pdf is outside allowed roots")
}

func TestFilesGiveWayToNewerOnes(t *testing.T) {
	w := open(t, func(_ *tools.Options, l *files.Limits) { l.Total = 20_000 })
	w.show("<p>x</p>")
	first := linkForm.FindStringSubmatch(w.ok("browser_take_screenshot", nil))[2]
	var told bool
	for range 20 {
		told = told || strings.Contains(w.ok("browser_take_screenshot", nil), "### Events\n- Removed the oldest files to make room: "+first)
	}
	if _, err := w.store.Artifact(first); err == nil || !told {
		t.Errorf("the first of them is there: %v; told: %v", err, told)
	}
}
