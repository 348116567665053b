package tools

// handlers finds what runs a tool; nil for a name that has no code.
func handlers(name string) tool {
	switch name {
	case "browser_click":
		return click
	case "browser_close":
		return closeBrowser
	case "browser_console_messages":
		return consoleMessages
	case "browser_evaluate":
		return evaluate
	case "browser_fill_form":
		return fillForm
	case "browser_handle_dialog":
		return handleDialog
	case "browser_hover":
		return hover
	case "browser_navigate":
		return navigate
	case "browser_navigate_back":
		return navigateBack
	case "browser_network_requests":
		return networkRequests
	case "browser_press_key":
		return pressKey
	case "browser_resize":
		return resize
	case "browser_select_option":
		return selectOption
	case "browser_snapshot":
		return takeSnapshot
	case "browser_tabs":
		return tabs
	case "browser_take_screenshot":
		return screenshot
	case "browser_type":
		return typeText
	case "browser_wait_for":
		return waitFor
	}
	return nil
}
