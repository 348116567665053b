package tools

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
)

//go:embed tools.json
var specJSON []byte

// spec is one entry of tools.json.
type spec struct {
	Name        string              `json:"name"`
	Group       string              `json:"group"` // "core", or the capability that offers it
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Kind        string              `json:"kind"`    // "read" or "act"
	Modal       string              `json:"modal"`   // what it answers: "dialog" or "chooser"
	Context     bool                `json:"context"` // works without a tab, and past a dialog
	Shows       bool                `json:"shows"`   // may answer with a snapshot
	Properties  map[string]property `json:"properties"`
	Required    []string            `json:"required"`

	run tool
}

// acts says whether the tool may change the page.
func (s spec) acts() bool { return s.Kind == "act" }

// modeArgument is the argument by which a call says how much of the page it
// wants to see. Agents that don't know it never send it.
const modeArgument = "snapshot"

func (s spec) schema() property {
	props := maps.Clone(s.Properties)
	if props == nil {
		props = map[string]property{}
	}
	if s.Shows {
		props[modeArgument] = property{
			Type: "string", Enum: []string{proto.SnapshotFull, proto.SnapshotChanges, proto.SnapshotNone},
		}
	}
	return property{Type: "object", Properties: props, Required: s.Required, More: json.RawMessage("false")}
}

func (s spec) tool() (*sdk.Tool, error) {
	schema, err := json.Marshal(s.schema())
	if err != nil {
		return nil, fmt.Errorf("encode the schema of %s: %w", s.Name, err)
	}
	destructive, open := s.acts(), true
	return &sdk.Tool{
		Name: s.Name, Description: s.Description, InputSchema: json.RawMessage(schema),
		Annotations: &sdk.ToolAnnotations{Title: s.Title, ReadOnlyHint: !destructive, DestructiveHint: &destructive, OpenWorldHint: &open},
	}, nil
}

// offered are the tools of the core and of the capabilities, in the order in
// which they are listed.
func offered(capabilities []string) ([]spec, error) {
	var all []spec
	if err := json.Unmarshal(specJSON, &all); err != nil {
		return nil, fmt.Errorf("read the list of tools: %w", err)
	}
	table := handlers()
	all = slices.DeleteFunc(all, func(s spec) bool { return s.Group != "core" && !slices.Contains(capabilities, s.Group) })
	for i := range all {
		if all[i].run = table[all[i].Name]; all[i].run == nil {
			return nil, fmt.Errorf("%s has no code", all[i].Name)
		}
	}
	return all, nil
}

// handlers says what runs each tool.
func handlers() map[string]tool {
	return map[string]tool{
		askTool:                          askPerson,
		"browser_click":                  click,
		"browser_close":                  closeBrowser,
		"browser_console_messages":       consoleMessages,
		"browser_drag":                   drag,
		"browser_drop":                   drop,
		"browser_emulate_media":          emulateMedia,
		"browser_evaluate":               evaluate,
		"browser_file_upload":            fileUpload,
		"browser_fill_form":              fillForm,
		"browser_find":                   find,
		"browser_generate_locator":       generateLocator,
		"browser_handle_dialog":          handleDialog,
		"browser_hover":                  hover,
		"browser_mouse_click_xy":         mouseClick,
		"browser_mouse_down":             mouseDown,
		"browser_mouse_drag_xy":          mouseDrag,
		"browser_mouse_move_xy":          mouseMove,
		"browser_mouse_up":               mouseUp,
		"browser_mouse_wheel":            mouseWheel,
		"browser_navigate":               navigate,
		"browser_navigate_back":          navigateBack,
		"browser_network_request":        networkRequest,
		"browser_network_requests":       networkRequests,
		"browser_pdf_save":               savePDF,
		"browser_press_key":              pressKey,
		"browser_resize":                 resize,
		"browser_select_option":          selectOption,
		"browser_snapshot":               takeSnapshot,
		"browser_tabs":                   tabs,
		"browser_take_screenshot":        screenshot,
		"browser_type":                   typeText,
		"browser_verify_element_visible": verifyElement,
		"browser_verify_list_visible":    verifyList,
		"browser_verify_text_visible":    verifyText,
		"browser_verify_value":           verifyValue,
		"browser_wait_for":               waitFor,
	}
}
