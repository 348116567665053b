// Package replay shows recordings to people: a list, a page that replays one with
// a timeline of what happened, and the same as one file that needs no server.
//
//	http.Handle("/recordings/", http.StripPrefix("/recordings", replay.Handler(archive, log)))
//
// The page is plain HTML with scripts of its own and the player of the library by
// which pages are recorded. It reads the recording's events as they are in the
// archive and makes of them, in web/js:
//
//	harmless  takes out what would contact somebody
//	model     tabs, each with the events that tell its pages, and the timeline's items
//	stage     a player for each tab, at the moment that the clock says
//	clock     plays, pauses, jumps, skips what is idle
//	list      actions, navigations, errors, takeovers and refusals, filtered and searched
//
// A moment can be named in the page's address: #t=MILLISECONDS from the beginning,
// with &tab=N and &zoom=1 for the page in its own size.
//
// # Invariants
//
//   - A recording is what strangers' pages said, and it runs no script: the player
//     builds it in a frame whose sandbox allows none, and the policy of the page
//     allows only its own files, or, in an export, two scripts by their digests.
//   - Whoever looks at a recording contacts nobody: pictures, styles and fonts that
//     are not in it are not fetched, names are not looked up, and no connection is
//     opened ahead of time.
//   - What a recording says stands in the page as text and never as markup.
//   - One broken event costs itself, and one broken tab no other.
//
// # Why
//
// Why are inline styles allowed? The frame inherits the page's policy, and the
// recorded pages have styles. A style runs nothing and, since the policy lets
// nothing be fetched, tells nobody anything.
//
// Why is something taken out, when the policy forbids all? A browser follows hints
// such as preconnect, and prepares for where a frame will go, without asking a policy.
//
// Why a clock of our own, when the player has one? A session has several tabs and
// the player knows one. The clock is the session's; players are told where they are.
//
// Why are times put in order? Every batch was moved to the host's clock by itself,
// so the seam of two batches can go back by the network's jitter. The order in which
// events were kept is the true one, and a player needs both.
//
// Why are the events compressed in an export? They shrink to a tenth, and browsers
// have what undoes it.
package replay
