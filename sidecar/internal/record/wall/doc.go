// Package wall is the second wall of masking: it judges each event that a page's
// recorder sends, masks it, gives its nodes ids that no other document has, and
// makes it fit into the store. The first wall stands in the page, which is not to
// be trusted.
//
// A [Document] goes over the events of one document in their order. It keeps a
// mirror of the document, as small as it can be, since most events name a node by
// its id and leave out what it is.
//
// # Invariants
//
//   - An event leaves with nothing in it that somebody typed or chose: no value of
//     a field but a button's label, no text in an editor or a text area, no query of
//     an address that a click would follow.
//   - What is not known is masked: a text of an unknown node, a value of an unknown
//     tag. What can't be read is not passed on, and costs nothing but itself.
//   - What a page says while a person drives is masked for good, also when it is
//     told again later.
//   - One event costs bounded time and memory, whatever is in it.
//   - No event that leaves is one for which a store would refuse the others.
//
// # What the wall can't see
//
// An editor that a page draws by itself, out of plain elements, echoes what is typed
// as the page's own words, and so does a page that greets by name. Those texts are
// masked where they are known: what the agent's tools type is looked for everywhere,
// see [Secrets]; while a person drives every text is masked.
//
// # Why
//
// Why a mirror, and not the page's word on what a node is? The page's side is the
// one thing that the wall is against; and a field whose type is changed, a node
// that is moved out of an editor, say nothing of that when they change next.
//
// Why are ids changed? A frame of another site has a recorder of its own, which
// counts from 1 as all do. In a replay it stands in its parent's document.
package wall
