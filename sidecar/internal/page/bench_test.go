package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

func BenchmarkSnapshot(b *testing.B) {
	form := `<h1>Order form</h1><nav aria-label=Main><a href=/1>Home</a> <a href=/2>Orders</a></nav><form>` +
		strings.Repeat(`<label>Full name <input autocomplete=off></label>`, 5) + `<select aria-label=Color><option>Red<option>Blue</select><button>Save order</button></form>`
	var table strings.Builder
	table.WriteString("<table>")
	for i := range 5000 {
		fmt.Fprintf(&table, `<tr><td>%d</td><td><a href="/o?i=%d">Order %d</a></td><td><span>Item</span><span>Lot</span></td><td><b>%d.00</b></td><td><button>Open %d</button></td><td><label><input type=checkbox><i>ok</i></label></td></tr>`, i, i, i, i, i)
	}
	shadow := `<div id=host></div><script>
customElements.define('x-field', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = '<label>Field ' + this.dataset.n + ' <input></label><x-button data-n=' + this.dataset.n + '></x-button>' } });
customElements.define('x-button', class extends HTMLElement { connectedCallback() { this.attachShadow({mode:'open'}).innerHTML = '<button>Apply ' + this.dataset.n + '</button>' } });
host.innerHTML = Array.from({length: 40}, (_, i) => '<x-field data-n=' + i + '></x-field>').join('')</script>`
	for name, bm := range map[string]struct {
		body    string
		options page.Options
	}{
		"small":     {form, page.Options{MaxChars: 100_000}},
		"20 frames": {strings.Repeat(`<iframe srcdoc="<p>x</p><button>b</button><a href=/>l</a>"></iframe>`, 20), page.Options{MaxChars: 100_000}},
		"shadow":    {shadow, page.Options{MaxChars: 100_000}},
		"table":     {table.String(), page.Options{MaxChars: 100_000}},
		"table all": {table.String(), page.Options{}},
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, bm.body)
			s.snapshot(bm.options)
			for b.Loop() {
				s.snapshot(bm.options)
			}
		})
	}
}
