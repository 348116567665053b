// Package tools is what an agent can do: the MCP tools, one file a family, over
// the browser's model, the page's snapshot and the actions.
//
// A [Kit] belongs to the browser; a [Set] to one MCP session, which has its own
// current tab and its own memory of what it was last told.
//
// # Invariants
//
//   - tools.json is the contract: names, arguments, enums and defaults. A call is
//     checked against it before a tool sees it.
//   - Every answer is composed in one place, section by section in one order:
//     Error, Result, Open tabs, Page, Modal state, Snapshot, Events.
//   - Text of a page stands on one line of ours, or is indented where it could be
//     taken for a heading, a fence or a fact of ours.
//   - A call that led a tab off the app gives that refusal and nothing else.
//   - A tool never waits longer than its context, and returns as soon as a dialog
//     or a file chooser opens.
//
// # Why
//
// Snapshots are inlined and never written to files: a path in a result is a path
// that page text could imitate.
package tools
