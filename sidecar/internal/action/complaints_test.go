package action_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// What users of other browser tools complained of; sidecar/docs/complaints.md has
// the list and says where the rest is tested.

// refIn finds the ref in the first line of the page that has words in it.
func (s *stage) refIn(words string) string {
	s.t.Helper()
	snap, err := s.view.Snapshot(s.ctx, page.Options{})
	s.must(err)
	m := regexp.MustCompile(regexp.QuoteMeta(words) + `.*\[ref=(\w+)\]|\[ref=(\w+)\].*` + regexp.QuoteMeta(words)).FindStringSubmatch(snap.Text)
	if m == nil {
		s.t.Fatalf("no line with %q and a ref in\n%s", words, snap.Text)
	}
	return m[1] + m[2]
}

// Text without a role had no ref, so it could not be pressed.
func TestTextWithoutARoleCanBePressed(t *testing.T) {
	s := open(t, `<div><div onclick="hit = 'row'"><span>Plain row</span></div><p>Paragraph</p></div><ul><li onclick="hit = 'item'">Item</li></ul>`)
	for _, c := range [][2]string{{"Plain row", "row"}, {"Item", "item"}} {
		s.must(s.Click(s.ctx, s.refIn(c[0]), action.ClickOptions{}))
		s.want("hit", `"`+c[1]+`"`)
	}
}

// Frames inside of frames were invisible, those with a hand as cursor were empty,
// those without a size were dropped.
func TestFramesThatWereOverlooked(t *testing.T) {
	s := open(t, `<iframe style="cursor:pointer" srcdoc="<button onclick='top.hit = `+"`styled`"+`'>Styled</button>"></iframe>
		<iframe width=0 height=0 srcdoc="<p>No size</p>"></iframe>
		<iframe srcdoc="<iframe srcdoc='<button onclick=&quot;top.hit = 1&quot;>Innermost</button>'></iframe>"></iframe>`)
	if snap, err := s.view.Snapshot(s.ctx, page.Options{}); err != nil || !strings.Contains(snap.Text, "No size") {
		t.Errorf("a frame is missing (%v):\n%s", err, snap.Text)
	}
	s.must(s.Click(s.ctx, s.refIn("Styled"), action.ClickOptions{}))
	s.want("hit", `"styled"`)
	s.must(s.Click(s.ctx, s.refIn("Innermost"), action.ClickOptions{}))
	s.want("hit", "1")
}

// A layer over the page made clicks time out without a word of it.
func TestLayerIsNamedAndCanBeClosed(t *testing.T) {
	s := open(t, counter+`<button id=b onclick=hit()>Order</button><div id=layer class="absolute inset-0" style="position:fixed;inset:0">We use cookies <button onclick="layer.remove()">Accept</button></div>`, action.WithTimeout(500*time.Millisecond))
	err := s.Click(s.ctx, s.refIn("Order"), action.ClickOptions{})
	s.fails(err, `<div id="layer" class="absolute inset-0">`, "intercepts pointer events", "Close or click what is in the way first", "browser_press_key")
	if strings.Count(err.Error(), "\n") > 12 {
		t.Errorf("the error is long:\n%v", err)
	}
	s.must(s.Click(s.ctx, s.refIn("Accept"), action.ClickOptions{}))
	s.must(s.Click(s.ctx, s.refIn("Order"), action.ClickOptions{}))
	s.want("n", "1")
}
