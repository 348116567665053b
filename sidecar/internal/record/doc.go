// Package record is the recording of a session: what pages showed, what happened
// around them and what the agent did, and never what anybody typed.
//
// A [Recorder] is made before the browser, so that its first page is recorded from
// the start. It puts a script into every document ([Recorder.Attach]), which tells
// what the document looks like and how it changes; listens to the session's events
// for the rest; and sends everything to the host's ingest, or to a file.
//
//	page ── js/ ──▶ binding ──▶ target ──▶ inbox ──▶ wall ──▶ deliver ──▶ ingest
//	        first wall          dispatcher   │ worker  second wall
//	session's events, tool calls ────────────┘
//
// # What is sent
//
//	rrweb    the library's events: {type, data, timestamp, tab}
//	console  errors, warnings, uncaught errors: {level, text, tab, message}
//	marker   {label, …}: page_opened, navigated, page_closed, takeover_started and
//	         takeover_ended with who and how it ended, refused with what and by which
//	         rule, crashed, stopping with its reason; recording_gap with how many
//	         events are missing, recording_failed for a page that can't be recorded;
//	         filmed with the file of a tab's film and when it ends
//	action   where asked for: {tool, target, url, key, what, to, duration_ms, outcome,
//	         tab}, which is the one on screen when it was done
//
// A marker's and an action's keys are there where they mean something.
//
// # Invariants
//
//   - Recording never harms the session: nobody waits for the recorder, what it
//     holds is bounded, what fails in a page is not heard of there, and a fault of
//     our own costs one event.
//   - In a page there is no global, no binding and no message of ours by the time
//     that the page's first script runs.
//   - One snapshot tells each document, and one more for each loss. Frames of other
//     sites have recorders of their own, and their trees stand in their parents'.
//   - Whatever a page does, it can spoil its own recording and no other.
//   - What pages say while a person drives is masked, and so is the console.
//
// # Why
//
// Why in the page's own world? The library sees rules that scripts add to style
// sheets, sheets that they make and values that they set by patching the objects
// they call. In a world of our own it would see none of that. It is where we go
// when a page breaks what the library leans on: the recording goes on, with less.
//
// Why does the recorder hand itself over on the console? It is the one way on which
// a page's world gives the sidecar an object and no page notices. Whoever holds the
// object can ask for the last events, a snapshot, the elements of frames.
//
// Why at DOM ready and not at load? Pages that never finish loading are the ones
// that one wants to see.
//
// Why beforeunload? Of a page that goes to another process, pagehide is too late:
// what is sent then does not arrive any more.
//
// Why are typed texts, the agent's and the person's, looked for everywhere, in
// addresses too? A page that says "Hello Ada" says what was typed. What is known to
// be typed can be found; the rest is the page's own words.
package record
