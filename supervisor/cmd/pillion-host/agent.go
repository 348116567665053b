package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// step is one thing that the agent did.
type step struct {
	N    int    `json:"n"`
	Tool string `json:"tool"`
	What string `json:"what"` // without what was typed into password fields
	MS   int64  `json:"ms"`
	Err  string `json:"error,omitempty"`
}

// String is the step's line.
func (s step) String() string {
	line := fmt.Sprintf("%2d  %-24s %5d ms  %s", s.N, s.Tool, s.MS, s.What)
	if s.Err != "" {
		line += ": " + s.Err
	}
	return strings.TrimRight(line, " ")
}

// result is what the agent brings home.
type result struct {
	outcome string   // "order confirmed"
	page    snapshot // the last one that it read
	picture []byte   // PNG
}

// agent follows a script. Like a model it sees the app only through tools.
type agent struct {
	mcp    *mcp
	report func(step)
	steps  int
	page   snapshot // the newest
}

func newAgent(mcp *mcp, report func(step)) *agent { return &agent{mcp: mcp, report: report} }

// field is one control of a form and what is to be in it.
type field struct{ role, name, kind, value string }

// order is what the agent orders.
func order() []field {
	return []field{
		{"textbox", "Customer", "textbox", "Grace Hopper"},
		{"textbox", "Email", "textbox", "grace@example.com"},
		{"spinbutton", "Quantity", "textbox", "3"},
		{"combobox", "Country", "combobox", "Norway"},
		{"radio", "Courier", "radio", "true"},
		{"checkbox", "Gift wrap", "checkbox", "true"},
		{"textbox", "Notes", "textbox", "Leave it at the gate"},
	}
}

// run logs in, places an order, and reads the confirmation.
func (a *agent) run(ctx context.Context) (result, error) {
	defer a.mcp.close()
	err := inOrder(
		func() error { return a.connect(ctx) },
		func() error { return a.signIn(ctx, "ada", "correct horse") },
		func() error { return a.placeOrder(ctx) },
		func() error { return a.readConfirmation(ctx) },
	)
	if err != nil {
		return result{}, err
	}
	picture, err := a.takePicture(ctx)
	return result{"order confirmed", a.page, picture}, err
}

func (a *agent) connect(ctx context.Context) error {
	var tools []string
	return inOrder(
		func() error {
			return a.step("initialize", "open a session", func() error { _, err := a.mcp.initialize(ctx); return err })
		},
		func() error {
			return a.step("tools/list", "what can this browser do?", func() (err error) {
				tools, err = a.mcp.tools(ctx)
				if err == nil && len(tools) == 0 {
					err = errors.New("it offers no tools")
				}
				return err
			})
		},
	)
}

func (a *agent) signIn(ctx context.Context, user, password string) error {
	return inOrder(
		func() error { return a.use(ctx, "browser_navigate", "/login", args{"url": "/login"}) },
		func() error { return a.use(ctx, "browser_snapshot", "read the page", nil) },
		func() error { return a.typeInto(ctx, "textbox", "User name", user, user) },
		func() error { return a.typeInto(ctx, "textbox", "Password", password, "the password") },
		func() error { return a.click(ctx, "button", "Sign in") },
		func() error { return a.page.shows("Signed in as " + user) },
	)
}

func (a *agent) placeOrder(ctx context.Context) error {
	return inOrder(
		func() error { return a.use(ctx, "browser_navigate", "/orders/new", args{"url": "/orders/new"}) },
		func() error { return a.fill(ctx, order()) },
		func() error { return a.click(ctx, "button", "Place order") },
	)
}

func (a *agent) readConfirmation(ctx context.Context) error {
	if err := a.use(ctx, "browser_snapshot", "read the confirmation", nil); err != nil {
		return err
	}
	for _, words := range []string{`heading "Order confirmed"`, "Grace Hopper", "grace@example.com", "courier", "Leave it at the gate"} {
		if err := a.page.shows(words); err != nil {
			return err
		}
	}
	return nil
}

func (a *agent) takePicture(ctx context.Context) (picture []byte, err error) {
	err = a.step("browser_take_screenshot", "for the record", func() error {
		_, picture, err = a.mcp.tool(ctx, "browser_take_screenshot", args{"type": "png"})
		if err == nil && len(picture) == 0 {
			err = errors.New("there is no picture in the answer")
		}
		return err
	})
	return picture, err
}

type args = map[string]any

func (a *agent) typeInto(ctx context.Context, role, name, text, shown string) error {
	ref, err := a.page.ref(role, name)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s into %s %q", shown, role, name)
	return a.use(ctx, "browser_type", what, args{"target": ref, "element": name, "text": text})
}

func (a *agent) click(ctx context.Context, role, name string) error {
	ref, err := a.page.ref(role, name)
	if err != nil {
		return err
	}
	return a.use(ctx, "browser_click", fmt.Sprintf("%s %q", role, name), args{"target": ref, "element": name})
}

func (a *agent) fill(ctx context.Context, fields []field) error {
	var list []args
	var names []string
	for _, f := range fields {
		ref, err := a.page.ref(f.role, f.name)
		if err != nil {
			return err
		}
		list = append(list, args{"target": ref, "name": f.name, "type": f.kind, "value": f.value})
		names = append(names, f.name)
	}
	return a.use(ctx, "browser_fill_form", strings.Join(names, ", "), args{"fields": list})
}

// use calls a tool as one step; a snapshot in its answer becomes the page.
func (a *agent) use(ctx context.Context, tool, what string, arguments args) error {
	return a.step(tool, what, func() error {
		text, _, err := a.mcp.tool(ctx, tool, arguments)
		if page, ok := snapshotOf(text); ok {
			a.page = page
		}
		return err
	})
}

// step runs do, and reports it.
func (a *agent) step(tool, what string, do func() error) error {
	a.steps++
	began := time.Now()
	err := do()
	s := step{N: a.steps, Tool: tool, What: what, MS: time.Since(began).Milliseconds()}
	if err != nil {
		s.Err = err.Error()
		err = fmt.Errorf("%s: %w", tool, err)
	}
	a.report(s)
	return err
}

// inOrder runs the functions up to the first that fails.
func inOrder(functions ...func() error) error {
	for _, f := range functions {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
