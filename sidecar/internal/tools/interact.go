package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// actor acts on the call's tab.
func (c *call) actor() *action.Actor {
	return action.New(c.tab, c.kit.view(c.tab), action.WithGate(takeover.Check))
}

func click(ctx context.Context, c *call) error {
	var args struct {
		Target      string   `json:"target"`
		DoubleClick bool     `json:"doubleClick"`
		Button      string   `json:"button"`
		Modifiers   []string `json:"modifiers"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = true
	c.opens = args.Button == "middle" || slices.ContainsFunc(args.Modifiers, func(m string) bool { return m != "Alt" })
	return c.actor().Click(ctx, args.Target, action.ClickOptions{
		Button: browser.Button(args.Button), Double: args.DoubleClick, Modifiers: args.Modifiers,
	})
}

func hover(ctx context.Context, c *call) error {
	var args struct {
		Target string `json:"target"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = true
	return c.actor().Hover(ctx, args.Target)
}

func typeText(ctx context.Context, c *call) error {
	var args struct {
		Target string `json:"target"`
		Text   string `json:"text"`
		Submit bool   `json:"submit"`
		Slowly bool   `json:"slowly"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = args.Submit || args.Slowly
	switch a := c.actor(); {
	case args.Slowly:
		return a.PressSequentially(ctx, args.Target, args.Text, args.Submit)
	case args.Submit:
		return a.FillAndSubmit(ctx, args.Target, args.Text)
	default:
		return a.Fill(ctx, args.Target, args.Text)
	}
}

func pressKey(ctx context.Context, c *call) error {
	var args struct {
		Key string `json:"key"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = args.Key == "Enter"
	return c.actor().Press(ctx, args.Key)
}

func fillForm(ctx context.Context, c *call) error {
	var args struct {
		Fields []struct {
			Target string `json:"target"`
			Name   string `json:"name"`
			Type   string `json:"type"`
			Value  string `json:"value"`
		} `json:"fields"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	a := c.actor()
	for i, f := range args.Fields {
		var err error
		switch f.Type {
		case "textbox", "slider":
			err = a.Fill(ctx, f.Target, f.Value)
		case "checkbox", "radio":
			err = a.SetChecked(ctx, f.Target, f.Value == "true")
		case "combobox":
			_, err = a.SelectOption(ctx, f.Target, []string{f.Value})
		}
		if err != nil {
			return fmt.Errorf("%w\nThis was field %d of %d, %s; those before it are filled", err, i+1, len(args.Fields), shortLine(f.Name))
		}
	}
	return nil
}

func selectOption(ctx context.Context, c *call) error {
	var args struct {
		Target string   `json:"target"`
		Values []string `json:"values"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = true
	_, err := c.actor().SelectOption(ctx, args.Target, args.Values)
	return err
}

func handleDialog(ctx context.Context, c *call) error {
	var args struct {
		Accept     bool   `json:"accept"`
		PromptText string `json:"promptText"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	return c.actor().Answered(ctx, "handle dialog", func(ctx context.Context) error {
		err := c.tab.HandleDialog(ctx, args.Accept, args.PromptText)
		if errors.Is(err, browser.ErrNoDialog) {
			return nil // somebody else has answered it
		}
		return err
	})
}

func drag(ctx context.Context, c *call) error {
	var args struct {
		From string `json:"startTarget"`
		To   string `json:"endTarget"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = true
	return c.actor().Drag(ctx, args.From, args.To)
}
