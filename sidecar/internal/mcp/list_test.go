package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A hint that is as if it were left out is left out, and nothing else is.
func TestListingIsLean(t *testing.T) {
	yes, no := true, false
	for want, a := range map[string]*sdk.ToolAnnotations{
		`{"annotations":{"destructiveHint":false,"openWorldHint":true,"readOnlyHint":true,"title":"T"},"description":"d","inputSchema":{},"name":"n"}`: {
			DestructiveHint: &no, OpenWorldHint: &yes, ReadOnlyHint: true, Title: "T",
		},
		`{"annotations":{"destructiveHint":true,"idempotentHint":true,"readOnlyHint":false},"description":"d","inputSchema":{},"name":"n"}`: {
			DestructiveHint: &yes, IdempotentHint: true,
		},
		`{"description":"d","inputSchema":{},"name":"n"}`: nil,
	} {
		tool := &sdk.Tool{Annotations: a, Description: "d", InputSchema: struct{}{}, Name: "n"}
		if got := string(encode(listing(tool))); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
