package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionHeader carries a session's id, both ways.
const sessionHeader = "Mcp-Session-Id"

// reply is the answer to one request of the route, not yet written.
type reply struct {
	status  int
	session string // set on the answer that opens a session
	body    []byte // nil: no body
}

// write sends the reply. Content-Type and the like are the caller's, who has
// them on every response.
func (a reply) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	if a.session != "" {
		h.Set(sessionHeader, a.session)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may be gone; nobody else is to be told
}

// writeError answers outside of JSON-RPC.
func writeError(w http.ResponseWriter, status int, text string) {
	reply{status: status, body: encode(struct {
		Error string `json:"error"`
	}{text})}.write(w)
}

// rpcError is an error of JSON-RPC.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`

	params bool // it is about what a request brought
}

// reply gives the error as an answer to the request with this id (nil: null).
func (e *rpcError) reply(status int, id json.RawMessage) reply {
	return reply{status: status, body: envelope(id, "error", encode(e))}
}

// resultReply gives an encoded result as the answer to the request with this id.
func resultReply(id json.RawMessage, result []byte) reply {
	return reply{status: http.StatusOK, body: envelope(id, "result", result)}
}

// toolReply answers a call with its tool's result.
func (g *Gateway) toolReply(c *call, result *sdk.CallToolResult) reply {
	var kind string
	if c.stateless {
		told := *result
		told.Meta = g.serverMeta()
		maps.Copy(told.Meta, result.Meta)
		result, kind = &told, complete
	}
	return reply{status: http.StatusOK, body: toolBody(c.id, result, kind)}
}

// envelope puts an answer together by hand, so that the id goes back byte for
// byte.
func envelope(id json.RawMessage, kind string, value []byte) []byte {
	return append(append(openEnvelope(id, kind, len(value)), value...), '}')
}

// toolBody is the answer with a tool's result: one buffer from the start, since
// a screenshot has megabytes. kind is the result's type, "" where results have
// none.
func toolBody(id json.RawMessage, result *sdk.CallToolResult, kind string) []byte {
	return append(appendResult(openEnvelope(id, "result", resultSize(result)), result, kind), '}')
}

// openEnvelope is an answer up to its value, with room for one of this size.
func openEnvelope(id json.RawMessage, kind string, size int) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	b := make([]byte, 0, len(`{"jsonrpc":"2.0","id":,"":}`)+len(id)+len(kind)+size)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"`...)
	b = append(b, kind...)
	return append(b, `":`...)
}

// encode is JSON without HTML escaping, for values that always encode.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Errorf("encode answer: %w", err))
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// appendResult writes a tool's result. The kinds of content that tools of a
// browser return are written here, text without HTML escaping and images
// straight into base64; the SDK encodes the others.
func appendResult(b []byte, r *sdk.CallToolResult, kind string) []byte {
	b = append(b, '{')
	if kind != "" {
		b = append(b, `"resultType":"`+kind+`",`...)
	}
	b = append(b, `"content":[`...)
	for i, c := range r.Content {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendContent(b, c)
	}
	b = append(b, ']')
	if r.StructuredContent != nil {
		b = append(b, `,"structuredContent":`...)
		b = append(b, encode(r.StructuredContent)...)
	}
	if r.IsError {
		b = append(b, `,"isError":true`...)
	}
	if len(r.Meta) > 0 {
		b = append(b, `,"_meta":`...)
		b = append(b, encode(map[string]any(r.Meta))...)
	}
	return append(b, '}')
}

func appendContent(b []byte, c sdk.Content) []byte {
	switch c := c.(type) {
	case *sdk.TextContent:
		if c.Meta == nil && c.Annotations == nil {
			b = append(b, `{"type":"text","text":`...)
			b = append(b, encode(c.Text)...)
			return append(b, '}')
		}
	case *sdk.ImageContent:
		if c.Meta == nil && c.Annotations == nil {
			b = append(b, `{"type":"image","data":"`...)
			b = base64.StdEncoding.AppendEncode(b, c.Data)
			b = append(b, `","mimeType":`...)
			b = append(b, encode(c.MIMEType)...)
			return append(b, '}')
		}
	}
	return append(b, encode(c)...)
}

// resultSize guesses how many bytes a result takes, so that a screenshot is
// not copied again and again while the answer grows.
func resultSize(r *sdk.CallToolResult) int {
	n := 128
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			n += len(c.Text) + len(c.Text)/8 + 64
		case *sdk.ImageContent:
			n += base64.StdEncoding.EncodedLen(len(c.Data)) + 64
		}
	}
	return n
}

// Bounds on what is read of a body that will be refused anyway. A client can
// read the refusal only once it has sent everything.
const (
	drainBytes = 64 << 20
	drainTime  = 10 * time.Second
)

// readBody reads a request's body of at most limit bytes; false if it is longer.
// It ends the request if the body breaks off. Then it lifts the deadline under
// which the request was read: from here on, waiting is the tools' business, and
// the deadline would look like the client's disconnect.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, bool) {
	deadlines := http.NewResponseController(w)
	if r.ContentLength <= limit {
		body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if int64(len(body)) <= limit {
			_ = deadlines.SetReadDeadline(time.Time{}) // fails only off a socket
			return body, true
		}
	}
	w.Header().Set("Connection", "close")
	if r.Header.Get("Expect") == "" { // else the client has not begun to send
		_ = deadlines.SetReadDeadline(time.Now().Add(drainTime))
		_, _ = io.CopyN(io.Discard, r.Body, drainBytes)
	}
	return nil, false
}
