// Package lines is how recorded events are written: one JSON object a line, and many
// lines compressed together as a chunk.
//
// # Invariants
//
//   - What was packed comes out as it was, in order.
//   - Whatever a chunk is, unpacking it ends, with events or with an error, and holds
//     one event in memory at a time.
//
// # Why
//
// Why a package of its own? Chunks come from files of others, so this is fuzzed, and
// a fuzzer would have to take the whole database along.
package lines
