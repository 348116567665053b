package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// denied says whether a tool is refused whatever the toolset offers: it would
// run an agent's code in this process. No spelling of it is let through.
func denied(tool string) bool {
	return strings.EqualFold(strings.TrimSpace(tool), "browser_run_code_unsafe")
}

// callTool answers tools/call: what can be refused without the browser is
// refused here, the rest goes through the server to [Gateway.dispatch].
//
// out is nil unless the client takes an event stream.
func (g *Gateway) callTool(s *session, c *call, params json.RawMessage, out *stream) reply {
	fields := object(params)
	c.out = out.of(fields["_meta"])
	var tool string
	if !readString(fields["name"], &tool) {
		return c.refuse(invalidParams("name must be the name of a tool"))
	}
	if denied(tool) {
		return g.toolReply(c, toolError(tool+" is not available in this browser."))
	}
	args, bad := g.arguments(tool, fields["arguments"])
	if bad != nil {
		if bad.rpc != nil {
			return c.refuse(bad.rpc)
		}
		return g.toolReply(c, toolError(bad.text))
	}
	if c.stateless && !offers(s.tools, tool) {
		// Clients of the plain dialect are told in a tool's result.
		return c.refuse(invalidParams(fmt.Sprintf("tool %q not found", tool)))
	}
	var stop context.CancelFunc
	c.ctx, stop = context.WithTimeoutCause(c.ctx, g.limits.Call, errDeadline)
	defer stop()
	fields["arguments"] = args
	return g.await(s, c, tool, methodCallTool, encode(fields))
}

// dispatch runs a tool: the last checks, the gate, the call, its record. It is
// the only way to a tool, for every dialect. ended is why the call's context
// ended before the tool did; the result is then not to be shown.
func (g *Gateway) dispatch(s *session, c *call, tool string, args json.RawMessage) (result *sdk.CallToolResult, ended error) {
	ctx, leave, err := g.admit(c, tool, args)
	if cause := context.Cause(c.ctx); cause != nil && !errors.Is(cause, errDeadline) {
		if err == nil {
			leave()
		}
		return nil, cause
	}
	if err != nil {
		return g.notAdmitted(err, tool), nil
	}
	if err := g.table.run(s, c); err != nil {
		leave()
		return nil, err
	}
	defer s.work.Done()
	if !offers(s.tools, tool) {
		leave()
		return toolError(fmt.Sprintf("Tool %q not found", tool)), nil
	}
	record := CallRecord{Session: s.id, Client: s.client, Tool: tool, Args: args, Start: g.opts.Now()}
	g.announce(tool, args)
	begin := time.Now()
	var panicked bool
	for {
		result, panicked = g.runTool(s.tools, ctx, tool, args)
		again, held := leave()
		if held != nil && result.IsError {
			result = gateRefusal(held)
		}
		if !again || !result.IsError || panicked || context.Cause(c.ctx) != nil {
			break
		}
		if ctx, leave, err = g.admit(c, tool, args); err != nil {
			result = g.notAdmitted(err, tool)
			break
		}
	}
	record.Duration = time.Since(begin)
	cause := context.Cause(c.ctx)
	record.Outcome = outcomeOf(result, panicked, cause)
	g.tell(record)
	if cause != nil && !errors.Is(cause, errDeadline) {
		return nil, cause
	}
	return result, nil
}

// admit asks the gate, if there is one.
func (g *Gateway) admit(c *call, tool string, args json.RawMessage) (context.Context, func() (bool, error), error) {
	if g.opts.Gate == nil {
		return c.ctx, func() (bool, error) { return false, nil }, nil
	}
	c.held.Store(true)
	defer c.held.Store(false)
	return g.opts.Gate.Admit(c.ctx, tool, args)
}

// announce tells that a tool is about to run.
func (g *Gateway) announce(tool string, args json.RawMessage) {
	if g.opts.BeforeCall != nil {
		defer g.logPanic("announce call")
		g.opts.BeforeCall(tool, args)
	}
}

// tell hands a record on.
func (g *Gateway) tell(record CallRecord) {
	if g.opts.OnCall != nil {
		defer g.logPanic("record call")
		g.opts.OnCall(record)
	}
}

// notAdmitted is the answer to a call that the gate did not let through. A gate
// that merely reports the end of the call's time is put into words.
func (g *Gateway) notAdmitted(err error, tool string) *sdk.CallToolResult {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errDeadline) {
		return toolError(fmt.Sprintf(
			"%s could not begin within %v, since a person is driving this browser by hand. Nothing was done.",
			tool, g.limits.Call))
	}
	return gateRefusal(err)
}

func offers(t Toolset, tool string) bool {
	for _, offered := range t.Tools() {
		if offered.Name == tool {
			return true
		}
	}
	return false
}

// runTool calls the tool and turns a panic, or no result, into an error of it.
func (g *Gateway) runTool(t Toolset, ctx context.Context, tool string, args json.RawMessage) (result *sdk.CallToolResult, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			g.reportPanic("call "+tool, p)
			result, panicked = toolError(tool+" failed inside of the browser sidecar; its log says where."), true
		}
	}()
	result = t.Call(ctx, tool, args)
	if result == nil {
		result = toolError(tool + " gave no result.")
	}
	if g.opts.Ended != nil && result.IsError {
		if why := g.opts.Ended(); why != nil {
			return toolError(why.Error()), false
		}
	}
	return result, false
}

// CallRecord is one tool call that ran, for whoever keeps account. Calls that
// were refused before the tool are not among them.
type CallRecord struct {
	Session  string // id of the session
	Client   ClientInfo
	Tool     string
	Args     json.RawMessage // as the tool got them: typed text is not masked
	Start    time.Time
	Duration time.Duration
	Outcome  Outcome
}

// Outcome says how a tool call ended.
type Outcome string

// The outcomes. The last three are of calls whose answer was no longer wanted,
// or came too late; the tool may have done its work or a part of it.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error" // the tool said so in its result
	OutcomePanic     Outcome = "panic"
	OutcomeTimedOut  Outcome = "timed_out"
	OutcomeCancelled Outcome = "cancelled" // by the client, or the client is gone
	OutcomeStopped   Outcome = "stopped"   // the session closed or the browser stops
)

func outcomeOf(result *sdk.CallToolResult, panicked bool, cause error) Outcome {
	switch {
	case panicked:
		return OutcomePanic
	case errors.Is(cause, errDeadline), errors.Is(cause, errTimedOut):
		return OutcomeTimedOut
	case errors.Is(cause, errSessionClosed), errors.Is(cause, errInterrupted), errors.Is(cause, errStopping):
		return OutcomeStopped
	case cause != nil:
		return OutcomeCancelled
	case result.IsError:
		return OutcomeError
	default:
		return OutcomeOK
	}
}
