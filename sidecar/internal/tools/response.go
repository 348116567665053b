package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// reply is what a tool has to say; the answer is composed of it and of what the
// browser looks like afterwards.
type reply struct {
	errors  []string // the tool's own findings; the other sections stay
	result  []string // lines of the Result section; page text goes through contain
	events  []string // lines of the Events section
	images  []image
	show    bool     // show the page: Page and Snapshot sections
	asked   bool     // the call itself said what to show
	options snapshot // how, for browser_snapshot
}

type image struct {
	mime string
	data []byte
}

func (r *reply) say(lines ...string)          { r.result = append(r.result, lines...) }
func (r *reply) sayf(format string, a ...any) { r.say(fmt.Sprintf(format, a...)) }
func (r *reply) failf(format string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, a...))
}

// toolError is a failure whose text is the whole answer.
type toolError string

func (e toolError) Error() string { return string(e) }

// sections writes headings and lines.
type sections struct{ b strings.Builder }

// add writes a section; nothing when it has no lines.
func (s *sections) add(title string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	if s.b.Len() > 0 {
		s.b.WriteByte('\n')
	}
	s.b.WriteString("### " + title)
	for _, l := range lines {
		s.b.WriteByte('\n')
		s.b.WriteString(l)
	}
}

// failure is the answer of a call that did not come to anything.
func failure(text string) *sdk.CallToolResult {
	return answer("### Error\n"+text, true, nil)
}

func answer(text string, isError bool, images []image) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: isError, Content: []sdk.Content{&sdk.TextContent{Text: plain(text)}}}
	for _, i := range images {
		res.Content = append(res.Content, &sdk.ImageContent{MIMEType: i.mime, Data: i.data})
	}
	return res
}

// header is what the Page and Open tabs sections tell of a tab; they appear when
// it differs from what this agent saw last.
type header struct {
	title, url       string
	current, crashed bool
	status           string
	errors, warnings int
	total            int
}

// headersOf are the headers of tabs. Those whose title nobody has read yet are asked
// for it, and so is the current one unless it was read just now.
func headersOf(ctx context.Context, tabs []*browser.Tab, current *browser.Tab, read bool) []header {
	headers := make([]header, len(tabs))
	var wg sync.WaitGroup
	for i, t := range tabs {
		if title := t.Title(); (t != current || read) && title != "" || t.IsCrashed() || t.Dialog() != nil {
			headers[i] = headerOf(t, title, t == current)
			continue
		}
		wg.Go(func() { headers[i] = headerOf(t, t.ReadTitle(ctx), t == current) })
	}
	wg.Wait()
	return headers
}

func headerOf(t *browser.Tab, title string, current bool) header {
	h := header{title: shortLine(title), url: oneLine(t.URL()), current: current, crashed: t.IsCrashed()}
	if st := t.Status(); st != nil && (st.Code < 200 || st.Code > 299) {
		h.status = strings.TrimSpace(fmt.Sprintf("%d %s", st.Code, shortLine(st.Text)))
	}
	for _, m := range t.Messages(false) {
		h.total++
		switch m.Level {
		case browser.LevelError:
			h.errors++
		case browser.LevelWarning:
			h.warnings++
		}
	}
	return h
}

func (h header) page() []string {
	lines := []string{"- Page URL: " + h.url}
	if h.title != "" {
		lines = append(lines, "- Page Title: "+h.title)
	}
	if h.crashed {
		lines = append(lines, "- Page status: crashed")
	}
	if h.status != "" {
		lines = append(lines, "- HTTP status: "+h.status)
	}
	if h.errors+h.warnings > 0 {
		lines = append(lines, fmt.Sprintf("- Console: %d errors, %d warnings", h.errors, h.warnings))
	}
	return lines
}

func tabLines(headers []header) []string {
	if len(headers) == 0 {
		return []string{"No open tabs. Navigate to a URL to create one."}
	}
	lines := make([]string, len(headers))
	for i, h := range headers {
		current, crashed := "", ""
		if h.current {
			current = "(current) "
		}
		if h.crashed {
			crashed = " [crashed]"
		}
		lines[i] = fmt.Sprintf("- %d: %s[%s](%s)%s", i, current, h.title, h.url, crashed)
	}
	return lines
}

func modalLines(t *browser.Tab) []string {
	var lines []string
	if d := t.Dialog(); d != nil {
		lines = append(lines, fmt.Sprintf("- [%q dialog with message \"%s\"]: can be handled by browser_handle_dialog", d.Type, shortLine(d.Message)))
	}
	if t.Chooser() != nil {
		lines = append(lines, "- [File chooser]: can be handled by browser_file_upload")
	}
	return lines
}
