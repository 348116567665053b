// Package livepage is the web page of the live view: what a person watches a
// browser by, and drives it. It speaks the messages of package proto, for hosts
// (package supervisor/viewer) and for the sidecar's own debugging page.
//
// # Invariants
//
//   - The page is one document that loads nothing from anywhere; its policy allows
//     its own script and style by their digests, and connections to where it came
//     from.
//   - It holds no secret. A host signs its tickets; for debugging it signs them
//     itself, with the token that its reader puts behind its address.
//   - What a browser or an agent says is shown as text, never as markup.
//   - Nothing that comes or goes moves what is beside it.
//
// # Why
//
// Why is it here, beside the messages? Both sides of the border serve it, and they
// may know each other by this package's parent alone. A change of a message and of
// the page that reads it belong together.
//
// Why one file a purpose, joined without a build step? The files share one scope,
// in the order of their numbers, and a reader finds the one he looks for.
package livepage
