package main_test

import (
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
