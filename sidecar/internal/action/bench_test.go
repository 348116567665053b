package action_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
)

// table is a page of n rows with 20 nodes each.
func table(n int) string {
	var b strings.Builder
	b.WriteString(`<button id=b onclick="n = (window.n || 0) + 1">Save</button><table>`)
	for i := range n {
		fmt.Fprintf(&b, `<tr><td>%d<td><a href="/%d">Order %d</a><td><span>Item</span><span>Lot</span><td><b>9.99</b><td><button>Open %d</button><td><label><input type=checkbox><i>ok</i></label>`, i, i, i, i)
	}
	return b.String()
}

func BenchmarkClick(b *testing.B) {
	for _, page := range []struct{ name, body string }{
		{"small", `<button id=b onclick="n = (window.n || 0) + 1">Save</button>`},
		{"changing", `<button id=b>Save</button><ul id=u></ul><script>setInterval(() => { const l = document.createElement('li'); l.textContent = performance.now(); u.append(l); if (u.children.length > 50) u.firstChild.remove() }, 16)</script>`},
		{"table", table(5000)},
	} {
		b.Run(page.name, func(b *testing.B) {
			s := open(b, page.body)
			s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
			for b.Loop() {
				s.must(s.Click(s.ctx, "#b", action.ClickOptions{}))
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	s := open(b, `<input id=b>`)
	for b.Loop() {
		s.must(s.Fill(s.ctx, "#b", "fourteen chars"))
	}
}

func BenchmarkType(b *testing.B) {
	s := open(b, `<input id=b>`)
	for b.Loop() {
		s.must(s.PressSequentially(s.ctx, "#b", "fourteen chars", false))
	}
}
