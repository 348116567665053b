package page_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

const fixtures = "../../../testdata/snapshots"

// differences lists where our text is deliberately another than the file says,
// which is what agents know from elsewhere: what we write instead, and why.
var differences = map[string]struct {
	why     string
	replace []string // old, new, ...
}{
	"06-text-inputs": {
		"a password is not told, only that there is one",
		[]string{"hunter2", "••••••••"},
	},
	"30-shadow-closed": {
		"closed shadow roots are read like open ones",
		[]string{`- button "Open btn" [ref=e3]`, "- generic [active] [ref=e1]:\n  - button \"Closed btn\" [ref=e4]\n  - button \"Open btn\" [ref=e3]"},
	},
}

// anyRef hides numbers of frames, which depend on the order in which frames
// happen to load.
var (
	anyRef = regexp.MustCompile(`\[ref=f\d+`)
	refs   = regexp.MustCompile(` \[ref=\w+\]`)
)

func TestFixtures(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(fixtures + "/*.html")
	if err != nil || len(pages) < 60 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, file := range pages {
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		variants, err := filepath.Glob(fixtures + "/" + name + ".*yaml")
		if err != nil || len(variants) == 0 {
			t.Errorf("%s: no expected text, %v", name, err)
		}
		for _, v := range variants {
			variant := strings.Trim(strings.TrimPrefix(strings.TrimSuffix(filepath.Base(v), "yaml"), name), ".")
			t.Run(strings.Trim(name+"/"+variant, "/"), func(t *testing.T) { compareFixture(t, name, variant, v) })
		}
	}
}

func compareFixture(t *testing.T, name, variant, expected string) {
	text, err := os.ReadFile(expected)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSuffix(string(text), "\n")
	if d, ok := differences[name]; ok {
		changed := strings.NewReplacer(d.replace...).Replace(want)
		if changed == want {
			t.Errorf("the file does not have what is listed as different")
		}
		want = changed
	}
	s := newStage(t)
	s.mux.Handle("/", http.FileServer(http.Dir(fixtures)))
	s.visit("/" + name + ".html")
	var o page.Options
	switch depth, ok := strings.CutPrefix(variant, "depth"); {
	case ok:
		if o.Depth, err = strconv.Atoi(depth); err != nil {
			t.Fatal(err)
		}
	case variant == "boxes":
		o.Boxes = true
	case variant == "target":
		s.snapshot() // the expected refs are those of a page that was read before
		if o.Root, err = s.view.Locate(s.ctx, "#sec"); err != nil {
			t.Fatal(err)
		}
	}
	hide := func(s string) string { return anyRef.ReplaceAllString(s, "[ref=fN") }
	// Frames and scripts of a page may take a moment longer than its load.
	var got string
	for begin := time.Now(); time.Since(begin) < 5*time.Second; time.Sleep(20 * time.Millisecond) {
		if got = s.snapshot(o); hide(got) == hide(want) {
			return
		}
	}
	t.Errorf("differs from %s:\n%s", expected, cmp.Diff(strings.Split(hide(want), "\n"), strings.Split(hide(got), "\n")))
}
