// Package page reads a page through our own script: the accessibility snapshot
// that agents see, the refs in it, and the elements behind refs and selectors.
//
// The script is one bundle, the files js/NN_name.js joined in the order of their
// names, evaluated once per document in the isolated world of package browser,
// which brings it to each document that begins ([Script]). [Call] runs one of its
// functions in one round trip and brings the bundle where it is missing: in a
// world that was made for a document that had begun already. A [View] keeps what
// belongs to a tab: which number each frame's refs carry and which document they
// were printed for.
//
// # Invariants
//
//   - An [Element] names one element of one document. It never reaches an
//     element of a later document, whatever has the same number there.
//   - Each line of a snapshot is written by our script; text of the page stands
//     inside of a line, quoted where it could be taken for something else, and
//     can hold no line break. Lines that start with "#" are ours alone.
//   - A value of a password field, or of a field that was one, never leaves the
//     page.
//   - Every walk in the page is a loop or of bounded depth, and takes time in
//     proportion to what it walks over.
//
// # Why
//
// The snapshot is made by a walk in the page and not from the protocol's
// accessibility tree, which for 100,000 nodes is fifty megabytes and half a
// minute. One run per frame, joined here, because frames of other sites live in
// processes of their own.
//
// The rules of what is printed are those of Playwright's snapshots, which agents
// know: roles by html-aam, names by accname 1.2, boxes without a meaning left
// out. testdata/snapshots holds pages with the expected text; where ours is
// deliberately different the test says why.
//
// Ours differs from them on purpose in these points: values of password fields
// are masked; closed shadow roots are read; text that a style sheet generates in
// hidden elements is left out, and what hidden elements own or link to; frames
// are shown whatever stands between the iframe's tags, and the depth limit counts
// through them; a frame that cannot be read says so; fields named like DOM
// properties hide nothing of their form; elements of MathML and SVG that are
// called like HTML's controls are none; documents without a body are read;
// refs outlive a snapshot of a part; U+0085, U+2028 and U+2029 are escaped; an
// editor that paints its text elsewhere (EditContext) has a ref although its own
// box is empty.
//
// Refs live in the page: a table of numbers beside the elements themselves costs
// nothing on our side of the pipe and dies with the document. A document is told
// from the next one by a random word that goes along with each number.
//
// Closed shadow roots are invisible to script, so the protocol is asked for
// them; but only for elements that look as if they had one, since asking costs a
// round trip per element.
package page
