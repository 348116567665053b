// Package film films tabs: what a person would have seen, as video files, encoded
// by Chromium itself.
//
// A [Film] hears of tabs by [Film.Attach] and the session's events and gives each a
// camera. A camera films in parts, each of which is an MP4 with AV1 and knows its
// tab and the wall clock at its begin. A part ends after [Options.Part], before its
// tab is closed, when a person takes the controls and with the session. Of a page
// that closes itself or crashes the last part is lost.
//
// # Invariants
//
//   - Filming never harms the session: nobody waits for a camera, a fault costs a
//     part and is logged once, and what a camera holds in memory and what a session
//     keeps is bounded.
//   - Nothing is filmed from the moment that a person drives until they let go,
//     unless that is asked for.
//   - Each camera belongs to the Film and has ended when Stop returns.
//
// # Why
//
// Why a session with the page of its own? Chromium's recorder and its screencast
// exclude each other in one session, and the live view has the page's.
//
// Why parts? A host can fetch a part as soon as it is kept, while the session goes
// on; and what goes wrong, such as a page that crashes, costs one part.
//
// Why is a part not read while it grows? Until it ends there is no more than a
// file's head. Chromium throws it away with its tab, so who closes a tab waits for
// the camera ([Film.Finish]).
package film
