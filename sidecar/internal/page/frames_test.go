package page_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// await takes snapshots until one has words at least n times.
func (s *stage) await(words string, n int) string {
	s.t.Helper()
	var text string
	for s.ctx.Err() == nil {
		if text = s.snapshot(); strings.Count(text, words) >= n {
			return text
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, f := range s.tab.Frames() {
		s.t.Logf("frame %s %s", f.ID(), f.URL())
	}
	s.t.Fatalf("%q did not come %d times; the page is\n%s", words, n, text)
	return ""
}

func hideRefs(s string) string { return refs.ReplaceAllString(s, "") }

func TestFramesOfBothKinds(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.serve("/{$}", `<h1>Top</h1><iframe src=/same></iframe><iframe src={other}/cross></iframe><p>after</p>`)
	s.serve("/same", `<button>Same</button><iframe src={other}/leaf></iframe>`)
	s.serve("/cross", `<button>Cross</button><iframe src=/leaf></iframe><iframe src={other}/leaf></iframe>`)
	s.serve("/leaf", `<p>Leaf</p>`)
	s.visit("/")
	text := s.await("Leaf", 3)
	s.want(hideRefs(text),
		"- generic [active]:",
		`  - heading "Top" [level=1]`,
		"  - iframe:",
		"    - generic:",
		`      - button "Same"`,
		"      - iframe:",
		"        - paragraph: Leaf",
		"  - iframe:",
		"    - generic:",
		`      - button "Cross"`,
		"      - iframe:",
		"        - paragraph: Leaf",
		"      - iframe:",
		"        - paragraph: Leaf",
		"  - paragraph: after")
	for _, name := range []string{"Same", "Cross"} {
		s.resolves(refOf(t, text, name), name)
	}

	// The depth limit counts through frames.
	s.want(hideRefs(s.snapshot(page.Options{Depth: 1})),
		"- generic [active]:",
		`  - heading "Top" [level=1]`,
		"  - iframe",
		"  - iframe",
		"  - paragraph: after")
	s.want(hideRefs(s.snapshot(page.Options{Depth: 3})),
		"- generic [active]:",
		`  - heading "Top" [level=1]`,
		"  - iframe:",
		"    - generic:",
		`      - button "Same"`,
		"      - iframe",
		"  - iframe:",
		"    - generic:",
		`      - button "Cross"`,
		"      - iframe",
		"      - iframe",
		"  - paragraph: after")

	// A part of the page can be the inside of a frame.
	el, err := s.view.Resolve(s.ctx, refOf(t, text, "Cross"))
	if err != nil {
		t.Fatal(err)
	}
	s.want(hideRefs(s.snapshot(page.Options{Root: el})), `- button "Cross"`)

	owner, err := page.Owner(s.ctx, el.Frame())
	if err != nil {
		t.Fatal(err)
	}
	var preview string
	if err := owner.Call(s.ctx, "describe", &preview); err != nil || !strings.HasPrefix(preview, "<iframe") {
		t.Errorf("the frame is in %s, %v", preview, err)
	}
}

// Not beside others: frames of one site share a process, over tabs too.
func TestFrameThatHangsCostsTheFrameOnly(t *testing.T) {
	s := newStage(t)
	s.serve("/{$}", `<h1>Top</h1><iframe src={other}/hang></iframe><iframe src=/fine></iframe>`)
	s.serve("/hang", `<p>Hangs</p><script>onmessage = () => { const end = Date.now() + 6000; while (Date.now() < end); }</script>`)
	s.serve("/fine", `<p>Fine</p>`)
	s.visit("/")
	s.await("Hangs", 1)
	s.js(`frames[0].postMessage('go', '*')`)
	text := s.await("does not respond", 1)
	s.want(hideRefs(text),
		"- generic [active]:",
		`  - heading "Top" [level=1]`,
		"  - iframe:",
		"    # this frame does not respond",
		"  - iframe:",
		"    - paragraph: Fine")
	s.await("Hangs", 1) // and when it is back it is shown
}

func TestPageThatHangsEndsWithTheContext(t *testing.T) {
	s := open(t, `<p>x</p><script>onclick = () => { const end = Date.now() + 3000; while (Date.now() < end); }</script>`)
	s.snapshot()
	s.js(`setTimeout(() => document.body.click(), 1)`)
	s.js(`new Promise(r => setTimeout(r, 0))`)
	ctx, cancel := context.WithTimeoutCause(s.ctx, 300*time.Millisecond, errors.New("patience is over"))
	defer cancel()
	for {
		if _, err := s.view.Snapshot(ctx, page.Options{}); err != nil {
			if !strings.Contains(err.Error(), "patience is over") {
				t.Errorf("the error is %v", err)
			}
			break
		}
	}
	s.want(hideRefs(s.snapshot()), "- paragraph: x")
}

func TestFrameNeverLoaded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	stop := make(chan struct{})
	s.serve("/{$}", `<h1>Top</h1><iframe id=f></iframe><script>f.src = '/slow'</script>`)
	s.mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
		io.WriteString(w, "late")
	})
	go s.visit("/") // does not end before the frame does
	s.await("Top", 1)
	s.want(hideRefs(s.snapshot()), "- generic [active]:", `  - heading "Top" [level=1]`, "  - iframe")
	close(stop)
	s.await("late", 1)
}

func TestFramesInClosedRootsAndPointerStyle(t *testing.T) {
	t.Parallel()
	s := open(t, `<div id=h></div><div style="cursor:pointer"><iframe style="pointer-events:none" srcdoc="<b>styled</b>"></iframe></div>
		<script>h.attachShadow({mode:'closed'}).innerHTML = '<iframe srcdoc="<i>in closed</i>"></iframe>'</script>`)
	text := s.await("in closed", 1)
	if !strings.Contains(text, "styled") {
		t.Errorf("the page is\n%s", text)
	}
}
