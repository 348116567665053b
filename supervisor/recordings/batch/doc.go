// Package batch reads what sidecars post to an ingest: a number of recorded events
// and the moment at which they were sent.
//
// # Invariants
//
//   - A batch is taken whole or not at all.
//   - Every time is of this machine's clock, by the moment of sending.
//
// # Why
//
// Why a package of its own? These are the bytes of strangers, so it is fuzzed, and a
// fuzzer would have to take the store's database along.
package batch
