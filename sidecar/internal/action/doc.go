// Package action does to a page what a person would do: click, type, choose,
// drag. An action waits until its element can take it, sends real input, and
// returns when the page has shown what it makes of it.
//
// # Invariants
//
//   - Input is real: it goes through Chromium's input pipeline, hits what lies at
//     the point, and the page sees trusted events. The exceptions are values that
//     have no keys (dates, colours, ranges, the options of a select).
//   - A press that would reach another element than the one that was meant is
//     kept from the page and tried again, or reported with what was in the way.
//     A control that nothing can reach, since a component kit paints another box
//     for it, is pressed there: at its label, or what is drawn around it.
//   - A caller has the tab's lock ([browser.Tab.Lock]): one action at a time per
//     tab. Reading calls need none and overtake.
//   - When the context ends, the work on the page ends at once: waits in the page
//     are told to stop, buttons and keys are let go.
//   - A dialog or file chooser ends an action with [browser.ErrModal], a crash
//     with [browser.ErrCrashed]. Whoever gets ErrModal knows that the page waits
//     for an answer; input that opened the dialog has been sent.
//   - Timeouts say what was waited for and what stood in the way.
//
// # Settling
//
// There is no fixed pause after an action. In this order, and again from the top
// until a round finds nothing to wait for:
//
//  1. A navigation of the main frame: until the new document's DOM is there (10 s
//     at most) and its load event (2 s more: the picture that hangs is no reason
//     to keep the agent waiting).
//  2. Requests that began since the action, of the kinds that change what is
//     shown (documents, style sheets, scripts, fetch, XHR): until they are over,
//     5 s at most in all.
//  3. The answer to what the page said over a WebSocket, 300 ms after the action
//     at most: pages that are rendered by their server work that way.
//  4. Timers that handlers of the action set, due within half a second of it:
//     until they have run, and the timers that they set, three in a chain.
//  5. The DOM: until two animation frames have passed without a change at a node
//     that had not changed since the action, and nothing is being faded out that
//     will be gone within 400 ms, or has begun to grow and has no size yet; half
//     a second at most.
//
// A quiet page costs the two frames (some 30 ms), a page that renders after a
// timer or an answer exactly as long as it takes. What began long after the
// action, asks the same thing again and again, or was being asked already (a
// long poll) is not its effect. [Actor.Fill] does not settle: it is one of
// several fields, as a rule, and shows no page.
//
// # Why
//
// Rule 5 counts a node once: a clock, a ticker or a feed changes the same nodes
// for ever, and a page that is never still must not cost half a second a click.
//
// Rule 4 is the one thing that runs in the page's own world. Nothing outside of
// it knows of timers: setTimeout is wrapped while the action's events are
// handled, for the frames involved, and put back when the action has settled.
// What a page could do to the wrapper costs it at most half a second of our time.
// Without it, either each click waits for timers that may not exist, or the
// agent reads a page from before the answer to its click.
//
// Readiness is awaited by one promise in the page that looks once a frame, not by
// calls that are repeated: a button that becomes enabled is pressed in that
// frame. Being stable takes two looks one frame apart; the first is taken at
// once, so it costs the time to the next frame.
//
// The three events of a click are sent together: Chromium holds the answer to a
// move until the next frame, and waiting for each would triple the time.
package action
