package supervisor

import (
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Viewer is a person who watches or drives a browser in its live view.
type Viewer struct {
	ID   string // the host's id of the person; the same on all of their tickets
	Name string // what the other viewers and the waiting agent read
}

// Ticket lets a viewer's page open the live view, once. It marshals as the
// page expects it: {"ticket", "mode", "expires_at", "url"}.
type Ticket struct {
	Ticket    string           `json:"ticket"`
	Mode      proto.TicketMode `json:"mode"`
	ExpiresAt time.Time        `json:"expires_at"`
	URL       string           `json:"url"` // the WebSocket to send it to, as the first message
}

// Ticket signs a ticket for this browser, good for 30 seconds and for one use:
// proto.TicketView to open the live view, proto.TicketControl to take control
// in it. Whether this person may do that is the host's to decide, each time:
// the sidecar believes the ticket.
//
// It fails where the launch had no Live, or when the browser has ended.
func (b *Browser) Ticket(viewer Viewer, mode proto.TicketMode) (Ticket, error) {
	switch {
	case b.launch.Live == nil:
		return Ticket{}, &proto.Error{
			Code:    proto.CodeLiveOff,
			Message: "this browser has no live view",
			Hint:    "Start it with Launch.Live set",
		}
	case isClosed(b.ended):
		return Ticket{}, errStopped()
	}
	claims := proto.NewClaims(b.launch.Live.SessionID, mode, viewer.ID, viewer.Name, time.Now())
	signed, err := proto.SignTicket(b.launch.Token, claims)
	if err != nil {
		return Ticket{}, err
	}
	return Ticket{
		Ticket:    signed,
		Mode:      mode,
		ExpiresAt: time.Unix(claims.ExpiresAt, 0).UTC(),
		URL:       b.liveURL,
	}, nil
}
