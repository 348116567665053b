// Package shelf keeps the recordings of a host's browsers in a recordings store:
// one for each browser, named after its session, seen by its owner alone.
//
//	store, err := recordings.Open(ctx, "recordings.db", recordings.Options{})
//	s := shelf.New(store, "http://127.0.0.1:8080/ingest")
//	host, err := hostapi.New(hostapi.Options{Recordings: s})
//	mux.Handle("/ingest/", http.StripPrefix("/ingest", store.Ingest()))
//	mux.Handle("/recordings/", http.StripPrefix("/recordings", s.Handler(host)))
//
// Where the store has a place for films browsers are filmed too, and all their films
// are there when the recording is completed.
//
// # Invariants
//
//   - An owner sees, replays and exports their own recordings. Others' can't be
//     told from ones that don't exist.
//
// # Why
//
// Why is it a package of its own? The store links a database, and hostapi must
// not: a host may keep recordings elsewhere.
//
// Why is the owner a part of a recording's name? The store's file then needs no
// table of ours beside its own, and what is there tells whose it is. It is the
// digest of the owner, which fits into an address whatever owners are called.
package shelf
