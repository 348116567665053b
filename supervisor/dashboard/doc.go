// Package dashboard is a page on a host's sandboxes and their browsers: start
// and stop, watch and take over, look at recordings, minutes used, and what
// this machine lacks.
//
//	mux.Handle("/", dashboard.New(dashboard.Options{Host: host}))
//
// It stands on a [hostapi.Host], whose routes it expects at the same address,
// and asks that host's authenticator who is there. What it shows comes from
// one JSON document, /dashboard/state.json, which the page fetches while
// somebody looks.
//
// # Invariants
//
//   - The page loads its own files and nothing else, and may be framed by
//     nobody. The files are embedded; there is nothing to build.
//   - What comes from sandboxes, agents and browsers is put into the page as
//     text, never as markup.
//   - The page changes nothing by itself: what it does, it does by the host's
//     API, as the person who looks.
//
// # Why
//
// Why is it no part of hostapi? A host that has pages of its own needs the API
// and not ours.
//
// Why does the page ask again and again, and has no socket? A second is soon
// enough for a list, and a request survives a restart of the host.
package dashboard
