// Package archive is the file that recordings are kept in. A host's store, the
// sidecar that records without a host, and whoever looks at a recording later all
// read and write this one format.
//
// An archive is an SQLite database with two tables: one row for each recording, and
// its events in chunks, each of which is one batch as it arrived, compressed.
//
//	recordings   id, title, app, when and how it began and ended, limits, totals
//	chunks       recording, seq, batch, events, bytes, data (gzip of JSON lines)
//
// An event is a line {"kind":…,"timestamp":epoch milliseconds,"data":{…}}; package
// record of the sidecar says what the kinds hold.
//
// # Invariants
//
//   - A batch is kept whole or not at all, and one that was kept survives the end of
//     the process and of the machine.
//   - Events come back in the order in which they were kept.
//   - No recording grows over its limits.
//   - A batch that comes twice under the same name is kept once.
//   - No token is in the file.
//
// # Why
//
// Why SQLite and not a file format of our own? It is the one that survives a crash
// at any byte, lets a second process read what a first one writes, and can be
// opened in ten years without us. A program that does not import this package does
// not link it.
//
// Why here, and not with the host's library? The file crosses from the sidecar to
// whoever reads it, as the messages of package proto do, and the two sides know
// each other through these packages alone. Package proto itself needs no more than
// the standard library; this one needs a database.
//
// Why is a chunk a batch? A batch is what is promised to be kept when it is
// answered, so it must be on disk by then. Some thousand events a chunk compress
// nearly as well as all of them together.
//
// Why are compressed lines and not columns kept for events? Nothing asks for one
// event out of a hundred thousand; a replay needs all of them, in order.
package archive
