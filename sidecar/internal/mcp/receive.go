package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstRevision is echoed to clients that ask for it; the SDK has forgotten it,
// and for our methods it does not differ from its successor.
const firstRevision = "2024-10-07"

// receive is the SDK's middleware: every message of every dialect passes here
// on its way to the server's own methods.
func (g *Gateway) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				g.reportPanic(method, p)
				res, err = nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInternalError,
					Message: method + " failed inside of the browser sidecar; its log says where",
				}
			}
		}()
		ex := exchangeOf(ctx)
		switch r := req.(type) {
		case *sdk.ServerRequest[*sdk.InitializeParams]:
			res, err := next(ctx, method, req)
			if init, ok := res.(*sdk.InitializeResult); ok && err == nil {
				ex.session.agreed(r.Params, init)
			}
			return res, err
		case *sdk.ListToolsRequest:
			ex.answer = envelope(ex.call.id, "result", g.encodeTools(ex.call, ex.session.tools.Tools()))
			return &sdk.ListToolsResult{}, nil
		case *sdk.ServerRequest[*sdk.DiscoverParams]:
			res, err := next(ctx, method, req)
			if found, ok := res.(*sdk.DiscoverResult); ok && err == nil {
				discovered(found)
			}
			return res, err
		case *sdk.CallToolRequest:
			result, ended := g.dispatch(ex.session, ex.call, r.Params.Name, r.Params.Arguments)
			if ex.ended = ended; ended == nil {
				ex.answer = g.toolReply(ex.call, result).body
			}
			return &sdk.CallToolResult{}, nil
		default:
			return next(ctx, method, req)
		}
	}
}

// agreed keeps what initialize settled, for the exchanges that follow.
func (s *session) agreed(params *sdk.InitializeParams, result *sdk.InitializeResult) {
	if params.ProtocolVersion == firstRevision {
		result.ProtocolVersion = firstRevision
	}
	s.state = &sdk.ServerSessionState{
		InitializeParams:          params,
		NegotiatedProtocolVersion: result.ProtocolVersion,
	}
	s.revision = result.ProtocolVersion
	if info := params.ClientInfo; info != nil {
		s.client = ClientInfo{Name: info.Name, Version: info.Version}
	}
}
