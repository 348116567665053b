// Package browser is the model of one running Chromium: its tabs and frames,
// what they load, log and ask, and the guard that keeps them on the app. It
// does not know how Chromium was started or where it runs: it gets a
// conversation ([cdp.Conn]) and keeps its model in step with the events.
//
// # Invariants
//
//   - Every target is attached while it is paused, hooked, and only then let go.
//     A target of an unknown kind is let go at once, never left hanging.
//   - The model changes on the conversation's dispatcher only, under one lock, in
//     the order of Chromium's events. Nothing here waits while it holds the lock.
//   - A document request of a main frame goes on only when its URL is the app's.
//     The rule holds at each redirect hop, before the hop is sent, on the page's
//     session and again on the browser's. A frame that nobody has vouched for
//     counts as a main frame: the guard fails closed.
//   - A window without a document of its own is a page of whoever opened it: another
//     site's is closed as if that site's page had landed.
//   - Each pause is answered exactly once, on the session that reported it.
//
// # Why
//
// Two sessions guard each document because neither sees all: the page's session
// knows which frame is a sub-frame, but requests that open a new tab (a
// ctrl-click, a middle click) are sent before that tab is attached and are seen
// by the browser's session alone.
//
// A refused hop is aborted rather than answered with an error page, so that the
// tab stays on the app's page and the agent can go on working.
package browser
