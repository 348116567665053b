// Package cdp is the conversation with Chromium: numbered commands, flat
// sessions and events in the order of their arrival, over any transport that
// moves whole protocol messages.
//
// A [Conn] owns three goroutines and waits for them in Close. The reader takes
// messages off the transport and never waits for anybody. The dispatcher
// handles them one by one, over all sessions, in the order in which Chromium
// sent them: an event goes to the handlers that [On] registered, an answer to
// the caller that waits for it. The writer puts commands on the transport.
//
// # Invariants
//
//   - Handlers run on the dispatcher, so they see a consistent order over all
//     sessions, and when a [Session.Call] returns, every event that Chromium
//     sent before its answer has been handled.
//   - A handler must not wait: it may change state, send commands ([Start],
//     [Session.Start]) and hand work to a goroutine, never Call.
//   - A session exists from the moment that its Target.attachedToTarget is
//     dispatched until its Target.detachedFromTarget has been; calls on a
//     session that is gone fail with [ErrDetached], on a connection that is gone
//     with [ErrClosed].
//
// # Why
//
// chromedp routes only the sessions that it attached itself, attaches without
// pausing the target and enables ten domains one after another. Guarding every
// target before its first byte needs auto-attach with waitForDebuggerOnStart
// and one session a target, so this layer takes chromedp's pipe transport and
// the typed commands of cdproto, and nothing else.
//
// One dispatcher for all sessions, because the navigation guard compares what
// the page session said (this frame is a sub-frame) with what the browser
// session asks (may this document load?): with one queue a session that order
// would be lost.
package cdp
