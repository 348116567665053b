package hostapi_test

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"

	"github.com/pillion-browser/pillion/supervisor/dashboard"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// signedIn knows people as the rest of the program does.
type signedIn struct{}

func (signedIn) Authenticate(r *http.Request) (hostapi.Identity, error) {
	user, _, ok := r.BasicAuth() // your sessions, your API keys
	if !ok {
		return hostapi.Identity{}, errors.New("sign in first")
	}
	return hostapi.Identity{Owner: user, User: user, Name: user}, nil
}

// A program gives each of its sandboxes a browser, with a dashboard on them.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	sandboxes := &hostapi.MemorySandboxes{} // or your own store
	sandboxes.Put(hostapi.Sandbox{ID: "1", Owner: "ada", AppURL: "http://127.0.0.1:3000", Ready: true})

	host, err := hostapi.New(hostapi.Options{Sandboxes: sandboxes, Authenticator: signedIn{}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", host)
	mux.Handle("/live/", host)
	mux.Handle("/mcp/", host)
	mux.Handle("/", dashboard.New(dashboard.Options{Host: host}))
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: mux}
	go server.ListenAndServe()
	log.Print("open http://127.0.0.1:8080 and start a browser")
	log.Print(host.Run(ctx)) // until Ctrl-C; then it stops every browser
	server.Close()
}
