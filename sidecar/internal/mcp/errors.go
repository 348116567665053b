package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/takeover"
)

// Codes of JSON-RPC errors, as clients of this dialect know them.
const (
	codeParse     = -32700
	codeInvalid   = -32600
	codeMethod    = -32601
	codeInternal  = -32603 // bad params too: see the package's Why
	codeGone      = -32001 // the session or the answer does not exist
	codeRefused   = -32000 // not now
	codeCancelled = -32800 // as in the Language Server Protocol

	// Of revisions without sessions.
	codeParams = -32602
)

// The errors whose text is fixed. They are never changed.
var (
	errNotJSON           = &rpcError{Code: codeParse, Message: "The body is not JSON"}
	errNotMessage        = &rpcError{Code: codeInvalid, Message: "The body must be one JSON-RPC 2.0 message"}
	errInitializeNoID    = &rpcError{Code: codeInvalid, Message: "initialize must be a request"}
	errSessionMissing    = &rpcError{Code: codeInvalid, Message: "Mcp-Session-Id header is required"}
	errSessionUnknown    = &rpcError{Code: codeGone, Message: "Session not found"}
	errTooManySessions   = &rpcError{Code: codeRefused, Message: "Too many sessions are busy; try again shortly"}
	errUnknownMethod     = &rpcError{Code: codeMethod, Message: "Method not found"}
	errRequestInFlight   = &rpcError{Code: codeInvalid, Message: "A request with this id is in flight"}
	errRequestTimedOut   = &rpcError{Code: codeGone, Message: "The request timed out"}
	errRequestCancelled  = &rpcError{Code: codeCancelled, Message: "The request was cancelled"}
	errRequestClosed     = &rpcError{Code: codeRefused, Message: "The session closed"}
	errInitializeStopped = &rpcError{Code: codeRefused, Message: "The browser is stopping"}
)

// invalidParams is the error of params that a method can't take.
func invalidParams(detail string) *rpcError {
	return &rpcError{Code: codeInternal, Message: "Invalid params: " + detail, params: true}
}

// missingMeta is the error of a stateless request whose _meta lacks what it needs.
func missingMeta(key string) *rpcError {
	return invalidParams("_meta has no valid " + key)
}

// headerMismatch is the error of a stateless request whose header does not say
// what its body says.
func headerMismatch(header, got, want string) *rpcError {
	return &rpcError{Code: sdk.CodeHeaderMismatch, Message: fmt.Sprintf("Header mismatch: %s is %q, the body has %q", header, got, want)}
}

// unsupportedVersion is the error of a request of a revision that is not known.
func unsupportedVersion(version string) *rpcError {
	return &rpcError{
		Code: sdk.CodeUnsupportedProtocolVersion, Message: "Unsupported protocol version",
		Data: encode(sdk.UnsupportedProtocolVersionData{Supported: sdk.SupportedProtocolVersions(), Requested: version}),
	}
}

// statelessReply gives the error as a stateless client expects it: its code under
// the status that goes with it.
func (e *rpcError) statelessReply(id json.RawMessage) reply {
	copied := *e
	if e.params {
		copied.Code = codeParams
	}
	status := http.StatusOK
	switch copied.Code {
	case codeMethod:
		status = http.StatusNotFound
	case codeParams, sdk.CodeHeaderMismatch, sdk.CodeUnsupportedProtocolVersion:
		status = http.StatusBadRequest
	}
	return copied.reply(status, id)
}

// refuse answers a request with an error.
func (c *call) refuse(e *rpcError) reply {
	if c.stateless {
		return e.statelessReply(c.id)
	}
	return e.reply(http.StatusOK, c.id)
}

// Why a call's context ended before its tool did, or why it was not begun.
var (
	errInFlight      = errors.New("request id in flight")
	errSessionClosed = errors.New("session closed")
	errCancelled     = errors.New("cancelled by the client")
	errTimedOut      = errors.New("request timed out")
	errStopping      = errors.New("stopping, not begun")
	errInterrupted   = errors.New("stopping, interrupted")
	errDeadline      = errors.New("tool call deadline passed")
)

// HeldError is a [Gate]'s refusal: a person kept the browser, or took it over.
type HeldError = takeover.HeldError

// takeoverMeta is the key under which a refusal's facts stand for programs.
const takeoverMeta = "activeagents/takeover"

// heldMeta is the refusal for programs.
func heldMeta(e *HeldError) sdk.Meta {
	return sdk.Meta{takeoverMeta: struct {
		HeldBy   *string `json:"held_by"`
		Since    string  `json:"since"`
		WaitedMS int64   `json:"waited_ms"`
	}{e.By, e.Since.UTC().Format("2006-01-02T15:04:05.000Z"), e.Waited.Milliseconds()}}
}

// toolError is a tool's failure as agents read it.
func toolError(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		Content: []sdk.Content{&sdk.TextContent{Text: "### Error\n" + text}},
		IsError: true,
	}
}

// textStopping tells a call that the browser went away under it, in time.
const textStopping = "The browser is stopping. Nothing was done."

// gateRefusal puts a gate's no into a tool's answer.
func gateRefusal(err error) *sdk.CallToolResult {
	var held *HeldError
	switch {
	case errors.As(err, &held):
		r := toolError(held.Error())
		r.Meta = heldMeta(held)
		return r
	case errors.Is(err, proto.CodeStopping):
		return toolError(textStopping)
	default:
		return toolError(err.Error())
	}
}

// endedReply answers a request whose context ended before it had its answer.
// tool is "" for requests that are no tool call.
func (g *Gateway) endedReply(c *call, tool string, cause error) reply {
	if tool != "" {
		switch {
		case errors.Is(cause, errStopping):
			return g.toolReply(c, toolError(textStopping))
		case errors.Is(cause, errInterrupted):
			return g.toolReply(c, toolError(fmt.Sprintf(
				"The browser is stopping. %s was interrupted; it may have done a part of its work.", tool)))
		case errors.Is(cause, errDeadline):
			return g.toolReply(c, toolError(fmt.Sprintf(
				"%s was still unfinished after %v and was given up; it may have done a part of its work. Look at the page before you try again.",
				tool, g.limits.Call)))
		}
	}
	return c.refuse(endedError(cause))
}

func endedError(cause error) *rpcError {
	switch {
	case errors.Is(cause, errCancelled), errors.Is(cause, context.Canceled):
		return errRequestCancelled // or the client is gone, and reads nothing
	case errors.Is(cause, errTimedOut), errors.Is(cause, errDeadline):
		return errRequestTimedOut
	default:
		return errRequestClosed
	}
}
