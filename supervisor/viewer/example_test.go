package viewer_test

import (
	"context"
	"errors"
	"log"
	"net/http"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/viewer"
)

// A host shows its browser to those who are signed in, and lets its operators
// drive.
func Example() {
	var s supervisor.Supervisor
	browser, err := s.Start(context.Background(), proto.Launch{
		AppURL: "http://localhost:3000",
		Live:   &proto.Live{SessionID: "sandbox-7", Origins: []string{"https://host.example"}, AskPerson: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	who := func(r *http.Request, mode proto.TicketMode) (supervisor.Viewer, error) {
		user, _, ok := r.BasicAuth() // as the host knows its people
		if !ok || mode == proto.TicketControl && user != "operator" {
			return supervisor.Viewer{}, errors.New("not permitted")
		}
		return supervisor.Viewer{ID: user, Name: user}, nil
	}
	http.Handle("/browser/", http.StripPrefix("/browser", viewer.New(browser, who)))
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}
