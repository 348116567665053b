package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// exchange carries one message of a client to the SDK's server and its
// response back. To the SDK it is a transport and its connection at once, on
// which nothing else ever happens.
type exchange struct {
	session *session
	call    *call // nil for initialize and for notifications

	// Written by the middleware before the response, read after it.
	answer []byte // the whole answer, where the SDK is not to write it
	ended  error  // the call ended before its tool did, and why

	message  *jsonrpc.Request // until it was read
	response chan *jsonrpc.Response
	finished chan struct{} // nothing more is wanted
	finish   func()        // closes finished, once
	gone     func()        // the SDK has let go, once
}

// open starts an exchange on the session's state. A nil id makes the message a
// notification. The exchange ends when finish is called and what it started
// has returned.
func (g *Gateway) open(s *session, c *call, id any, method string, params json.RawMessage) *exchange {
	ex := &exchange{
		session:  s,
		call:     c,
		message:  &jsonrpc.Request{Method: method, Params: params},
		response: make(chan *jsonrpc.Response, 1),
		finished: make(chan struct{}),
	}
	ex.finish = sync.OnceFunc(func() { close(ex.finished) })
	ex.gone = sync.OnceFunc(g.tasks.Done)
	ex.message.ID, _ = jsonrpc.MakeID(id) // of nil and of a number: always good
	g.tasks.Add(1)
	// The SDK takes values from this context and leaves its end alone: what
	// ends a call is the call's own context.
	ctx := context.WithValue(context.Background(), exchangeKey{}, ex)
	opts := &sdk.ServerSessionOptions{State: s.state}
	if _, err := g.server.Connect(ctx, ex, opts); err != nil {
		panic(err) // Connect fails only where the transport does, and ours can't
	}
	return ex
}

// onlyID is the id of the one request on a connection. The client's own id
// stays with the call: the SDK would make another number of some.
const onlyID = float64(1)

type exchangeKey struct{}

// exchangeOf finds the exchange that a context of the SDK belongs to.
func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)
	return ex
}

// Connect makes the exchange an [sdk.Transport].
func (ex *exchange) Connect(context.Context) (sdk.Connection, error) { return ex, nil }

// SessionID makes it an [sdk.Connection]; so do the next three.
func (ex *exchange) SessionID() string { return ex.session.id }

// Read gives the message, and then the end once nothing more is wanted. The
// SDK reads on one goroutine.
func (ex *exchange) Read(ctx context.Context) (jsonrpc.Message, error) {
	if m := ex.message; m != nil {
		ex.message = nil
		return m, nil
	}
	select {
	case <-ex.finished:
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// Write takes the response. Whatever else the server says is dropped: this
// dialect can't carry it.
func (ex *exchange) Write(_ context.Context, m jsonrpc.Message) error {
	if resp, ok := m.(*jsonrpc.Response); ok {
		ex.response <- resp // one request, one response: there is room
	}
	return nil
}

// Close is called by the SDK when the connection is idle and over.
func (ex *exchange) Close() error {
	ex.finish()
	ex.gone()
	return nil
}

// failure reads a response of the SDK that is an error, in the terms of this
// dialect; nil if it is none.
func failure(resp *jsonrpc.Response) *rpcError {
	if resp.Error == nil {
		return nil
	}
	var e *jsonrpc.Error
	if errors.As(resp.Error, &e) {
		switch e.Code {
		case jsonrpc.CodeMethodNotFound:
			return errUnknownMethod
		case jsonrpc.CodeInternalError:
			return &rpcError{Code: codeInternal, Message: e.Message}
		}
	}
	return invalidParams(resp.Error.Error())
}
