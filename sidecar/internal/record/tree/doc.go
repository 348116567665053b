// Package tree is JSON as a tree that can be changed and written again: what a page
// sent, in the order in which it sent it, whatever it may be.
//
// # Invariants
//
//   - [Parse] takes exactly what the grammar of JSON takes, within bounds of depth
//     and memory, and never panics.
//   - Of equal keys the last one wins, so that nobody reads another value than the
//     one that was judged.
//   - No text contains NUL, half of a surrogate pair or broken UTF-8: stores refuse
//     those, and with them everything that comes along.
//
// # Why
//
// encoding/json would sort the keys, needs three times the memory for a document of
// a hundred thousand nodes, and can't say where a deep one ends.
package tree
