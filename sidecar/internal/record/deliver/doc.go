// Package deliver takes a recording's events to the ingest: in batches, in order,
// one post at a time, and with an account of what did not arrive.
//
// The contract is the original's: batches by number and bytes or after a second,
// gzip, a bearer token, and a table of answers ([judge]). Where it leaves room, this
// is what happens: a post that hangs is given up, an answer that redirects is not
// followed, a batch that is refused is split down to the event for which it was,
// and one that the ingest can't have now is kept, on disk too where that is wished.
//
// # Invariants
//
//   - Add never waits for the ingest.
//   - Memory is bounded: by the batches that wait, and by their bytes.
//   - Every event is sent or lost, and counted as one of them with the reason.
//   - When not everything can be kept, changes go before snapshots and facts.
//   - The token goes to the one address and into no log.
//   - Close returns within its time, whatever the ingest does.
//
// # Why
//
// Why does the account trust a success whose body never ends? The status is the
// promise; the body says nothing that we act on.
//
// Why is one event that is refused for its size no end of the recording, unless it
// is small? The same answer and code stand for a batch that is too large and for a
// recording that is full. An ingest that refuses a small event for its size is full.
//
// Why is the moment of sending written anew at each attempt? A store moves all times
// by the difference to its own clock. A batch that waited would be moved by its wait.
package deliver
