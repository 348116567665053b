package main_test

import (
	"fmt"
	"os"
	"testing"
)

// soakEnv asks for the counts of a soak; `make soak` sets it.
const soakEnv = "PILLION_SOAK"

func soaking() bool { return os.Getenv(soakEnv) != "" }

// times is how often a test does what it does: a few times under -short, a soak
// many times.
func times(short, usual, soak int) int {
	switch {
	case soaking():
		return soak
	case testing.Short():
		return short
	}
	return usual
}

// sum prints a line of a soak's summary, which `make soak` shows at its end.
func sum(t *testing.T, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	if soaking() {
		fmt.Println("soak:", text)
	} else {
		t.Log(text)
	}
}
