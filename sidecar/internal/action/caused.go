package action

import (
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

const (
	// causeWindow is how long after the action a request may begin to count as
	// its effect; what is slower looks like something else to a person, too.
	causeWindow = 500 * time.Millisecond
	// chainWindow is the same after the end of a request that counts: one answer
	// leads to the next question.
	chainWindow = 150 * time.Millisecond
	// sameRequest is how often the same address counts. A page that polls asks
	// the same thing for ever.
	sameRequest = 2
)

// caused are the requests that the action brought about and that may change
// what the page shows.
func (s *scene) caused() []browser.Request {
	return effects(s.watch.Requests(), s.began, s.polled)
}

// effects picks from what a tab requested, oldest first, what an action at began
// brought about. polled are the requests that were open at that moment; one of
// them asked again is a long poll. After a main document only what it asked for
// counts: all before it belongs to a page that is gone.
func effects(requests []browser.Request, began time.Time, polled map[string]bool) []browser.Request {
	horizon := began.Add(causeWindow)
	times := map[string]int{}
	var out []browser.Request
	for _, r := range requests {
		key := address(r)
		if !shows(r) || r.Started.After(horizon) || polled[key] || times[key] >= sameRequest {
			continue
		}
		times[key]++
		if r.Navigation && r.Main {
			out = out[:0]
			// The new page asks for its parts when it is there, and for its data
			// when it runs.
			if r.Done() && r.Failure == "" {
				horizon = later(horizon, r.Ended.Add(causeWindow))
			} else {
				horizon = later(horizon, r.Started.Add(domReadyBound))
			}
		}
		if r.Done() {
			horizon = later(horizon, r.Ended.Add(chainWindow))
		}
		out = append(out, r)
	}
	return out
}

// openRequests are the addresses that a tab is waiting for.
func openRequests(requests []browser.Request) map[string]bool {
	open := map[string]bool{}
	for _, r := range requests {
		if !r.Done() {
			open[address(r)] = true
		}
	}
	return open
}

// address is what makes two requests the same question, their time-stamps and
// counters aside.
func address(r browser.Request) string {
	url, _, _ := strings.Cut(r.URL, "?")
	url, _, _ = strings.Cut(url, "#")
	return r.Method + " " + url
}

// shows says whether a request may change what the page shows.
func shows(r browser.Request) bool {
	switch r.Type {
	case "Document", "Stylesheet", "Script", "XHR", "Fetch":
		return true
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
