package tools

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

func networkRequests(_ context.Context, c *call) error {
	var args struct {
		Static   bool   `json:"static"`
		Filter   string `json:"filter"`
		Filename string `json:"filename"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	filter, err := javascriptRegex(args.Filter)
	if err != nil {
		return argumentError(c.spec.Name, []issue{{"filter", "Invalid regular expression: " + oneLine(err.Error())}})
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
		what := "requests not shown, run with \"static\" option to see them"
		if hidden == 1 {
			what = "request not shown, run with \"static\" option to see it"
		}
		lines = append(lines, "", fmt.Sprintf("Note: %d static %s.", hidden, what))
	}
	if len(lines) == 0 {
		lines = []string{"No requests so far."}
	}
	text := strings.Join(lines, "\n")
	return c.deliver("Network", args.Filename, text, limited(text, "a filter shows less, a filename saves all of it"))
}

func requestLine(r browser.Request) string {
	line := fmt.Sprintf("%d. [%s] %s", r.N, oneLine(r.Method), shortLine(r.URL))
	switch {
	case r.Failure != "":
		line += " => [FAILED] " + shortLine(r.Failure)
	case r.Status != 0:
		line += strings.TrimRight(fmt.Sprintf(" => [%d] %s", r.Status, shortLine(r.StatusText)), " ")
	}
	return line
}

// bodyTimeout is what Chromium gets to hand out a body.
const bodyTimeout = 10 * time.Second

func networkRequest(ctx context.Context, c *call) error {
	var args struct {
		Index    float64 `json:"index"`
		Part     string  `json:"part"`
		Filename string  `json:"filename"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	requests := c.tab.Requests()
	i := slices.IndexFunc(requests, func(r browser.Request) bool { return float64(r.N) == args.Index })
	if i < 0 {
		c.failf("Request #%v not found. Use browser_network_requests to see available indexes.", args.Index)
		return nil
	}
	r := requests[i]
	ctx, cancel := context.WithTimeout(ctx, bodyTimeout)
	defer cancel()
	switch args.Part {
	case "request-headers":
		return c.headers(r.RequestHeaders, args.Filename)
	case "response-headers":
		return c.headers(r.ResponseHeaders, args.Filename)
	case "request-body":
		if !r.HasBody {
			return nil
		}
		body, err := r.RequestBody(ctx)
		return c.body("Request body", "request", r.RequestHeaders["Content-Type"], body, err, args.Filename)
	case "response-body":
		if !r.Answered() || r.Failure != "" {
			return nil
		}
		body, err := r.ResponseBody(ctx)
		return c.body("Response body", "response", r.MIMEType, body, err, args.Filename)
	}
	text := details(r)
	return c.deliver("Request", args.Filename, text, limited(text, "a filename saves all of it"))
}

// details is what a person would look up of a request. All but the first line is
// indented.
func details(r browser.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d [%s] %s\n\n  General\n", r.N, oneLine(r.Method), oneLine(r.URL))
	switch {
	case r.Failure != "":
		fmt.Fprintf(&b, "    status:    [FAILED] %s\n", shortLine(r.Failure))
	case r.Status != 0:
		fmt.Fprintf(&b, "    status:    [%d] %s\n", r.Status, shortLine(r.StatusText))
	default:
		b.WriteString("    status:    pending\n")
	}
	if !r.Ended.IsZero() {
		fmt.Fprintf(&b, "    duration:  %dms\n", r.Ended.Sub(r.Started).Milliseconds())
	}
	fmt.Fprintf(&b, "    type:      %s\n", strings.ToLower(oneLine(r.Type)))
	if r.MIMEType != "" {
		fmt.Fprintf(&b, "    mimeType:  %s\n", shortLine(r.MIMEType))
	}
	for _, part := range []struct {
		title   string
		headers map[string]string
	}{{"Request headers", r.RequestHeaders}, {"Response headers", r.ResponseHeaders}} {
		if len(part.headers) > 0 {
			fmt.Fprintf(&b, "\n  %s\n    %s\n", part.title, strings.Join(headerLines(part.headers), "\n    "))
		}
	}
	const hint = "\nCall browser_network_request with part=%q to read the %s."
	if r.HasBody {
		fmt.Fprintf(&b, hint, "request-body", "request body")
	}
	if r.Answered() && r.Failure == "" {
		fmt.Fprintf(&b, hint, "response-body", "response body")
	}
	return strings.TrimRight(b.String(), "\n")
}

func headerLines(headers map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		lines = append(lines, strings.ToLower(oneLine(name))+": "+oneLine(headers[name]))
	}
	return lines
}

func (c *call) headers(headers map[string]string, filename string) error {
	if len(headers) == 0 && filename == "" {
		return nil
	}
	text := strings.Join(headerLines(headers), "\n")
	return c.deliver("Headers", filename, text, inline(text, "a filename saves all of it"))
}

// body delivers what went over the network: text into the answer, anything else
// into a file.
func (c *call) body(title, prefix, mime string, body []byte, err error, filename string) error {
	switch {
	case err != nil:
		c.failf("The body is not there any more: Chromium keeps it as long as the page that asked for it, and only so much of it.")
		return nil
	case filename != "":
		return c.save(title, filename, body)
	case len(body) == 0:
		return nil
	case isText(mime, body):
		c.say(inline(string(body), "a filename saves all of it"))
		return nil
	}
	return c.keep(title, files.Stamped(prefix, extensionOf(mime)), body)
}

// isText says whether a body can be read as it is.
func isText(mime string, body []byte) bool {
	if !utf8.Valid(body) {
		return false
	}
	sniffed := http.DetectContentType(body)
	return strings.HasPrefix(sniffed, "text/") || strings.Contains(mime, "json") || strings.Contains(mime, "javascript") ||
		strings.Contains(mime, "xml") || strings.HasPrefix(mime, "text/") || strings.Contains(mime, "urlencoded")
}

// extensionOf is the ending of a file of a type.
func extensionOf(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	switch strings.TrimSpace(mime) {
	case "image/png":
		return "png"
	case "image/jpeg":
		return "jpeg"
	case "image/webp":
		return "webp"
	case "image/gif":
		return "gif"
	case "application/pdf":
		return "pdf"
	case "application/zip":
		return "zip"
	default:
		return "bin"
	}
}
