package mcp

import (
	"context"
	"errors"
	"fmt"

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
)

// The errors whose text is fixed. They are never changed.
var (
	errNotJSON           = &rpcError{codeParse, "The body is not JSON"}
	errNotMessage        = &rpcError{codeInvalid, "The body must be one JSON-RPC 2.0 message"}
	errInitializeNoID    = &rpcError{codeInvalid, "initialize must be a request"}
	errSessionMissing    = &rpcError{codeInvalid, "Mcp-Session-Id header is required"}
	errSessionUnknown    = &rpcError{codeGone, "Session not found"}
	errTooManySessions   = &rpcError{codeRefused, "Too many sessions are busy; try again shortly"}
	errUnknownMethod     = &rpcError{codeMethod, "Method not found"}
	errRequestInFlight   = &rpcError{codeInvalid, "A request with this id is in flight"}
	errRequestTimedOut   = &rpcError{codeGone, "The request timed out"}
	errRequestCancelled  = &rpcError{codeCancelled, "The request was cancelled"}
	errRequestClosed     = &rpcError{codeRefused, "The session closed"}
	errInitializeStopped = &rpcError{codeRefused, "The browser is stopping"}
)

// invalidParams is the error of params that a method can't take.
func invalidParams(detail string) *rpcError {
	return &rpcError{codeInternal, "Invalid params: " + detail}
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
			return toolReply(c.id, toolError(textStopping))
		case errors.Is(cause, errInterrupted):
			return toolReply(c.id, toolError(fmt.Sprintf(
				"The browser is stopping. %s was interrupted; it may have done a part of its work.", tool)))
		case errors.Is(cause, errDeadline):
			return toolReply(c.id, toolError(fmt.Sprintf(
				"%s was still unfinished after %v and was given up; it may have done a part of its work. Look at the page before you try again.",
				tool, g.limits.Call)))
		}
	}
	return endedError(cause).reply(200, c.id)
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
