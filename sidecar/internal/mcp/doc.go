// Package mcp is the agents' door: it speaks the Model Context Protocol over
// plain HTTP POSTs, keeps the sessions, and hands tool calls to a [Toolset].
//
// A [Gateway] is the handler of one route. One JSON-RPC message comes in a
// POST, one JSON body goes back; there is no batch and no message that the
// server starts. DELETE ends a session. Who may talk to the route at all is
// decided before, by the listener.
//
// # Three kinds of clients
//
//   - Of the plain dialect, revisions up to 2025-06-18: as above, whatever
//     their headers say.
//   - Of 2025-11-25: the same, and a call that takes long becomes an event
//     stream if its _meta has a progressToken and its Accept names
//     text/event-stream: notifications/progress every two seconds, then the
//     answer. Quick calls are answered in JSON, as the protocol leaves open.
//   - Of 2026-07-28, told by the Mcp-Protocol-Version header or by their _meta:
//     no initialize and no session. server/discover, tools/list and tools/call,
//     each checked for what it says of itself; results carry a resultType and
//     who answers; progress as above. There is nothing to subscribe to.
//
// Closing the connection cancels a call of each of them.
//
// # Invariants
//
//   - Every request is answered, and within the time that a client waits: by
//     the tool, by the end of its deadline, by a cancellation, by the end of its
//     session or by a stop, whichever comes first.
//   - A tool runs only for a call that is still wanted. What ends the answer
//     ends the tool's context: the client's disconnect, its
//     notifications/cancelled, DELETE, the deadline, a stop.
//   - The gate is asked on the tool's own goroutine, and the tool is the next
//     thing that runs there.
//   - Admission to a session, to a request id and to a stop is decided under
//     one lock, so neither a burst of initializes nor a race with a stop gets
//     past a limit.
//   - A stateless request finds no session but its client's own, and no client
//     finds that one by an id.
//   - A session's end closes its toolset after its last tool has returned, and
//     touches nothing else: the browser belongs to the process.
//   - A panic in a tool is an error of that tool and a line in the log.
//   - Nothing that a client sent is logged.
//
// # Answers of our own
//
// Where the plain dialect leaves a request hanging, or has no answer at all:
//
//   - Cancelled by notifications/cancelled: error -32800, "The request was
//     cancelled", at once. The protocol wants no answer to a cancelled request;
//     a POST must have one, and a client that cancelled ignores it.
//   - Out of time (55 s, under the 60 s after which clients give up): the
//     tool has a moment to say what it was waiting for and what it got done;
//     otherwise a tool error says that it is still unfinished.
//   - Stopping: a call that has not begun is told that nothing was done; a
//     running one may finish for a moment, then its answer says that it was
//     interrupted.
//   - An id that is neither text, number nor null: as a body that is no
//     JSON-RPC message.
//   - Arguments with half of a surrogate pair, a NUL, or nested beyond reason:
//     a tool error, since no page could be given such text.
//
// # Why
//
// Why a connection of the SDK for each message, and not one for each session?
// The SDK's server lives on a [sdk.Transport], which anyone may implement. An
// [exchange] is a transport that carries one request in and one response out,
// over a session state that the SDK lets us keep. So a session that waits costs
// half a kilobyte and no goroutine (a server and a client on the SDK's own
// in-memory transport cost 38 KB and four goroutines, and encode every message
// twice over), ids can be any JSON text since the SDK never sees them, and a
// message that the server sends during a call can only belong to that call. A
// call costs some 35 µs, the SDK's half of it included.
//
// Why not the SDK's HTTP handler for the newer revisions? It would be a second
// way to the tools: with sessions, limits, stop and answers of its own, and no
// progress from a call that waits for a person. What the revisions ask of a
// server without prompts, resources and subscriptions is a page of code here.
//
// Why a toolset for clients that know of no session? An agent looks at a tab,
// and its next call is about that tab. Requests of the same client name and
// version share one; two agents that must not share a tab and are the same
// program open a session each, or browse by browser_tabs' index.
//
// Why is progress the time that has passed? Nobody knows how much of a page's
// work is left. It keeps clients that give up on silence waiting, and its words
// say when a person is the reason.
//
// Why does a tool's result not travel through the SDK? It would encode the
// result three times: 10 ms for a screenshot of a megabyte, instead of 1 ms, and
// with <, > and & escaped. Its list of tools is in the order of names and
// carries cache fields that the plain dialect does not know. So for those two
// methods the SDK carries the message and we write the answer.
//
// Why more sessions than the limit? Clients of the plain dialect never close
// their session and never open a second one after a 404, so an eviction ends
// somebody's run. Eight sessions may be busy at a time; idle ones are cheap and
// are kept until there are many of them, the long-idle ones going first.
//
// Why is an invalid argument -32603 and not -32602? It is what clients of the
// plain dialect have always been sent.
//
// Why are there no tools of a page, and no way to run code in this process? A
// toolset is fixed when its session opens, and names of code-running tools are
// refused here before anything else is looked at, whatever a toolset offers.
package mcp
