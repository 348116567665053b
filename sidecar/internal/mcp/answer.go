package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// The methods that are told apart. Only the three requests after initialize, and
// server/discover in its place, are served: the SDK knows more, and would offer
// empty lists of them.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodPing       = "ping"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
	methodCancelled  = "notifications/cancelled"
)

// answer takes a body to its answer. ctx ends when the client goes away; out is
// nil where it takes no event stream.
func (g *Gateway) answer(ctx context.Context, h http.Header, body []byte, out *stream) reply {
	m, bad := parseMessage(body)
	if bad != nil {
		return bad.reply(http.StatusBadRequest, nil)
	}
	if m.stateless = isStateless(h, m); m.stateless {
		if !g.table.enter() {
			return g.whileStopping(m)
		}
		defer g.table.leave()
		return g.answerStateless(ctx, h, m, out)
	}
	if m.hasMethod && m.method == methodInitialize && m.id == nil {
		return errInitializeNoID.reply(http.StatusBadRequest, nil)
	}
	if !g.table.enter() {
		return g.whileStopping(m)
	}
	defer g.table.leave()
	if m.hasMethod && m.method == methodInitialize {
		return g.initialize(ctx, m)
	}
	sessionID := h.Get(sessionHeader)
	if sessionID == "" {
		return errSessionMissing.reply(http.StatusBadRequest, m.id)
	}
	s := g.table.find(sessionID)
	switch {
	case s == nil:
		return errSessionUnknown.reply(http.StatusNotFound, m.id)
	case m.request():
		return g.request(ctx, s, m, out)
	case m.hasMethod && m.id == nil:
		g.notify(s, m)
	}
	return reply{status: http.StatusAccepted}
}

// whileStopping answers what comes in after a stop has begun.
func (g *Gateway) whileStopping(m message) reply {
	switch {
	case !m.request():
		return reply{status: http.StatusAccepted}
	case m.method == methodInitialize:
		return errInitializeStopped.reply(http.StatusServiceUnavailable, m.id)
	case m.method == methodCallTool:
		return g.toolReply(&call{id: m.id, stateless: m.stateless}, toolError(textStopping))
	default:
		return errRequestClosed.reply(http.StatusOK, m.id)
	}
}

// initialize opens a session.
func (g *Gateway) initialize(ctx context.Context, m message) reply {
	s, evicted, ok := g.table.reserve()
	for _, old := range evicted {
		g.retire(old)
	}
	if !ok {
		return errTooManySessions.reply(http.StatusServiceUnavailable, m.id)
	}
	opened := false
	defer func() {
		if !opened { // refused below, or a panic on its way up
			g.table.drop(s)
		}
	}()
	ex := g.open(s, nil, onlyID, methodInitialize, withoutCapabilities(m.params))
	defer ex.finish()
	select {
	case resp := <-ex.response:
		if failed := failure(resp); failed != nil {
			return failed.reply(http.StatusOK, m.id)
		}
		s.tools = g.opts.NewToolset(s.client)
		if opened = g.table.ready(s); !opened {
			s.tools.Close()
			return errInitializeStopped.reply(http.StatusServiceUnavailable, m.id)
		}
		r := resultReply(m.id, resp.Result)
		r.session = s.id
		return r
	case <-ctx.Done():
		return errRequestCancelled.reply(http.StatusOK, m.id)
	}
}

// notify hands on a message that wants no answer.
func (g *Gateway) notify(s *session, m message) {
	if m.method == methodCancelled {
		if key, ok := cancelledKey(m.params); ok {
			g.table.cancel(s, key, errCancelled)
		}
		return
	}
	ex := g.open(s, nil, nil, m.method, m.params)
	ex.finish()
}

// cancelledKey is the key of the id that a notifications/cancelled names.
func cancelledKey(params json.RawMessage) (string, bool) {
	id := object(params)["requestId"]
	if id == nil {
		return "", false
	}
	return idKey(id)
}

// request answers a request of an open session.
func (g *Gateway) request(ctx context.Context, s *session, m message, out *stream) reply {
	c, err := g.table.begin(ctx, s, m, m.method != methodCallTool)
	switch {
	case errors.Is(err, errInFlight):
		return errRequestInFlight.reply(http.StatusOK, m.id)
	case errors.Is(err, errStopping):
		return g.whileStopping(m)
	case err != nil:
		return errRequestClosed.reply(http.StatusOK, m.id)
	}
	defer g.table.end(s, c)
	switch m.method {
	case methodCallTool:
		if s.revision < firstStreamed {
			out = nil
		}
		return g.callTool(s, c, m.params, out)
	case methodPing, methodListTools:
		return g.await(s, c, "", m.method, m.params)
	default:
		return errUnknownMethod.reply(http.StatusOK, m.id)
	}
}

// await hands a request to the SDK's server and waits for its answer, or for
// what makes the answer unwanted.
func (g *Gateway) await(s *session, c *call, tool, method string, params json.RawMessage) reply {
	g.table.use(s)
	defer g.table.use(s)
	ex := g.open(s, c, onlyID, method, params)
	defer ex.finish()
	limit := time.NewTimer(g.limits.Request)
	defer limit.Stop()
	ticks, stop := c.out.every(g.limits.Progress)
	defer stop()
	for done := c.ctx.Done(); ; {
		select {
		case resp := <-ex.response:
			if ex.ended != nil {
				return g.endedReply(c, tool, ex.ended)
			}
			if failed := failure(resp); failed != nil {
				return c.refuse(failed)
			}
			if ex.answer != nil {
				return reply{status: http.StatusOK, body: ex.answer}
			}
			return resultReply(c.id, resp.Result)
		case <-done:
			cause := context.Cause(c.ctx)
			if !errors.Is(cause, errDeadline) || g.limits.CallGrace < 0 {
				return g.endedReply(c, tool, cause)
			}
			done = nil // the tool may still say what it waited for
			limit.Reset(g.limits.CallGrace)
		case <-ticks:
			c.out.progress(tool, c.held.Load())
		case <-limit.C:
			if done == nil {
				return g.endedReply(c, tool, errDeadline)
			}
			c.cancel(errTimedOut)
			return g.endedReply(c, tool, errTimedOut)
		}
	}
}

// logPanic is deferred where a panic of code that is not ours must not end the
// process. The stack has no arguments' text in it; what was panicked with may
// have, and is cut.
func (g *Gateway) logPanic(doing string) {
	if p := recover(); p != nil {
		g.reportPanic(doing, p)
	}
}

// maxPanicText bounds what a log line says of the value of a panic.
const maxPanicText = 200

func (g *Gateway) reportPanic(doing string, p any) {
	text, _, _ := strings.Cut(fmt.Sprint(p), "\n")
	if len(text) > maxPanicText {
		text = strings.ToValidUTF8(text[:maxPanicText], "")
	}
	g.log.Error("panic", "doing", doing, "value", text, "stack", string(debug.Stack()))
}
