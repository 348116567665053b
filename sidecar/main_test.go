package main_test

import (
	"os"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

func TestMain(m *testing.M) {
	if os.Getenv(hostMarker) != "" {
		os.Exit(hostMain())
	}
	apptest.Main(m)
}
