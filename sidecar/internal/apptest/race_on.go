//go:build race

package apptest

// raceEnabled says that this test binary runs under the race detector.
const raceEnabled = true
