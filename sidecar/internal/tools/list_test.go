package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
	"github.com/pillion-browser/pillion/sidecar/internal/tools"
)

func names(t *testing.T, capabilities ...string) (list []string) {
	t.Helper()
	k, err := tools.New(tools.Options{Capabilities: capabilities})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range k.List() {
		list = append(list, tool.Name)
	}
	return list
}

func TestToolsAreListedInTheKnownOrder(t *testing.T) {
	all := []string{
		"browser_close", "browser_resize", "browser_console_messages", "browser_handle_dialog", "browser_emulate_media",
		"browser_evaluate", "browser_file_upload", "browser_drop", "browser_find", "browser_fill_form", "browser_press_key",
		"browser_type", "browser_mouse_move_xy", "browser_mouse_click_xy", "browser_mouse_drag_xy", "browser_mouse_down",
		"browser_mouse_up", "browser_mouse_wheel", "browser_navigate", "browser_navigate_back", "browser_network_requests",
		"browser_network_request", "browser_pdf_save", "browser_take_screenshot", "browser_snapshot", "browser_click",
		"browser_drag", "browser_hover", "browser_select_option", "browser_generate_locator", "browser_tabs",
		"browser_verify_element_visible", "browser_verify_text_visible", "browser_verify_list_visible", "browser_verify_value",
		"browser_wait_for",
	}
	if got := names(t, "testing", "vision", "pdf"); !slices.Equal(got, all) {
		t.Errorf("all: %q", got)
	}
	for group, want := range map[string]int{"": 24, "testing": 29, "vision": 30, "pdf": 25} {
		if got := names(t, group); len(got) != want {
			t.Errorf("with %q: %d tools, want %d: %q", group, len(got), want, got)
		}
	}
	k, err := tools.New(tools.Options{Desk: takeover.NewDesk(takeover.Clock{}, nil)})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(k.List()); n != 25 || k.List()[n-2].Name != "browser_ask_person" {
		t.Errorf("where people can be asked: %d tools, before the last one %s", n, k.List()[n-2].Name)
	}
	for _, never := range []string{"browser_run_code_unsafe", "browser_get_config", "browser_cookie_list", "browser_ask_person"} {
		if slices.Contains(names(t, "testing", "vision", "pdf", "storage", "network", "devtools", "config", "core"), never) {
			t.Errorf("%s is offered", never)
		}
	}
}

// maxList is what the whole list may cost an agent, in bytes of JSON: 16 KB with
// the message around it, which tells most of itself where there are no sessions.
const maxList = 16000 - 210

// everything offers each tool that there is.
func everything() tools.Options {
	return tools.Options{Capabilities: []string{"testing", "vision", "pdf"}, Desk: new(takeover.Desk)}
}

func TestTheListIsSmallAndWellFormed(t *testing.T) {
	k, err := tools.New(everything())
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"tools": k.List()})
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.ReplaceAll(b, []byte(`"idempotentHint":false,`), nil) // as on the wire
	t.Logf("%d bytes", len(b))
	if len(b) > maxList {
		t.Errorf("the list has %d bytes, more than %d", len(b), maxList)
	}
	readOnly := []string{
		"browser_console_messages", "browser_find", "browser_network_requests", "browser_network_request", "browser_pdf_save",
		"browser_take_screenshot", "browser_snapshot", "browser_generate_locator", "browser_verify_element_visible",
		"browser_verify_text_visible", "browser_verify_list_visible", "browser_verify_value", "browser_wait_for", "browser_ask_person",
	}
	for _, tool := range k.List() {
		var schema struct {
			Type       string
			Properties map[string]struct {
				Type    string
				Default any
				AnyOf   []struct{ Type string }
			}
			Required             []string
			AdditionalProperties *bool
		}
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties || schema.Properties == nil {
			t.Errorf("%s: %s", tool.Name, raw)
		}
		for name, p := range schema.Properties {
			if p.Type == "" && len(p.AnyOf) == 0 {
				t.Errorf("%s: %s has no type", tool.Name, name)
			}
			if p.Default != nil && slices.Contains(schema.Required, name) {
				t.Errorf("%s: %s has a default and is required", tool.Name, name)
			}
		}
		for _, name := range schema.Required {
			if _, ok := schema.Properties[name]; !ok {
				t.Errorf("%s requires %s, which it has not", tool.Name, name)
			}
		}
		a := tool.Annotations
		if a == nil || a.Title == "" || a.ReadOnlyHint != slices.Contains(readOnly, tool.Name) || *a.DestructiveHint == a.ReadOnlyHint || !*a.OpenWorldHint {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		if tool.Description == "" || len(tool.Description) > 100 {
			t.Errorf("%s: description of %d bytes", tool.Name, len(tool.Description))
		}
	}
}

// The names, types, choices and defaults of arguments are what agents know; a
// change of them is a decision, made in testdata/surface.txt.
func TestArgumentsAreTheKnownOnes(t *testing.T) {
	k, err := tools.New(everything())
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, tool := range k.List() {
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema argument
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s%s\n", tool.Name, schema.fields())
	}
	want, err := os.ReadFile("testdata/surface.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("arguments (-known +offered):\n%s", d)
	}
}

// argument is a schema as far as tools use it.
type argument struct {
	Type       string
	Enum       []string
	Minimum    *float64
	Default    any
	Items      *argument
	AnyOf      []argument
	Properties map[string]argument
	Required   []string
}

// String is an argument in a few words.
func (a argument) String() string {
	text := a.Type
	switch {
	case len(a.AnyOf) > 0:
		var all []string
		for _, one := range a.AnyOf {
			all = append(all, one.String())
		}
		text = strings.Join(all, "|")
	case len(a.Enum) > 0:
		text = strings.Join(a.Enum, "|")
	case a.Items != nil:
		text = "[]" + a.Items.String()
	case a.Properties != nil:
		text = "{" + strings.TrimSpace(a.fields()) + "}"
	}
	if a.Minimum != nil {
		text += fmt.Sprintf(">=%v", *a.Minimum)
	}
	if a.Default != nil {
		text += fmt.Sprintf("=%v", a.Default)
	}
	return text
}

// fields are an object's; ! marks a required one.
func (a argument) fields() (text string) {
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		mark := ""
		if slices.Contains(a.Required, name) {
			mark = "!"
		}
		text += " " + name + mark + ":" + a.Properties[name].String()
	}
	return text
}
