package action_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// lab is the site under test, opened at a page of its laboratory.
func lab(t *testing.T, path string, options ...action.Option) *stage {
	t.Helper()
	site := apptest.Start(t)
	s := blank(t, options...)
	s.url = site.URL()
	s.visit(path)
	return s
}

// account is what the page says has happened to it, "kind text" each.
func (s *stage) account() string {
	s.t.Helper()
	return strings.Trim(s.js(`account.map(a => (a.kind + ' ' + a.text).trim()).join(', ')`), `"`)
}

func (s *stage) happened(what string) {
	s.t.Helper()
	if got := s.account(); !strings.Contains(got, what) {
		s.t.Errorf("the page's account is %q, without %q", got, what)
	}
}

func TestLab(t *testing.T) {
	click := func(s *stage, target string) { s.t.Helper(); s.must(s.Click(s.ctx, target, action.ClickOptions{})) }
	t.Run("late", func(t *testing.T) {
		s := lab(t, "/late?after=600")
		click(s, "getByRole('button', { name: 'Save order' })")
		s.happened("pressed late")
		s.must(s.WaitText(s.ctx, "Appeared late", false))
		click(s, "text=Appeared late")
		s.happened("pressed appeared")
	})
	t.Run("covered", func(t *testing.T) {
		s := lab(t, "/covered", action.WithTimeout(time.Second))
		under := "getByRole('button', { name: 'Under the overlay' })"
		s.fails(s.Click(s.ctx, under, action.ClickOptions{}), "TimeoutError:", "intercepts pointer events")
		click(s, "getByRole('button', { name: 'Accept' })")
		click(s, under)
		click(s, "getByRole('button', { name: 'Under the sticky head' })")
		click(s, "#toaster")
		late := action.New(s.tab, s.view)
		s.must(late.Click(s.ctx, "[data-press=toast]", action.ClickOptions{}))
		for _, what := range []string{"pressed under", "pressed sticky", "pressed toast"} {
			s.happened(what)
		}
		s.fails(s.Click(s.ctx, "[data-press=hidden]", action.ClickOptions{}), "element is not visible")
		s.fails(s.Click(s.ctx, "[data-press=clear]", action.ClickOptions{}), "intercepts pointer events")
	})
	t.Run("moving", func(t *testing.T) {
		s := lab(t, "/moving?for=800ms", action.WithTimeout(3*time.Second))
		click(s, "#mover")
		s.happened("rests, pressed mover")
		quick := action.New(s.tab, s.view, action.WithTimeout(500*time.Millisecond))
		s.fails(quick.Click(s.ctx, "#restless", action.ClickOptions{}), "moved all the time")
	})
	t.Run("drag", func(t *testing.T) {
		s := lab(t, "/drag")
		s.must(s.Drag(s.ctx, "text=Sharpen the fork", "#done"))
		s.happened("dragstart fork, drop fork on done, dragend move")
		s.must(s.Drag(s.ctx, "#knob", "getByRole('heading', { name: 'From outside' })"))
		s.happened("amount")
		s.must(s.Drop(s.ctx, "#zone", action.Payload{Data: map[string]string{"text/plain": "crate"}}))
		s.happened("data text/plain crate")
	})
	t.Run("hover", func(t *testing.T) {
		s := lab(t, "/hover")
		s.must(s.Hover(s.ctx, "getByRole('button', { name: 'Catalogue' })"))
		// The open menu covers what is below it, until the pointer goes elsewhere.
		s.must(s.Hover(s.ctx, "#tipped"))
		s.want("tip.hidden", "false")
		s.must(s.Hover(s.ctx, "getByRole('button', { name: 'Catalogue' })"))
		click(s, "getByRole('menuitem', { name: 'Seeds' })")
		s.happened("chosen Seeds")
	})
	t.Run("single-page app", func(t *testing.T) {
		s := lab(t, "/spa")
		click(s, ".spa nav >> text=Orders")
		s.want("document.querySelector('#view h1').textContent", `"Latest orders"`)
	})
	t.Run("hostile", func(t *testing.T) {
		s := lab(t, "/hostile")
		click(s, "#press")
		s.want("document.getElementById('out').firstChild.data", `"pressed"`)
	})
	t.Run("strict", func(t *testing.T) {
		s := lab(t, "/strict")
		n, err := s.view.Count(s.ctx, "button", true)
		s.must(err)
		for i := range n {
			s.must(s.Click(s.ctx, "button >> visible=true >> nth="+string(rune('0'+i)), action.ClickOptions{}))
		}
	})
	t.Run("order form", func(t *testing.T) {
		s := lab(t, "/form")
		for target, text := range map[string]string{
			"getByLabel('Customer *')": "Ada Lovelace", "getByLabel('Email')": "ada@example.com", "getByLabel('Phone')": "123",
			"getByLabel('Quantity')": "3", "getByLabel('Delivery date')": "2026-05-04", "getByLabel('Delivery time')": "10:30",
			"getByLabel('Handle length')": "75", "getByLabel('Handle colour')": "#ff0000", "getByLabel('Notes')": "one\ntwo",
			"getByRole('textbox', { name: 'Greeting' })": "Hello there", "getByLabel('Discount password')": "s3cret",
			"getByLabel('Product')": "Dibber", "getByPlaceholder('Coupon')": "C1",
		} {
			s.must(s.Fill(s.ctx, target, text))
		}
		_, err := s.SelectOption(s.ctx, "getByLabel('Country')", []string{"Norway"})
		s.must(err)
		_, err = s.SelectOption(s.ctx, "getByLabel('Extras')", []string{"card", "Engraving"})
		s.must(err)
		s.must(s.SetChecked(s.ctx, "getByLabel('Courier')", true))
		s.must(s.SetChecked(s.ctx, "getByLabel('Gift wrap')", true))
		s.must(s.SetChecked(s.ctx, "getByLabel('Newsletter')", false))
		s.must(s.SetChecked(s.ctx, "getByRole('switch', { name: 'Insured' })", true))
		click(s, "getByRole('button', { name: 'Place order' })")
		text := s.js("document.querySelector('main').innerText")
		for _, want := range []string{"Ada Lovelace", "2026-05-04", "10:30", "75", "#ff0000", `country\nno\n`, "Hello there", "Dibber", "courier"} {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
				t.Errorf("the confirmation lacks %q: %s", want, text)
			}
		}
	})
}
