package recordings_test

import (
	"context"
	"log"
	"net/http"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/recordings"
)

// A host that records the browser of one sandbox, and shows recordings to whoever
// its own sign-in lets through.
func Example() {
	ctx := context.Background()
	store, err := recordings.Open(ctx, "recordings.db", recordings.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	signedIn := func(h http.Handler) http.Handler { return h } // yours
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", store.Ingest()))
	mux.Handle("/recordings/", http.StripPrefix("/recordings", signedIn(store.Handler())))
	go http.ListenAndServe("127.0.0.1:8080", mux)

	intake, err := store.Begin(ctx, recordings.About{Title: "Ada's shop", App: "http://127.0.0.1:3000", Actions: true})
	if err != nil {
		log.Fatal(err)
	}
	var s supervisor.Supervisor
	browser, err := s.Start(ctx, proto.Launch{AppURL: "http://127.0.0.1:3000", Recording: intake.Launch("http://127.0.0.1:8080/ingest")})
	if err != nil {
		log.Fatal(err)
	}
	if err := browser.Wait(ctx); err != nil {
		log.Print(err)
	}
	// After the browser: its sidecar's last post comes at the end.
	if err := store.Finish(ctx, intake.ID); err != nil {
		log.Fatal(err)
	}
}
