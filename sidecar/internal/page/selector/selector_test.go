package selector_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/page/selector"
)

func TestParse(t *testing.T) {
	yes := true
	css := func(native string) selector.Step {
		return selector.Step{Kind: "css", CSS: selector.List{{{Native: native}}}}
	}
	text := func(value, match string) *selector.Text { return &selector.Text{Value: value, Match: match} }
	one := func(steps ...selector.Step) [][]selector.Step { return [][]selector.Step{steps} }
	role := func(role string, name *selector.Text) selector.Step {
		return selector.Step{Kind: "role", Role: role, Text: name}
	}
	nth := func(n int) selector.Step { return selector.Step{Kind: "nth", N: n} }

	for _, tc := range []struct {
		in   string
		want selector.Target
	}{
		{"e12", selector.Target{Ref: "e12"}},
		{" f3e7 ", selector.Target{Ref: "f3e7"}},
		{"[ref=e4]", selector.Target{Ref: "e4"}},
		{"aria-ref=e4", selector.Target{Ref: "e4"}},

		{"#save", selector.Target{Frames: one(css("#save"))}},
		{"css=.a.b[x='y z']:hover", selector.Target{Frames: one(css(".a.b[x='y z']:hover"))}},
		{"e", selector.Target{Frames: one(css("e"))}},
		{`#a\.b`, selector.Target{Frames: one(css(`#a\.b`))}},
		{"ul > li a, p ~ b", selector.Target{Frames: one(selector.Step{Kind: "css", CSS: selector.List{
			{{Native: "ul"}, {Comb: ">", Native: "li"}, {Comb: " ", Native: "a"}},
			{{Native: "p"}, {Comb: "~", Native: "b"}},
		}})}},
		{`a:has-text("x, y")>b`, selector.Target{Frames: one(selector.Step{Kind: "css", CSS: selector.List{{
			{Native: "a", Tests: []selector.Pseudo{{Name: "has-text", Text: text("x, y", "")}}}, {Comb: ">", Native: "b"},
		}}})}},
		{`li:not(:has-text("x")):visible`, selector.Target{Frames: one(selector.Step{Kind: "css", CSS: selector.List{{
			{Native: "li", Tests: []selector.Pseudo{
				{Name: "not", List: selector.List{{{Tests: []selector.Pseudo{{Name: "has-text", Text: text("x", "")}}}}}},
				{Name: "visible"},
			}},
		}}})}},
		{"li:not(.a):nth-child(2)", selector.Target{Frames: one(css("li:not(.a):nth-child(2)"))}},
		{`:nth-match(li:has-text("x"), 2)`, selector.Target{Frames: one(selector.Step{Kind: "css", CSS: selector.List{{
			{Tests: []selector.Pseudo{{Name: "nth-match", N: 2, List: selector.List{{{Native: "li", Tests: []selector.Pseudo{{Name: "has-text", Text: text("x", "")}}}}}}}},
		}}})}},

		{"text=it's fine", selector.Target{Frames: one(selector.Step{Kind: "text", Text: text("it's fine", "")})}},
		{`text="Log in"`, selector.Target{Frames: one(selector.Step{Kind: "text", Text: text("Log in", "own")})}},
		{`"Log in"`, selector.Target{Frames: one(selector.Step{Kind: "text", Text: text("Log in", "own")})}},
		{"text=/log\\s*in/i", selector.Target{Frames: one(selector.Step{Kind: "text", Text: &selector.Text{Value: "log\\s*in", Match: "regex", Flags: "i"}})}},
		{"//div[@id='x >> y']/a", selector.Target{Frames: one(selector.Step{Kind: "xpath", Value: "//div[@id='x >> y']/a"})}},
		{"xpath=(//a)[2]", selector.Target{Frames: one(selector.Step{Kind: "xpath", Value: "(//a)[2]"})}},
		{"id=a b", selector.Target{Frames: one(css(`[id="a b"]`))}},
		{`data-testid=x"y`, selector.Target{Frames: one(css(`[data-testid="x\"y"]`))}},
		{"#a >> text=b >> nth=-1", selector.Target{Frames: one(css("#a"), selector.Step{Kind: "text", Text: text("b", "")}, nth(-1))}},
		{"li >> visible=true", selector.Target{Frames: one(css("li"), selector.Step{Kind: "filter", Visible: &yes})}},
		{"iframe >> internal:control=enter-frame >> #x", selector.Target{Frames: [][]selector.Step{{css("iframe")}, {css("#x")}}}},

		{"role=button", selector.Target{Frames: one(role("button", nil))}},
		{`role=button[name="Save"]`, selector.Target{Frames: one(role("button", text("Save", "exact")))}},
		{`role=button[name="a.b" i]`, selector.Target{Frames: one(role("button", &selector.Text{Value: `^a\.b$`, Match: "regex", Flags: "i"}))}},
		{`role=button[name*="a]b"][level=2]`, selector.Target{Frames: one(selector.Step{Kind: "role", Role: "button", Text: text("a]b", ""), States: map[string]string{"level": "2"}})}},
		{`role=link[name=/[a-z]+ \/x/i]`, selector.Target{Frames: one(role("link", &selector.Text{Value: `[a-z]+ \/x`, Match: "regex", Flags: "i"}))}},
		{`internal:role=button[name="Save"i]`, selector.Target{Frames: one(role("button", text("Save", "")))}},
		{"role=checkbox[checked][disabled=false][include-hidden]", selector.Target{Frames: one(selector.Step{Kind: "role", Role: "checkbox", Hidden: true, States: map[string]string{"checked": "true", "disabled": "false"}})}},

		{`getByRole('button', { name: 'Save' })`, selector.Target{Frames: one(role("button", text("Save", "")))}},
		{`await page.getByRole("button", {name: "It's", exact: true}).first();`, selector.Target{Frames: one(role("button", text("It's", "exact")), nth(0))}},
		{"getByRole('heading', { name: /a\\/[/]b/i, level: 2 })", selector.Target{Frames: one(selector.Step{Kind: "role", Role: "heading", Text: &selector.Text{Value: `a\/[/]b`, Match: "regex", Flags: "i"}, States: map[string]string{"level": "2"}})}},
		{"getByText('Hello', { exact: true })", selector.Target{Frames: one(selector.Step{Kind: "text", Text: text("Hello", "exact")})}},
		{"getByLabel(`Mail`)", selector.Target{Frames: one(selector.Step{Kind: "label", Text: text("Mail", "")})}},
		{"getByPlaceholder('a').last()", selector.Target{Frames: one(selector.Step{Kind: "placeholder", Text: text("a", "")}, nth(-1))}},
		{"getByTestId('row')", selector.Target{Frames: one(selector.Step{Kind: "testid", Text: text("row", "exact")})}},
		{"getByAltText('a')", selector.Target{Frames: one(selector.Step{Kind: "alt", Text: text("a", "")})}},
		{"getByTitle('a')", selector.Target{Frames: one(selector.Step{Kind: "title", Text: text("a", "")})}},
		{"page.locator('li').filter({ hasText: 'x', hasNot: page.getByText('y') }).nth(2)", selector.Target{Frames: one(
			css("li"),
			selector.Step{Kind: "filter", Text: text("x", "")},
			selector.Step{Kind: "filter", Not: true, Has: []selector.Step{{Kind: "text", Text: text("y", "")}}},
			nth(2))}},
		{"locator('li', { hasText: 'x' }).locator('a >> text=b')", selector.Target{Frames: one(
			css("li"), selector.Step{Kind: "filter", Text: text("x", "")}, css("a"), selector.Step{Kind: "text", Text: text("b", "")})}},
		{"getByText('a') >> nth=1", selector.Target{Frames: one(selector.Step{Kind: "text", Text: text("a", "")}, nth(1))}},
		{"getByText('a').or(getByText('b'))", selector.Target{Frames: one(
			selector.Step{Kind: "text", Text: text("a", "")}, selector.Step{Kind: "or", Has: []selector.Step{{Kind: "text", Text: text("b", "")}}})}},
		{"page.locator('iframe').contentFrame().getByRole('button')", selector.Target{Frames: [][]selector.Step{{css("iframe")}, {role("button", nil)}}}},
		{"page.frameLocator('#f').frameLocator('#g').locator('b')", selector.Target{Frames: [][]selector.Step{{css("#f")}, {css("#g")}, {css("b")}}}},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := selector.Parse(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Source = tc.in
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("parsed differently (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ in, reason string }{
		{"", "empty"},
		{strings.Repeat("a", 5000), "longer"},
		{"a >> ", "part of the >> chain is empty"},
		{"a > ", "ends too early"},
		{"a,,b", "ends too early"},
		{"Click here!", "not CSS"},
		{"the 'Save' button", "not CSS"},
		{"a[b", "bracket is not closed"},
		{"foo=bar", `no engine of the name "foo"`},
		{"nth=x", "whole number"},
		{"role=Button", "lower case"},
		{"role=button[name]", "name needs a value"},
		{"role=button[colour=red]", "not colour"},
		{"role=checkbox[checked=maybe]", "true or false"},
		{"a:near(b)", "by position"},
		{"getByRole('button').click()", "click is not a method that finds elements"},
		{"getByRole('button', { name: 'x' }", "separated by"},
		{"getByText(name)", "call needs ("},
		{"getByText('x", "quotes are not closed"},
		{"getByText('x') y", "should end here"},
		{"getByRole('button', { colour: 'red' })", "not colour"},
		{"locator('a').nth('x')", "takes a number"},
		{"locator('a').filter('x')", "in braces"},
		{"frameLocator('a')", "names nothing in it"},
		{"text=/a/gg", "each once"},
		{strings.Repeat(":not(", 40) + ":visible" + strings.Repeat(")", 40), "nested too deep"},
	} {
		t.Run(shortName(tc.in), func(t *testing.T) {
			_, err := selector.Parse(tc.in)
			var e *selector.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a selector error", err)
			}
			if !strings.Contains(err.Error(), tc.reason) {
				t.Errorf("the error %q does not say %q", err, tc.reason)
			}
		})
	}
}

func shortName(s string) string { return s[:min(len(s), 40)] }

// FuzzParse checks that no text breaks the parser, that it says either what was
// named or why not, and that what goes to the page is valid JSON of bounded size.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"e1", "f2e3", "#a > .b:has-text('x') >> nth=1", `role=button[name="a" i][level=2]`, "text=/a[/]b/i", `:nth-match(a:visible, 3), b:is(:text("x"))`,
		"page.getByRole('list').filter({ hasText: /x/ }).locator('css=a').nth(-2)", "frameLocator('i').locator('b')", "xpath=//a", "getByText(`\\``)",
		":not(:not(:has-text(x)))", "a:text-matches('x', 'i')", "internal:control=enter-frame >> a", `\`, `'`, ">>", "a\\", "[a=']']",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		target, err := selector.Parse(s)
		if err != nil {
			var e *selector.Error
			if !errors.As(err, &e) || e.At < 0 || e.At > len(e.Source) || e.Reason == "" {
				t.Fatalf("a strange error: %#v", err)
			}
			return
		}
		if (target.Ref == "") == (target.Frames == nil) {
			t.Fatalf("neither or both of ref and frames: %+v", target)
		}
		b, err := json.Marshal(target.Frames)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 400*(len(s)+10) {
			t.Fatalf("%d bytes became %d", len(s), len(b))
		}
	})
}
