package takeover

import "encoding/json"

// Observes says whether a tool only looks, so that it may run while a person
// drives. Everything that is not known to only look counts as changing.
func Observes(tool string, args json.RawMessage) bool {
	switch tool {
	case "browser_ask_person", "browser_console_messages", "browser_find", "browser_generate_locator", "browser_get_config",
		"browser_network_request", "browser_network_requests", "browser_pdf_save", "browser_snapshot",
		"browser_take_screenshot", "browser_verify_element_visible", "browser_verify_list_visible",
		"browser_verify_text_visible", "browser_verify_value", "browser_wait_for":
		return true
	case "browser_tabs":
		// A map, since a struct would match "Action" as well.
		var fields map[string]json.RawMessage
		var action string
		return json.Unmarshal(args, &fields) == nil && json.Unmarshal(fields["action"], &action) == nil && action == "list"
	}
	return false
}

// asksAgain says whether a tool calls [Check] right before each of its inputs.
// Until then it has changed nothing, however long it has run.
func asksAgain(tool string) bool {
	switch tool {
	case "browser_click", "browser_drag", "browser_fill_form", "browser_hover", "browser_press_key",
		"browser_select_option", "browser_type":
		return true
	}
	return false
}
