package tools

// handlers finds what runs a tool; nil for a name that has no code.
func handlers(name string) tool {
	switch name {
	case "browser_navigate":
		return navigate
	case "browser_navigate_back":
		return navigateBack
	case "browser_tabs":
		return tabs
	case "browser_close":
		return closeBrowser
	case "browser_resize":
		return resize
	case "browser_console_messages":
		return consoleMessages
	case "browser_network_requests":
		return networkRequests
	}
	return nil
}
