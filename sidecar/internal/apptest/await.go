package apptest

import (
	"io"
	"log"
	"testing"
	"time"
)

const (
	// pollEvery is how often a fact is looked for: often enough that waiting
	// adds nothing that a person would notice, seldom enough for two cores.
	pollEvery = 5 * time.Millisecond
	// Patience is how long Await waits for a fact. Loaded machines are slow; a
	// fact that takes longer is a failure.
	Patience = 20 * time.Second
)

// Await waits until fact holds and fails the test when it does not within
// Patience. what completes the sentence "waited for ...".
func Await(t testing.TB, what string, fact func() bool) {
	t.Helper()
	if !poll(Patience, fact) {
		t.Fatalf("waited %v for %s", Patience, what)
	}
}

// poll reports whether fact came to hold within limit.
func poll(limit time.Duration, fact func() bool) bool {
	for end := time.Now().Add(limit); ; time.Sleep(pollEvery) {
		if fact() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// discard is a log for servers whose clients misbehave on purpose.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }
