// Package recordings is a host's store of session recordings: it takes what
// sidecars send, keeps it in one file, and lets people look at it.
//
//	store, err := recordings.Open(ctx, "recordings.db", recordings.Options{})
//	mux.Handle("/ingest/", http.StripPrefix("/ingest", store.Ingest()))
//	mux.Handle("/recordings/", http.StripPrefix("/recordings", signedIn(store.Handler())))
//
//	intake, err := store.Begin(ctx, recordings.About{Title: "Ada's shop", App: appURL, Expires: sandboxEnds})
//	browser, err := s.Start(ctx, proto.Launch{AppURL: appURL, Recording: intake.Launch("http://127.0.0.1:8080/ingest")})
//	…
//	browser.Stop(ctx)
//	store.Finish(ctx, intake.ID) // after the browser: a sidecar's last post comes at its end
//
// [Store.Ingest] is for sidecars and asks for the token of their recording.
// [Store.Handler] is for people and asks for nothing: put your own sign-in before
// it. It has a list of recordings, a page that replays one, the events behind it,
// and the same as one file to send to somebody.
//
// # What the ingest answers
//
//	201  {"stored":n,"clock_offset_ms":d}; every time was moved by d, this machine's
//	     clock less the sender's
//	400  what claims to be gzip is not
//	401  the token is wrong, too old, or of a recording that is over
//	405  another method than POST
//	413  code recording_limit: the batch is over the size of one, or the recording is full
//	415  another encoding than gzip and identity
//	422  the batch breaks a rule; none of it was kept
//
// A body is {"sent_at":…,"recording_events":[…]}: sent_at is a time from 1970 to
// the end of 9999, the events are one or more objects of a kind that the recording
// takes, each with a timestamp of the day before sent_at or the minute after, or
// with none, and nothing is nested deeper than 512.
//
// # What is kept
//
// A recording goes 90 days after its end, and the oldest go while all together have
// more than 10 GiB: Options has both, [Store.Prune] says how. With Options.Films
// browsers are filmed too, and their films go with the recording.
//
// # Invariants
//
//   - A batch is kept whole or not at all, and what was answered with 201 is on
//     disk.
//   - Tokens live in memory and end with the recording, with the sandbox, after two
//     hours, and with this process.
//   - A stranger can't tell a recording that there is from one that there is not.
//
// # Why
//
// Why is this not part of package supervisor? It links a database. A host that
// keeps recordings elsewhere, or none, does without.
//
// Why are tokens not kept? A sidecar ends when its host does, so no token is worth
// anything to the next one.
package recordings
