package page_test

import (
	"strings"
	"testing"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

func TestScriptIsASCII(t *testing.T) {
	if i := strings.IndexFunc(page.Script(), func(r rune) bool { return r > 0x7e }); i >= 0 {
		t.Errorf("write it as an escape, \\u2026 for an ellipsis: %q", page.Script()[i:min(i+40, len(page.Script()))])
	}
}

// TestScriptComesWithTheDocument: it is there before the first call where the
// browser was given it, and comes with the first call where not.
func TestScriptComesWithTheDocument(t *testing.T) {
	for _, given := range []bool{true, false} {
		s := newStage(t)
		if !given {
			tab, err := browsertest.Free(t).NewTab(s.ctx)
			if err != nil {
				t.Fatal(err)
			}
			s.tab, s.view = tab, page.New(tab)
		}
		s.serve("/{$}", `<h1>Outer</h1><iframe src="/inner"></iframe>`)
		s.serve("/inner", `<h2>Inner</h2>`)
		if _, err := s.tab.Navigate(s.ctx, s.url+"/"); err != nil {
			t.Fatal(err)
		}
		there := func(f *browser.Frame) string {
			t.Helper()
			world, err := f.World(s.ctx)
			if err != nil {
				t.Fatal(err)
			}
			res, err := pcdp.Call(s.ctx, f.Session(), runtime.Evaluate, runtime.EvaluateParams{
				Expression: "Symbol.for('pillion') in globalThis", ContextID: world,
			})
			if err != nil {
				t.Fatal(err)
			}
			return string(res.Result.Value)
		}
		frames := s.tab.Frames()
		if len(frames) != 2 {
			t.Fatalf("%d frames", len(frames))
		}
		for i, f := range frames {
			if got, want := there(f), map[bool]string{true: "true", false: "false"}[given]; got != want {
				t.Errorf("given %v: frame %d has it: %s", given, i, got)
			}
		}
		snap, err := s.view.Snapshot(s.ctx, page.Options{})
		if err != nil || !strings.Contains(snap.Text, "Outer") || !strings.Contains(snap.Text, "Inner") {
			t.Errorf("given %v: %v\n%s", given, err, snap.Text)
		}
		for i, f := range frames {
			if got := there(f); got != "true" {
				t.Errorf("given %v: after the snapshot frame %d has it: %s", given, i, got)
			}
		}
	}
}
