package takeover

import "time"

// Key tells connections apart; 0 is none.
type Key uint64

// Person is who a ticket says that somebody is. A nil ID is nobody in
// particular: two such are never the same person.
type Person struct {
	ID   *string
	Name *string
}

// Is says whether both are known to be one person.
func (p Person) Is(o Person) bool { return p.ID != nil && o.ID != nil && *p.ID == *o.ID }

// Called is the person's name, or fallback.
func (p Person) Called(fallback string) string {
	if p.Name == nil || *p.Name == "" {
		return fallback
	}
	return *p.Name
}

// Holder is who drives.
type Holder struct {
	Key    Key
	Person Person
	Since  time.Time
}

// Reason says why the holder changed.
type Reason string

// The reasons. Moved is a change of connection, not of person; Taken and Moved
// leave somebody in control, all others nobody.
const (
	Taken        Reason = "taken"
	Moved        Reason = "moved"
	HandedBack   Reason = "handed_back"
	Disconnected Reason = "disconnected" // and did not come back in time
	Revoked      Reason = "revoked"      // by the host
	Expired      Reason = "max_hold"     // held for as long as anybody may
	Idle         Reason = "idle"         // nothing was done for too long
	Closed       Reason = "closed"       // the browser stops
)

// Change is one change of the holder.
type Change struct {
	Reason Reason
	Holder Holder    // the new one; where nobody holds any more, the last one
	Held   bool      // somebody holds now
	At     time.Time // when
}

// Waiting is the calls of agents that wait, as people are told.
type Waiting struct {
	Calls int
	Tool  string    // of the call that has waited longest; "" when none
	Since time.Time // when that one began to wait
}
