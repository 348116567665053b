// Package takeover decides who drives: the agent, or one person at a time. It
// knows no sockets and no browser; it has a lease, calls that wait for it, a desk
// where agents ask people for something, and a clock.
//
// # Invariants
//
//   - At most one connection holds the lease, and it always says who and since
//     when.
//
//   - While somebody holds it no call that changes a page begins: neither a new
//     one, nor one that was let through a moment before and has sent nothing yet.
//
//   - Whoever takes control drives alone: [Lease.Settle] returns when no call of
//     the agent is at work any more, after a bounded time by interrupting it.
//
//   - Every call that waits gets an answer: control came back, its time is over,
//     its caller is gone, or the browser stops.
//
//   - Changes are told in the order in which they happened, each once, with no
//     lock held: a listener may call the lease.
//
//   - Calls that wait are let go after everybody was told that control is free.
//     Whoever takes it in that moment has it, and the calls go on waiting.
//
//   - One request lies on the desk at a time. It ends once: by a person, by its
//     time, or because whoever asked is gone.
//
// # Why
//
// Why is a call that was preempted before its first input begun again, and not
// continued where it was? A person has changed the page meanwhile. Beginning
// again finds the element anew, or says that it is gone; continuing would click
// on a place.
//
// Why do calls that wait not queue up behind each other? They belong to the
// agents of one browser, and the order of their actions on a tab is the tab's to
// keep.
//
// Why does control survive a dropped connection? A reload of the viewer's page
// is one. The grace is the time for it to come back; a second connection of the
// same person takes the lease over at any time, and the time of its start stays.
//
// Why does a request outlast the call that made it? A person takes minutes, and
// most clients give a call up after one. The agent asks the same again and goes on
// waiting, or finds the answer that came meanwhile.
package takeover
