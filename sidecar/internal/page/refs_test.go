package page_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// refOf finds the ref in the first line of a snapshot that has words in it.
func refOf(t testing.TB, snapshot, words string) string {
	t.Helper()
	for line := range strings.SplitSeq(snapshot, "\n") {
		if strings.Contains(line, words) {
			if m := regexp.MustCompile(`\[ref=(\w+)\]`).FindStringSubmatch(line); m != nil {
				return m[1]
			}
		}
	}
	t.Fatalf("no line with %q and a ref in\n%s", words, snapshot)
	return ""
}

// resolves checks that ref names an element whose preview has words in it.
func (s *stage) resolves(ref, words string) {
	s.t.Helper()
	el, err := s.view.Resolve(s.ctx, ref)
	if err != nil {
		s.t.Errorf("resolve %s: %v", ref, err)
		return
	}
	var preview string
	if err := el.Call(s.ctx, "describe", &preview); err != nil || !strings.Contains(preview, words) {
		s.t.Errorf("%s is %s (%v), want one with %q", ref, preview, err, words)
	}
}

// gone checks that ref is dead, and why.
func (s *stage) gone(ref string, why page.Why) {
	s.t.Helper()
	el, err := s.view.Resolve(s.ctx, ref)
	var gone *page.GoneError
	switch {
	case !errors.As(err, &gone):
		s.t.Errorf("resolve %s: %v, %v; want an error", ref, el, err)
	case gone.Why != why:
		s.t.Errorf("%s: %q, want %q", ref, gone.Why, why)
	case !strings.Contains(err.Error(), ref+" not found in the current page snapshot. Try capturing new snapshot."):
		s.t.Errorf("the error lacks the words that agents know: %v", err)
	case !page.IsGone(err):
		s.t.Errorf("%v is not told as gone", err)
	}
}

func TestRefsLiveWithTheirElements(t *testing.T) {
	t.Parallel()
	s := open(t, `<button id=a>One</button><button id=b>Two</button><div id=box><button>Three</button><input aria-label=q></div>`)
	first := s.snapshot()
	one, two, three := refOf(t, first, "One"), refOf(t, first, "Two"), refOf(t, first, "Three")
	s.resolves(one, "One")

	// A move, a value and a state leave a ref alone; so does reading a part.
	s.js(`box.append(b); b.disabled = true; document.querySelector('input').value = 'x'`)
	root, err := s.view.Locate(s.ctx, "#box")
	if err != nil {
		t.Fatal(err)
	}
	part := s.snapshot(page.Options{Root: root})
	if refOf(t, part, "Two") != two || strings.Contains(part, "One") {
		t.Errorf("the part is\n%s", part)
	}
	s.resolves(one, "One")
	s.resolves(two, "Two")

	// Depth hides lines, not refs.
	s.snapshot(page.Options{Depth: 1})
	s.resolves(three, "Three")

	// Another name is another ref, and the old one says which.
	s.js(`a.textContent = 'Renamed'`)
	second := s.snapshot()
	fresh := refOf(t, second, "Renamed")
	if fresh == one {
		t.Errorf("the renamed button still is %s", one)
	}
	s.resolves(fresh, "Renamed")
	s.gone(one, page.WhyRenamed)
	if _, err := s.view.Resolve(s.ctx, one); !strings.Contains(err.Error(), fresh) {
		t.Errorf("the error does not tell the new ref: %v", err)
	}

	s.js(`b.remove()`)
	s.gone(two, page.WhyRemoved)
	s.snapshot()
	s.gone(two, page.WhyRemoved)

	s.gone("e999", page.WhyUnknown)
	s.gone("f9e1", page.WhyUnknown)
	s.gone("e0", page.WhyUnknown)
	s.gone("f0e1", page.WhyUnknown)
	s.gone("button", page.WhyUnknown)
}

func TestRefsDieWithTheirDocument(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.serve("/{$}", `<button>First</button>`)
	s.serve("/two", `<button>Second</button>`)
	s.visit("/")
	first := refOf(t, s.snapshot(), "First")
	el, err := s.view.Resolve(s.ctx, first)
	if err != nil {
		t.Fatal(err)
	}

	s.visit("/two")
	s.gone(first, page.WhyNavigated)
	if err := el.Call(s.ctx, "describe", nil); !page.IsGone(err) {
		t.Errorf("a call on an element of the old document: %v", err)
	}
	second := refOf(t, s.snapshot(), "Second")
	if first != "e2" || second != "f1e2" {
		t.Errorf("refs %s then %s, want e2 then f1e2", first, second)
	}
	// Both buttons are the second element of their document.
	s.gone(first, page.WhyNavigated)
	if err := el.Call(s.ctx, "describe", nil); !page.IsGone(err) {
		t.Errorf("a call on an element of the old document: %v", err)
	}
	s.resolves(second, "Second")

	// Same-document navigation changes nothing.
	s.js(`history.pushState(null, '', '/three')`)
	if again := refOf(t, s.snapshot(), "Second"); again != second {
		t.Errorf("%s became %s by pushState", second, again)
	}

	// document.write keeps the document and takes its elements.
	s.js(`document.open(); document.write('<button>Written</button>'); document.close()`)
	s.gone(second, page.WhyRemoved)
	s.resolves(refOf(t, s.snapshot(), "Written"), "Written")
}

func TestRefsOfFrames(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.serve("/{$}", `<button>Outer</button><iframe src=/in></iframe><iframe src={other}/in></iframe>`)
	s.serve("/in", `<button>Inner</button>`)
	s.serve("/other", `<button>Other</button>`)
	s.visit("/")
	text := s.await("Inner", 2)
	inner := refOf(t, text, "Inner")
	s.resolves(inner, "Inner")
	if !strings.HasPrefix(inner, "f") {
		t.Errorf("the ref in the frame is %s", inner)
	}
	s.js(`document.querySelector('iframe').src = '/other'`)
	text = s.await("Other", 1)
	other := refOf(t, text, "Other")
	if other == inner {
		t.Errorf("%s is used for another document", inner)
	}
	s.gone(inner, page.WhyNavigated)
	s.resolves(other, "Other")
	s.js(`document.querySelector('iframe').remove()`)
	s.gone(other, page.WhyNavigated)
	s.resolves(refOf(t, s.snapshot(), "Outer"), "Outer")
}

// Frames are numbered in the order in which they came, as agents know it, and not
// by where they stand.
func TestFramesAreNumberedAsTheyCame(t *testing.T) {
	t.Parallel()
	s := open(t, `<div id=first></div><div id=second></div>`)
	add := func(where, name string) {
		s.js(`(() => { const f = document.createElement('iframe'); f.srcdoc = '<button>` + name + `</button>'; ` + where + `.append(f) })()`)
		s.await(name, 1)
	}
	text := ""
	// Nothing has numbered them before all are there: a snapshot of another view.
	s.view = page.New(s.tab)
	add("second", "A")
	add("document.querySelector('iframe').contentDocument.body", "B")
	add("first", "C")
	s.view = page.New(s.tab)
	text = s.await("C", 1)
	for name, prefix := range map[string]string{"A": "f1e", "B": "f2e", "C": "f3e"} {
		if ref := refOf(t, text, `"`+name+`"`); !strings.HasPrefix(ref, prefix) {
			t.Errorf("%s is %s, want %s…:\n%s", name, ref, prefix, text)
		}
	}
}
