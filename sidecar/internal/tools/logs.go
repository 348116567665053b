package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// level is the severity that an agent calls by name.
func level(name string) browser.Level {
	switch name {
	case "error":
		return browser.LevelError
	case "warning":
		return browser.LevelWarning
	case "debug":
		return browser.LevelDebug
	default:
		return browser.LevelInfo
	}
}

func consoleMessages(_ context.Context, c *call) error {
	var args struct {
		Level    string `json:"level"`
		All      bool   `json:"all"`
		Filename string `json:"filename"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	if args.Level == "" {
		args.Level = "info"
	}
	all := c.tab.Messages(args.All)
	var errors, warnings int
	var listed, pageErrors []string
	for _, m := range all {
		switch m.Level {
		case browser.LevelError:
			errors++
		case browser.LevelWarning:
			warnings++
		}
		if m.Level > level(args.Level) {
			continue
		}
		if m.PageError {
			pageErrors = append(pageErrors, contain(m.Text))
		} else {
			listed = append(listed, fmt.Sprintf("[%s] %s @ %s:%d", strings.ToUpper(m.Type), contain(m.Text), oneLine(m.URL), m.Line))
		}
	}
	listed = append(listed, pageErrors...)
	lines := []string{fmt.Sprintf("Total messages: %d (Errors: %d, Warnings: %d)", len(all), errors, warnings)}
	if len(listed) != len(all) {
		lines = append(lines, fmt.Sprintf("Returning %d messages for level %q", len(listed), args.Level))
	}
	text := strings.Join(append(append(lines, ""), listed...), "\n")
	return c.deliver("Console", args.Filename, text, limited(text, "a filename saves all of it, and level error shows less"))
}
