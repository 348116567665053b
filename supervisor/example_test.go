package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// A host starts a browser for a sandbox, hands it to an agent, and stops it.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	s := supervisor.Supervisor{
		Command: os.Args[0], // a stand-in, so that this example runs anywhere;
		Args:    []string{"-fake-sidecar=good"},
	} // leave both out to run the installed sidecar

	browser, err := s.Start(ctx, proto.Launch{
		AppURL: "http://127.0.0.1:3000", // the only app that this browser may open
		Live:   &proto.Live{SessionID: "sandbox-1", Origins: []string{"http://127.0.0.1:8080"}},
	})
	if errors.Is(err, proto.CodeBrowserMissing) {
		log.Fatal("install Chromium first: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
	defer browser.Stop(context.Background()) // not ctx: that may have ended by then

	// For the agent: where to POST, and the token to send along.
	fmt.Println("agent:", browser.MCPURL(), browser.MCPToken())

	// For a person's page: a ticket, good once, for half a minute.
	ticket, err := browser.Ticket(supervisor.Viewer{ID: "7", Name: "Ada"}, proto.TicketView)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("person:", ticket.URL, ticket.Mode)

	if err := browser.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	for event := range browser.Events() { // closed by the end; reading is optional
		fmt.Println("event:", event.Type, event.Reason)
	}
	fmt.Println("minutes to bill:", browser.Usage().Minutes())
	// Output:
	// agent: http://127.0.0.1:4321/mcp [secret]
	// person: ws://127.0.0.1:4321/live view
	// event: stopping command
	// event: stopped command
	// minutes to bill: 1
}
