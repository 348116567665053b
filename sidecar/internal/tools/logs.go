package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

var levels = map[string]browser.Level{
	"error": browser.LevelError, "warning": browser.LevelWarning, "info": browser.LevelInfo, "debug": browser.LevelDebug,
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
		if m.Level > levels[args.Level] {
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
	lines = append(append(lines, ""), listed...)
	return c.deliver("Console", args.Filename, strings.Join(lines, "\n"))
}

func networkRequests(_ context.Context, c *call) error {
	var args struct {
		Static   bool   `json:"static"`
		Filter   string `json:"filter"`
		Filename string `json:"filename"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	filter, err := regexp.Compile(args.Filter)
	if err != nil {
		return argumentError(c.spec.Name, []issue{{"filter", "not a regular expression: " + err.Error()}})
	}
	var lines []string
	hidden := 0
	for _, r := range c.tab.Requests() {
		if !filter.MatchString(r.URL) {
			continue
		}
		if r.Static() && !args.Static {
			hidden++
			continue
		}
		lines = append(lines, requestLine(r))
	}
	if hidden > 0 {
		noun := "requests"
		if hidden == 1 {
			noun = "request"
		}
		lines = append(lines, "", fmt.Sprintf("Note: %d static %s not shown, run with \"static\" option to see it.", hidden, noun))
	}
	if len(lines) == 0 {
		lines = []string{"No requests so far."}
	}
	return c.deliver("Network", args.Filename, strings.Join(lines, "\n"))
}

func requestLine(r browser.Request) string {
	line := fmt.Sprintf("%d. [%s] %s", r.N, oneLine(r.Method), oneLine(r.URL))
	switch {
	case r.Failure != "":
		line += " => [FAILED] " + oneLine(r.Failure)
	case r.Status != 0:
		line += strings.TrimRight(fmt.Sprintf(" => [%d] %s", r.Status, oneLine(r.StatusText)), " ")
	}
	return line
}
