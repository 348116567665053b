package browser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// A blank window has no address that says whose it is: what another site's frame
// opens and writes into is no page of the app, what the app opens is, and a frame
// may open the app.
func TestABlankWindowBelongsToWhoOpenedIt(t *testing.T) {
	site := apptest.Start(t)
	b := open(t, site)
	tab := b.Tabs()[0]
	goTo(t, tab, site.URL()+"/frames")
	var foreign *browser.Frame
	apptest.Await(t, "a frame of another site", func() bool {
		i := slices.IndexFunc(tab.Frames(), func(f *browser.Frame) bool {
			return strings.HasPrefix(f.URL(), site.LocalhostURL()) && f.Session() != tab.Session() && f.MainWorld() != 0
		})
		if i >= 0 {
			foreign = tab.Frames()[i]
		}
		return i >= 0
	})
	for _, script := range []string{
		`open('').document.write('<h1>x</h1>')`,
		`open('about:blank', 'named').document.body.innerHTML = '<h1>x</h1>'`,
		`void open('javascript:"<h1>x</h1>"')`,
		`void open('about:blank', '_blank', 'noopener')`,
		`(() => { const f = document.createElement('iframe'); f.sandbox = 'allow-scripts allow-popups'; f.srcdoc = '<script>open("").document.write("x")</' + 'script>'; document.body.append(f) })()`,
	} {
		mark := b.Mark()
		eval(t, foreign, script)
		apptest.Await(t, "the refusal of "+script, func() bool {
			escapes := b.EscapesSince(mark, tab)
			return len(escapes) == 1 && escapes[0].Origin == site.LocalhostURL() && escapes[0].How == "landed"
		})
		apptest.Await(t, "the end of the window", func() bool { return len(b.Tabs()) == 1 })
	}

	mark := b.Mark()
	eval(t, foreign, `void open(`+quoted(site.URL()+"/lab")+`)`)
	eval(t, tab.MainFrame(), `open('').document.write('<title>own</title>')`)
	apptest.Await(t, "a page of the app and a blank one", func() bool {
		return slices.ContainsFunc(b.Tabs(), func(t *browser.Tab) bool { return t.URL() == site.URL()+"/lab" }) && len(b.Tabs()) == 3
	})
	b.AwaitOpened(within(t), mark, true)
	if escapes := b.EscapesSince(mark, nil); len(escapes) > 0 || len(b.Tabs()) != 3 {
		t.Errorf("escapes %v, %d tabs", escapes, len(b.Tabs()))
	}
}

func quoted(s string) string { return "'" + s + "'" }
