// Package tools is what an agent can do: the MCP tools, one file a family, over
// the browser's model, the page's snapshot and the actions.
//
// A [Kit] belongs to the browser; a [Set] to one MCP session, which has its own
// current tab and its own memory of what it was last told and shown.
//
// # Invariants
//
//   - tools.json is the contract: names, groups, order, arguments, enums and
//     defaults. A call is checked against it before a tool sees it.
//   - Every answer is composed in one place, section by section in one order:
//     Error, Result, Open tabs, Page, Modal state, Snapshot, Events.
//   - Text of a page stands on one line of ours, in JSON, quoted in a snapshot, or
//     is indented where it could be taken for a heading, a fence or a fact of
//     ours, whatever a reader takes for the end of a line.
//   - A call that led a tab off the app gives that refusal and nothing else.
//   - A tool never waits longer than its context, and returns as soon as a dialog
//     or a file chooser opens, the page crashes, or it has not responded for some
//     seconds.
//   - One acting call works on a tab at a time; reading calls overtake.
//   - Files that an agent names lie in the session's directories (package files).
//
// # What is shown of the page
//
// "full" is the whole snapshot, cut at branches to a number of characters.
// "changes" is what differs from the snapshot that this agent saw last of this
// tab, whichever call showed it: lines that are new, changed or moved under their
// path from the root, and a line for what is gone; all of it where that is
// shorter. "none" leaves the snapshot out. The launch says which one a session
// gets, an argument of a call says otherwise, and browser_snapshot is not
// affected.
//
// # Why
//
// Snapshots are inlined and never written to files: a path in a result is a path
// that page text could imitate, and agents elsewhere can't open it. Pictures,
// documents, downloads and console logs are files, named by links that are
// fetched from the artifacts route.
//
// The list of tools costs each agent its tokens once, so descriptions say only
// what names don't, and all groups together stay under 16 KiB.
//
// A page's pulse is felt only during calls that take seconds. Most calls end
// before the first beat and pay nothing for it.
package tools
