package tools

import (
	"fmt"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// reply is what a tool has to say; the answer is composed of it and of what the
// browser looks like afterwards.
type reply struct {
	errors  []string // the tool's own findings; the other sections stay
	result  []string // lines of the Result section; page text goes through contain
	images  []image
	show    bool     // show the page: Page and Snapshot sections
	options snapshot // how, for browser_snapshot
	inline  bool     // the snapshot is the answer itself
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

// section writes a heading and lines; nothing when there are no lines.
type sections struct{ b strings.Builder }

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
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "### Error\n" + text}}}
}

func answer(text string, isError bool, images []image) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: isError, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
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

func headerOf(t *browser.Tab, title string, current bool) header {
	h := header{title: oneLine(title), url: oneLine(t.URL()), current: current, crashed: t.IsCrashed()}
	if st := t.Status(); st != nil && (st.Code < 200 || st.Code > 299) {
		h.status = strings.TrimSpace(fmt.Sprintf("%d %s", st.Code, oneLine(st.Text)))
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
		lines = append(lines, fmt.Sprintf("- [%q dialog with message %q]: can be handled by browser_handle_dialog", d.Type, oneLine(d.Message)))
	}
	if t.Chooser() != nil {
		lines = append(lines, "- [File chooser]: can be handled by browser_file_upload")
	}
	return lines
}

// lineBreaks are all characters that some reader takes for the end of a line.
var lineBreaks = regexp.MustCompile("[\r\n\v\f\u0085\u2028\u2029]+")

// oneLine makes page text fit on one line of ours.
func oneLine(s string) string {
	return strings.TrimSpace(lineBreaks.ReplaceAllString(s, " "))
}

// contain indents those lines of page text that a reader could take for one of
// our headings, fences or facts.
func contain(s string) string {
	lines := lineBreaks.Split(s, -1)
	for i, l := range lines {
		trimmed := strings.TrimLeft(l, " \t")
		if strings.HasPrefix(l, "#") || strings.HasPrefix(l, "- ") || strings.HasPrefix(trimmed, "```") {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}
