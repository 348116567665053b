package action_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
)

// TestFrames acts in frames of the same and of another site, nested, scrolled,
// scaled; and in shadow trees.
func TestFrames(t *testing.T) {
	for _, tc := range []struct{ name, body, target string }{
		{"same site", `<iframe id=f src=/frame style="margin:100px 0 0 200px;border:7px solid;padding:11px"></iframe>`, "#f >> internal:control=enter-frame >> #b"},
		{"another site", `<iframe id=f src="{other}/frame" style="margin:100px 0 0 200px;border:7px solid;padding:11px"></iframe>`, "page.frameLocator('#f').getByRole('button', { name: 'Go' })"},
		{"nested", `<iframe id=f src="{other}/outer" width=600 height=400></iframe>`, "page.locator('#f').contentFrame().locator('iframe').contentFrame().getByText('Go')"},
		{"scrolled away", `<div style="height:3000px"></div><iframe id=f src="{other}/frame"></iframe>`, "frameLocator('#f').locator('#b')"},
		{"low in a frame", `<iframe id=f src="{other}/low" height=100></iframe>`, "frameLocator('#f').locator('#b')"},
		{"scaled", `<iframe id=f src=/frame style="transform:scale(0.5);transform-origin:0 0"></iframe>`, "frameLocator('#f').locator('#b')"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := blank(t)
			const tell = `<script>const tell = (m) => top.postMessage(m, '*')</script>`
			s.page("/{$}", `<script>const got = []; onmessage = e => got.push(e.data)</script>`+tc.body)
			s.page("/frame", tell+`<button id=b onclick="tell('click ' + event.isTrusted)">Go</button><input id=i oninput="tell(this.value)">`)
			s.page("/outer", `<p>outer</p><iframe src="`+s.url+`/frame"></iframe>`)
			s.page("/low", tell+`<div style="height:2000px"></div><button id=b onclick="tell('click ' + event.isTrusted)">Go</button><input id=i oninput="tell(this.value)">`)
			s.visit("/")
			s.must(s.Click(s.ctx, tc.target, action.ClickOptions{}))
			s.until(`got + ''`, `"click true"`)
			input := tc.target[:len(tc.target)-len(lastPart(tc.target))] + "locator('#i')"
			if lastPart(tc.target) == " #b" {
				input = tc.target[:len(tc.target)-2] + "#i"
			}
			s.must(s.Fill(s.ctx, input, "text"))
			s.until(`got + ''`, `"click true,text"`)
			s.must(s.PressSequentially(s.ctx, input, "s", false))
			s.until(`got + ''`, `"click true,text,texts"`)
		})
	}
	t.Run("covered in the page around", func(t *testing.T) {
		s := blank(t, action.WithTimeout(500*time.Millisecond))
		s.page("/{$}", `<iframe id=f src="{other}/frame"></iframe><div id=cover style="position:fixed;inset:0">cover</div>`)
		s.page("/frame", `<button id=b>Go</button>`)
		s.visit("/")
		s.fails(s.Click(s.ctx, "frameLocator('#f').locator('#b')", action.ClickOptions{}), "TimeoutError:", `<div id="cover">cover</div> intercepts pointer events`)
	})
}

// lastPart is the end of a target that names the button.
func lastPart(target string) string {
	for _, end := range []string{" #b", "getByRole('button', { name: 'Go' })", "getByText('Go')", "locator('#b')"} {
		if len(target) >= len(end) && target[len(target)-len(end):] == end {
			return end
		}
	}
	return ""
}

// until waits until an expression has a value: what a frame says arrives later.
func (s *stage) until(expression, value string) {
	s.t.Helper()
	got := s.js(fmt.Sprintf(`(async () => { for (let i = 0; i < 100 && JSON.stringify(%s) !== %q; i++) await new Promise(r => setTimeout(r, 20)); return %s })()`, expression, value, expression))
	if got != value {
		s.t.Errorf("%s is %s, want %s", expression, got, value)
	}
}

func TestShadow(t *testing.T) {
	s := open(t, counter+`<x-a></x-a><script>
customElements.define('x-a', class extends HTMLElement { connectedCallback() { const r = this.attachShadow({mode: 'open'}); r.innerHTML = '<x-b><span>Slotted</span></x-b>' } });
customElements.define('x-b', class extends HTMLElement { connectedCallback() { const r = this.attachShadow({mode: 'open'}); r.innerHTML = '<button class=deep><slot></slot></button><input class=in>'; r.querySelector('button').onclick = hit; r.querySelector('input').oninput = e => window.typed = e.target.value } });
</script>`)
	s.must(s.Click(s.ctx, "x-a .deep", action.ClickOptions{}))
	s.must(s.Click(s.ctx, "getByText('Slotted')", action.ClickOptions{}))
	s.must(s.Fill(s.ctx, "x-b >> .in", "deep"))
	s.want("n + typed", `"2deep"`)
}
