package deliver

import (
	"maps"
	"sync"
)

// Reason says why an event is lost.
type Reason string

// Why events are lost.
const (
	LostTooLarge   Reason = "too_large"     // one event that no batch can hold
	LostInPage     Reason = "in_page"       // too large, or not to be told, already there
	LostInHaste    Reason = "overload"      // pages sent more than could be looked at
	LostByFlood    Reason = "console_flood" // one tab wrote too much on its console
	LostInQueue    Reason = "queue_full"    // the ingest was too slow or away for too long
	LostInSpool    Reason = "spool"         // a file could not be read back
	LostRefused    Reason = "refused"       // the ingest would not have it
	LostRedirected Reason = "redirected"    // the ingest sent it elsewhere, which is not followed
	LostAway       Reason = "unreachable"   // the ingest failed again and again
	LostToken      Reason = "token_refused" // the ingest does not know the token any more
	LostFull       Reason = "full"          // the ingest takes no more for this recording
	LostAtStop     Reason = "stop"          // the stop's time was over
)

// ofAnswers says whether the uploader logs the reason with what the ingest said.
func (r Reason) ofAnswers() bool {
	switch r {
	case LostRefused, LostRedirected, LostAway, LostToken, LostFull, LostAtStop:
		return true
	}
	return false
}

// Report is the account of a recording. Once it is closed, Recorded is Sent and all
// of Dropped.
type Report struct {
	Recorded int // events that belong to the recording
	Sent     int // that the ingest has taken
	Dropped  map[Reason]int
	Invalid  int // what pages sent that was no event of the library
}

// Lost is the number of all dropped events.
func (r Report) Lost() (n int) {
	for _, lost := range r.Dropped {
		n += lost
	}
	return n
}

// account counts events. Everybody may use it at once.
type account struct {
	mu     sync.Mutex
	report Report
	// said is what losses [Delivery.Unsaid] has told of.
	said int
}

func (a *account) recorded(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Recorded += n
}

func (a *account) sent(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Sent += n
}

func (a *account) invalid(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Invalid += n
}

// lost says whether it is the first loss of its kind.
func (a *account) lost(reason Reason, n int) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.report.Dropped == nil {
		a.report.Dropped = map[Reason]int{}
	}
	first = a.report.Dropped[reason] == 0
	a.report.Dropped[reason] += n
	return first
}

func (a *account) get() Report {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.report
	r.Dropped = maps.Clone(r.Dropped)
	return r
}

func (a *account) unsaid() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	lost := a.report.Lost()
	n := lost - a.said
	a.said = lost
	return n
}
