package selector

import (
	"fmt"
	"strings"
)

// parseLocator reads an expression of test code:
// page.getByRole('list').filter({ hasText: 'x' }).locator('css').nth(1).
func parseLocator(s string) (chain, error) {
	p := &exprParser{s: s}
	p.skipWord("await")
	c, err := p.calls(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.peek() == ';' {
		p.i++
		p.space()
	}
	if rest := p.s[p.i:]; strings.HasPrefix(rest, ">>") {
		// Both ways of chaining in one.
		more, err := parseChain(rest[2:], 0)
		if err != nil {
			return nil, err
		}
		c.append(more)
		return c, nil
	}
	if p.i < len(p.s) {
		return nil, p.fail("the expression should end here")
	}
	return c, nil
}

// calls reads a chain of calls, with or without page. in front.
func (p *exprParser) calls(depth int) (chain, error) {
	if depth > maxNesting {
		return nil, p.fail("it is nested too deep")
	}
	var c chain
	if p.skipWord("page") && !p.skip('.') {
		return nil, p.fail("after page comes a dot and a method")
	}
	for {
		p.space()
		at := p.i
		name := p.word()
		if name == "" {
			return nil, p.fail("a method's name should stand here")
		}
		args, err := p.arguments(depth)
		if err != nil {
			return nil, err
		}
		if err := apply(&c, name, args, depth); err != nil {
			if e, ok := err.(*Error); ok {
				return nil, &Error{Source: p.s, At: at, Reason: e.Reason}
			}
			return nil, &Error{Source: p.s, At: at, Reason: err.Error()}
		}
		p.space()
		if p.peek() != '.' {
			return c, nil
		}
		p.i++
	}
}

// apply adds one call to the chain.
func apply(c *chain, name string, args []value, depth int) error {
	if len(*c) == 0 {
		*c = chain{nil}
	}
	kinds := map[string]string{
		"getByText": KindText, "getByLabel": KindLabel, "getByPlaceholder": KindPlaceholder,
		"getByAltText": KindAlt, "getByTitle": KindTitle, "getByTestId": KindTestID,
	}
	first := len((*c)[len(*c)-1]) == 0
	switch name {
	case "getByRole":
		return applyRole(c, args)
	case "getByText", "getByLabel", "getByPlaceholder", "getByAltText", "getByTitle", "getByTestId":
		if err := arity(name, args, 1, 2); err != nil {
			return err
		}
		t, err := args[0].text(name)
		if err != nil {
			return err
		}
		if exact, err := option(args, 1, "exact"); err != nil {
			return err
		} else if (exact || name == "getByTestId") && t.Match == MatchPart {
			t.Match = MatchExact
		}
		c.add(Step{Kind: kinds[name], Text: t})
		return nil
	case "locator", "frameLocator":
		if err := arity(name, args, 1, 2); err != nil {
			return err
		}
		switch args[0].kind {
		case kindString:
			inner, err := parseChain(args[0].str, depth+1)
			if err != nil {
				return err
			}
			c.append(inner)
		case kindLocator:
			c.append(args[0].loc)
		default:
			return errText(name + " takes a selector in quotes")
		}
		if len(args) == 2 {
			if err := applyFilter(c, args[1]); err != nil {
				return err
			}
		}
		if name == "frameLocator" {
			c.enterFrame()
		}
		return nil
	case "contentFrame":
		if first {
			return errText("contentFrame follows a locator of the frame's element")
		}
		c.enterFrame()
		return nil
	}
	if first {
		return errText(fmt.Sprintf("%s needs a locator in front of it", name))
	}
	switch name {
	case "first":
		c.add(Step{Kind: KindNth, N: 0})
		return arity(name, args, 0, 0)
	case "last":
		c.add(Step{Kind: KindNth, N: -1})
		return arity(name, args, 0, 0)
	case "nth":
		if err := arity(name, args, 1, 1); err != nil {
			return err
		}
		if args[0].kind != kindNumber {
			return errText("nth takes a number, counted from 0")
		}
		c.add(Step{Kind: KindNth, N: args[0].num})
		return nil
	case "filter":
		if err := arity(name, args, 1, 1); err != nil {
			return err
		}
		return applyFilter(c, args[0])
	case "and", "or":
		if err := arity(name, args, 1, 1); err != nil {
			return err
		}
		steps, err := args[0].steps(name)
		if err != nil {
			return err
		}
		c.add(Step{Kind: name, Has: steps})
		return nil
	}
	return errText(fmt.Sprintf("%s is not a method that finds elements; these are: getByRole, getByText, getByLabel, getByPlaceholder, getByTestId, getByAltText, getByTitle, locator, frameLocator, contentFrame, first, last, nth, filter, and, or", name))
}

func applyRole(c *chain, args []value) error {
	if err := arity("getByRole", args, 1, 2); err != nil {
		return err
	}
	if args[0].kind != kindString || roleName.FindString(args[0].str) != args[0].str || args[0].str == "" {
		return errText("getByRole takes a role in quotes, as in getByRole('button')")
	}
	step := Step{Kind: KindRole, Role: args[0].str}
	if len(args) == 2 {
		if args[1].kind != kindObject {
			return errText("the options of getByRole stand in braces, as in { name: 'Save' }")
		}
		for _, f := range args[1].fields {
			switch f.name {
			case "name":
				t, err := f.value.text("name")
				if err != nil {
					return err
				}
				exact, err := option(args, 1, "exact")
				if err != nil {
					return err
				}
				if exact && t.Match == MatchPart {
					t.Match = MatchExact
				}
				step.Text = t
			case "exact":
			default:
				if err := setState(&step, strings.ToLower(f.name), f.value.plain()); err != nil {
					return err
				}
			}
		}
	}
	c.add(step)
	return nil
}

// applyFilter adds the conditions of filter({ … }) or locator(sel, { … }).
func applyFilter(c *chain, v value) error {
	if v.kind != kindObject {
		return errText("the options of a filter stand in braces, as in { hasText: 'x' }")
	}
	for _, f := range v.fields {
		step := Step{Kind: KindFilter, Not: strings.HasPrefix(f.name, "hasNot")}
		var err error
		switch f.name {
		case "hasText", "hasNotText":
			step.Text, err = f.value.text(f.name)
		case "has", "hasNot":
			step.Has, err = f.value.steps(f.name)
		case "visible":
			if f.value.kind != kindBool {
				return errText("visible takes true or false")
			}
			visible := f.value.truth
			step.Visible = &visible
		default:
			return errText("a filter has the options hasText, hasNotText, has, hasNot and visible, not " + f.name)
		}
		if err != nil {
			return err
		}
		c.add(step)
	}
	return nil
}

func arity(name string, args []value, least, most int) error {
	if len(args) < least || len(args) > most {
		return errText(fmt.Sprintf("%s takes %d to %d arguments", name, least, most))
	}
	return nil
}

// option is a true-or-false member of the options at args[i].
func option(args []value, i int, name string) (bool, error) {
	if len(args) <= i {
		return false, nil
	}
	if args[i].kind != kindObject {
		return false, errText("options stand in braces, as in { exact: true }")
	}
	for _, f := range args[i].fields {
		switch {
		case f.name != name:
		case f.value.kind != kindBool:
			return false, errText(name + " takes true or false")
		default:
			return f.value.truth, nil
		}
	}
	return false, nil
}
