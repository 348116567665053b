package shelf_test

import (
	"context"
	"log"
	"net/http"

	"github.com/pillion-browser/pillion/supervisor/hostapi"
	"github.com/pillion-browser/pillion/supervisor/recordings"
	"github.com/pillion-browser/pillion/supervisor/shelf"
)

// signedIn knows one person; see package hostapi for a whole program.
type signedIn struct{}

func (signedIn) Authenticate(*http.Request) (hostapi.Identity, error) {
	return hostapi.Identity{Owner: "ada", User: "ada"}, nil
}

// A host keeps what its browsers record and shows it to their owners.
func Example() {
	ctx := context.Background()
	sandboxes := &hostapi.MemorySandboxes{}
	mux := http.NewServeMux()

	store, err := recordings.Open(ctx, "recordings.db", recordings.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	kept := shelf.New(store, "http://127.0.0.1:8080/ingest") // where sidecars reach this host
	host, err := hostapi.New(hostapi.Options{Recordings: kept, Sandboxes: sandboxes, Authenticator: signedIn{}})
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("/ingest/", http.StripPrefix("/ingest", store.Ingest())) // sidecars have a token for it
	mux.Handle("/recordings/", http.StripPrefix("/recordings", kept.Handler(host)))
	mux.Handle("/api/", host)
	log.Print(http.ListenAndServe("127.0.0.1:8080", mux))
}
